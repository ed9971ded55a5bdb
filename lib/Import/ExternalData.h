//===- ExternalData.h - weights beside the model -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A model may keep bytes of its tensors in other files. It is told where by the model,
/// which is not to be trusted: a file is only opened when it lies beneath the folder of
/// the model, all links followed, and is a regular file that is large enough.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_EXTERNALDATA_H
#define TSSA_LIB_IMPORT_EXTERNALDATA_H

#include "lib/Import/Failure.h"
#include "onnx/onnx_pb.h"
#include <memory>

namespace tssa {

class ExternalData {
public:
  ExternalData(llvm::StringRef modelPath, bool untrusted);

  /// Bytes of a file, mapped into memory and unmapped with the last owner.
  struct Bytes {
    std::shared_ptr<const char> owner;
    llvm::ArrayRef<char> data;
  };
  /// Where a model says that bytes are.
  struct FileRange {
    std::string location;
    uint64_t offset = 0;
    std::optional<uint64_t> length;
  };
  /// The `size` bytes at a place. A report begins with whose they are: "tensor 'w': ".
  mlir::FailureOr<Bytes> find(const FileRange &range, uint64_t size, llvm::StringRef subject,
                              ImportReport &report);
  /// The `size` bytes of `tensor`, which says that they are external.
  mlir::FailureOr<Bytes> find(const tssa_onnx::TensorProto &tensor, uint64_t size,
                              ImportReport &report);

  /// The sizes of all files that were opened, added up.
  uint64_t getFileBytes() const { return fileBytes; }

private:
  struct File {
    std::shared_ptr<const char> bytes;
    uint64_t size;
  };
  mlir::FailureOr<FileRange> parse(const tssa_onnx::TensorProto &tensor, std::string &why);
  mlir::FailureOr<File> open(const std::string &location, std::string &why);
  mlir::FailureOr<File> map(int descriptor, std::string &why);

  std::string modelFolder;
  /// Real folders beneath which files may lie.
  llvm::SmallVector<std::string, 2> roots;
  bool untrusted;
  llvm::StringMap<File> files;
  uint64_t fileBytes = 0;
};

} // namespace tssa

#endif // TSSA_LIB_IMPORT_EXTERNALDATA_H
