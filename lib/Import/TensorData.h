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
#include "tssa/Builder/Tensor.h"
#include "tssa/Support/CheckedSize.h"
#include <deque>

namespace tssa {

/// The elements of a tensor as they are in a file: row-major and little-endian, with elements of
/// less than a byte packed.
struct RawTensor {
  operators::DType type;
  /// The bytes, which either are in `copy` or belong to `owner`.
  llvm::ArrayRef<char> data;
  std::shared_ptr<const void> owner;
  std::vector<char> copy;
};
/// Returns the number of bytes of a raw tensor. An error in `report` begins with `subject`, the
/// owner of the bytes, such as "tensor 'w': ".
mlir::FailureOr<uint64_t> getRawBytes(llvm::ArrayRef<int64_t> shape, operators::DType type,
                                      llvm::StringRef subject, ImportReport &report);
/// Returns the elements of a raw tensor of this shape; bytes with an owner are not copied.
mlir::ElementsAttr readElements(mlir::MLIRContext &context, llvm::ArrayRef<int64_t> shape,
                                RawTensor raw, llvm::StringRef name);
/// Fails if the tensors of an untrusted model have many more bytes than its files. That is
/// possible because many tensors may refer to the same bytes of a file.
mlir::LogicalResult checkTensorBytes(CheckedSize tensors, CheckedSize files, ImportReport &report);

/// Converts TensorProtos to elements. Raw and external bytes are not copied.
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
    /// The table of strings whose indexes the elements are; null for numbers.
    std::shared_ptr<const operators::Labels> strings;
  };
  mlir::FailureOr<Constant> read(const tssa_onnx::TensorProto &tensor, ImportReport &report);
  /// Reads a sparse tensor as the dense tensor that it means.
  mlir::FailureOr<Constant> read(const tssa_onnx::SparseTensorProto &tensor, ImportReport &report);
  /// Checks a tensor and its external file, without building elements.
  mlir::LogicalResult check(const tssa_onnx::TensorProto &tensor, ImportReport &report);
  mlir::LogicalResult check(const tssa_onnx::SparseTensorProto &tensor, ImportReport &report);
  /// Returns the number of bytes of the files that were opened for tensors.
  uint64_t getExternalBytes() const { return external.getFileBytes(); }
  /// Returns the number of bytes of all tensors that were checked.
  CheckedSize getCheckedBytes() const { return checkedBytes; }

  /// Keeps `function`, which is not part of the model, alive as long as the tensors.
  const tssa_onnx::FunctionProto &keep(tssa_onnx::FunctionProto function) {
    return owned->functions.emplace_back(std::move(function));
  }

private:
  /// A sparse tensor: `values[i]` is the element number `positions[i]` of a dense tensor of
  /// `numBytes` bytes. The other elements are 0.
  struct Sparse {
    RawTensor values;
    std::vector<int64_t> positions;
    uint64_t numBytes;
  };
  mlir::FailureOr<RawTensor> find(const tssa_onnx::TensorProto &tensor, ImportReport &report);
  mlir::LogicalResult checkStrings(const tssa_onnx::TensorProto &tensor, ImportReport &report);
  /// Reads a tensor of strings as indexes into a table, in which each string is once.
  mlir::FailureOr<Constant> readStrings(const tssa_onnx::TensorProto &tensor, ImportReport &report);
  mlir::FailureOr<Sparse> find(const tssa_onnx::SparseTensorProto &tensor, ImportReport &report);
  struct Owned {
    std::shared_ptr<tssa_onnx::ModelProto> model;
    std::deque<tssa_onnx::FunctionProto> functions;
  };

  mlir::MLIRContext &context;
  std::shared_ptr<Owned> owned;
  ExternalData external;
  CheckedSize checkedBytes = 0, sparseBytes = 0;
};

/// Returns whether ONNX has an element type with this number.
bool isElementType(int32_t type);
/// Returns the name of an ONNX element type, such as "float8e4m3fn", or its number if it has no
/// name.
std::string getTypeName(int32_t type);

} // namespace tssa

#endif // TSSA_LIB_IMPORT_TENSORDATA_H
