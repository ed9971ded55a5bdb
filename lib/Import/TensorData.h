//===- TensorData.h - tensors of a model as constants -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_TENSORDATA_H
#define TSSA_LIB_IMPORT_TENSORDATA_H

#include "lib/Import/ExternalData.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "tssa/Support/CheckedSize.h"
#include <deque>

namespace tssa {

/// Turns TensorProtos into elements. Raw and external bytes are used in place.
class TensorReader {
public:
  /// `model` owns the tensors that are read.
  TensorReader(mlir::MLIRContext &context, std::shared_ptr<tssa_onnx::ModelProto> model,
               llvm::StringRef modelPath, bool untrusted)
      : context(context), owned(std::make_shared<Owned>()), external(modelPath, untrusted) {
    owned->model = std::move(model);
  }

  struct Constant {
    operators::DType type;
    mlir::ElementsAttr elements;
  };
  mlir::FailureOr<Constant> read(const tssa_onnx::TensorProto &tensor, ImportReport &report);
  /// Reports what is wrong with a tensor, its external file included, and makes nothing.
  mlir::LogicalResult check(const tssa_onnx::TensorProto &tensor, ImportReport &report);
  /// Bytes of the files that were opened for tensors.
  uint64_t getExternalBytes() const { return external.getFileBytes(); }
  /// Bytes of all tensors that were checked.
  CheckedSize getCheckedBytes() const { return checkedBytes; }

  /// Keeps a function that is not part of the model as long as the tensors.
  const tssa_onnx::FunctionProto &keep(tssa_onnx::FunctionProto function) {
    return owned->functions.emplace_back(std::move(function));
  }

private:
  /// The elements as they are written; `data` is in `copy` or kept by `owner`.
  struct Content {
    operators::DType type;
    llvm::ArrayRef<char> data;
    std::shared_ptr<const void> owner;
    std::vector<char> copy;
  };
  mlir::FailureOr<Content> find(const tssa_onnx::TensorProto &tensor, ImportReport &report);
  struct Owned {
    std::shared_ptr<tssa_onnx::ModelProto> model;
    std::deque<tssa_onnx::FunctionProto> functions;
  };
  mlir::ElementsAttr share(operators::DType type, llvm::ArrayRef<int64_t> shape,
                           llvm::ArrayRef<char> bytes, std::shared_ptr<const void> owner,
                           llvm::StringRef name);

  mlir::MLIRContext &context;
  std::shared_ptr<Owned> owned;
  ExternalData external;
  CheckedSize checkedBytes = 0;
};

/// Whether ONNX has an element type of this number.
bool isElementType(int32_t type);
/// The name of an ONNX element type, such as "float8e4m3fn"; its number if it has none.
std::string getTypeName(int32_t type);

} // namespace tssa

#endif // TSSA_LIB_IMPORT_TENSORDATA_H
