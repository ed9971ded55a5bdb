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

/// Elements as they stand in a file: row-major, little-endian, those of less than a byte packed.
struct RawTensor {
  operators::DType type;
  /// In `copy`, or kept by `owner`.
  llvm::ArrayRef<char> data;
  std::shared_ptr<const void> owner;
  std::vector<char> copy;
};
/// The number of bytes of a raw tensor. A report begins with whose they are: "tensor 'w': ".
mlir::FailureOr<uint64_t> getRawBytes(llvm::ArrayRef<int64_t> shape, operators::DType type,
                                      llvm::StringRef subject, ImportReport &report);
/// The elements of a raw tensor of this shape; bytes with an owner are used in place.
mlir::ElementsAttr readElements(mlir::MLIRContext &context, llvm::ArrayRef<int64_t> shape,
                                RawTensor raw, llvm::StringRef name);
/// Fails when tensors of an untrusted model have many more bytes than its files: one file's bytes
/// may be named by many tensors.
mlir::LogicalResult checkTensorBytes(CheckedSize tensors, CheckedSize files, ImportReport &report);

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
  mlir::FailureOr<RawTensor> find(const tssa_onnx::TensorProto &tensor, ImportReport &report);
  struct Owned {
    std::shared_ptr<tssa_onnx::ModelProto> model;
    std::deque<tssa_onnx::FunctionProto> functions;
  };

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
