//===- MachineRecord.h - machines as text -----------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TARGET_MACHINERECORD_H
#define LIB_TARGET_MACHINERECORD_H

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/Error.h"

namespace tssa {

/// A machine as text: an attribute of MLIR, {name = value, ...}.
class MachineRecord {
public:
  /// Reads `text`, in which no names but `names` may be. It must be safe for the parser
  /// (Pipeline/CheckText.h).
  static llvm::Expected<MachineRecord> read(llvm::StringRef text,
                                            llvm::ArrayRef<llvm::StringRef> names);

  /// Returns the value of `name`, or null if there is none of this type.
  template <typename Attr> Attr get(llvm::StringRef name) const {
    return entries.getAs<Attr>(name);
  }

private:
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::DictionaryAttr entries;
};

} // namespace tssa

#endif // LIB_TARGET_MACHINERECORD_H
