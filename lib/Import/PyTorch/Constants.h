//===- Constants.h - tensors of a program that lie beside its text -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_PYTORCH_CONSTANTS_H
#define TSSA_LIB_IMPORT_PYTORCH_CONSTANTS_H

#include "lib/Import/PyTorch/RecordedProgram.h"
#include "lib/Import/TensorData.h"

namespace tssa::pytorch {

/// The sizes of the contiguous tensor that is passed for this one, or that lies in a file.
llvm::SmallVector<int64_t> getPassedSizes(const Literal &literal);

/// The elements of arguments that have `data`, as those of initializers of models.
class Constants {
public:
  /// Files lie beside the text at `path`.
  Constants(mlir::MLIRContext &context, llvm::StringRef path, bool untrusted)
      : context(context), external(path, untrusted), untrusted(untrusted) {}

  /// Finds all constants of `program`, which outlives this. Its text has `textBytes`.
  mlir::LogicalResult read(const RecordedProgram &program, uint64_t textBytes,
                           ImportReport &report);
  mlir::ElementsAttr get(const Literal &literal) const { return elements.lookup(&literal); }

private:
  mlir::LogicalResult find(const Literal &literal, ImportReport &report);

  mlir::MLIRContext &context;
  ExternalData external;
  bool untrusted;
  std::vector<std::pair<const Literal *, RawTensor>> found;
  llvm::DenseMap<const Literal *, mlir::ElementsAttr> elements;
};

} // namespace tssa::pytorch

#endif // TSSA_LIB_IMPORT_PYTORCH_CONSTANTS_H
