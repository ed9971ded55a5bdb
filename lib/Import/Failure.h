//===- Failure.h - reporting errors of an import -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_FAILURE_H
#define TSSA_LIB_IMPORT_FAILURE_H

#include "mlir/Support/LogicalResult.h"
#include "tssa/Import/Report.h"

namespace tssa {

using operators::Fault;

/// Returns "; did you mean 'weight'?" for the known name most similar to `name`, or "".
std::string suggestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known);

/// Returns the hint of suggestName or, if no name is similar, the first of `names`; `none` if there
/// are no names.
std::string suggestOrList(llvm::StringRef given, llvm::ArrayRef<llvm::StringRef> names,
                          llvm::StringRef none);

/// Returns `name` in quotes. Long names are cut, and bytes other than printable ASCII are
/// escaped.
std::string quote(llvm::StringRef name);

/// Records `text` in `report`, unless `report` already has an error. Always returns failure.
inline mlir::LogicalResult fail(ImportReport &report, Fault fault, const llvm::Twine &text) {
  if (report.fault == Fault::None) {
    report.fault = fault;
    report.error = text.str();
  }
  return mlir::failure();
}

inline mlir::LogicalResult fail(ImportReport &report, const llvm::Twine &text) {
  return fail(report, Fault::Model, text);
}

} // namespace tssa

#endif // TSSA_LIB_IMPORT_FAILURE_H
