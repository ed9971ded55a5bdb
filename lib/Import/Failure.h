//===- Failure.h - what is wrong with a model -===//
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

/// "; is 'weight' meant?" for the known name that is most like `name`, or nothing.
std::string suggestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known);

/// A name between quotes: cut when long, bytes that are no printable ASCII escaped.
std::string quote(llvm::StringRef name);

/// Records the first error of an import.
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
