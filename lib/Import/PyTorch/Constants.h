//===- Constants.h - constants of a program in files of their own -===//
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

/// Returns the sizes of the contiguous tensor that represents `literal` in a call or a file.
llvm::SmallVector<int64_t> getPassedSizes(const Literal &literal);

/// The elements of the constants of a program, which are the arguments that have `data`.
class Constants {
public:
  /// `path` is the file of the program's text; the other files are in the same folder.
  Constants(mlir::MLIRContext &context, llvm::StringRef path, bool untrusted)
      : context(context), external(path, untrusted), untrusted(untrusted) {}

  /// Reads all constants of `program`, whose text has `textBytes` bytes. The program must
  /// outlive this object.
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
