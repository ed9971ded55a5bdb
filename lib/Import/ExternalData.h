//===- ExternalData.h - weights beside the model -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A model may keep the bytes of its tensors in other files. It gives the paths of these files,
/// which are not trusted: after all links have been followed, a path must lead to a regular file
/// beneath the model's folder, and the file must be large enough.
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

  /// Bytes of a file that is mapped into memory until the last owner is gone.
  struct Bytes {
    std::shared_ptr<const char> owner;
    llvm::ArrayRef<char> data;
  };
  /// A range of bytes in a file, as a model gives it.
  struct FileRange {
    std::string location;
    uint64_t offset = 0;
    std::optional<uint64_t> length;
  };
  /// Returns the `size` bytes at the offset of `range`; fails if `range` has another length. An
  /// error in `report` begins with `subject`, the owner of the bytes, such as "tensor 'w': ".
  mlir::FailureOr<Bytes> find(const FileRange &range, uint64_t size, llvm::StringRef subject,
                              ImportReport &report);
  /// Returns the `size` bytes of `tensor`, whose data are external.
  mlir::FailureOr<Bytes> find(const tssa_onnx::TensorProto &tensor, uint64_t size,
                              ImportReport &report);

  /// Returns the sum of the sizes of all files that were opened.
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
  /// The folders, with links resolved, beneath which files may lie.
  llvm::SmallVector<std::string, 2> roots;
  bool untrusted;
  llvm::StringMap<File> files;
  uint64_t fileBytes = 0;
};

} // namespace tssa

#endif // TSSA_LIB_IMPORT_EXTERNALDATA_H
