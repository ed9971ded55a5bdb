//===- Diagnostics.cpp - prints errors with the model's names ------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Remarks.h"
#include "tssa/Support/Unsupported.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tssa::compile {

/// Makes the passes whose names match the regular expression `passes` emit their remarks as
/// diagnostics.
static void enableRemarks(MLIRContext &context, const std::string &passes) {
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.analysis = categories.failed = passes;
  LogicalResult enabled = remark::enableOptimizationRemarks(
      context, /*streamer=*/nullptr, std::make_unique<remark::RemarkEmittingPolicyAll>(),
      categories, /*printAsEmitRemarks=*/true);
  if (failed(enabled))
    llvm::report_fatal_error("remarks cannot be enabled");
}

DiagnosticPrinter::DiagnosticPrinter(MLIRContext &context, StringRef file,
                                     const std::optional<std::string> &remarks)
    : ScopedDiagnosticHandler(&context), file(file.str()) {
  context.printOpOnDiagnostic(false); // an error names its place; a whole kernel would hide it
  bool printsRemarks = remarks.has_value();
  setHandler([this, printsRemarks](Diagnostic &diagnostic) {
    unsupported |= isUnsupported(diagnostic);
    if (printsRemarks || diagnostic.getSeverity() != DiagnosticSeverity::Remark)
      print(diagnostic, "");
  });
  if (remarks)
    enableRemarks(context, *remarks);
}

/// Collects the names of the nodes in a location.
static void collectNames(Location loc, SmallVectorImpl<StringRef> &names,
                         std::optional<FileLineColLoc> &position) {
  loc->walk([&](Location nested) {
    if (auto name = dyn_cast<NameLoc>(nested))
      if (!llvm::is_contained(names, name.getName().getValue()))
        names.push_back(name.getName());
    if (auto file = dyn_cast<FileLineColLoc>(nested); file && !position)
      position = file;
    return WalkResult::advance();
  });
}

void DiagnosticPrinter::print(Diagnostic &diagnostic, StringRef indent) {
  static constexpr const char *severities[] = {"note", "warning", "error", "remark"};
  SmallVector<StringRef> names;
  std::optional<FileLineColLoc> position;
  collectNames(diagnostic.getLocation(), names, position);
  llvm::raw_ostream &stream = llvm::errs();
  stream << indent;
  if (position && position->getLine() > 0 && names.empty()) {
    StringRef read = position->getFilename();
    stream << (read == "<stdin>" ? StringRef(file) : read) << ':' << position->getLine() << ':'
           << position->getColumn();
  } else {
    stream << file;
  }
  stream << ": " << severities[unsigned(diagnostic.getSeverity())] << ": ";
  constexpr size_t most = 4;
  for (size_t i = 0; i < std::min(names.size(), most); ++i)
    stream << (i == 0 ? "node '" : ", '") << names[i] << "'";
  if (names.size() > most)
    stream << " and " << names.size() - most << " more";
  stream << (names.empty() ? "" : ": ") << diagnostic.str() << '\n';
  for (Diagnostic &note : diagnostic.getNotes())
    print(note, "  ");
}

} // namespace tssa::compile
