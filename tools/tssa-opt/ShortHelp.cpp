//===- ShortHelp.cpp ------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShortHelp.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace llvm;

namespace tssa::opt {

/// Returns the names of all passes and pipelines, sorted, under the first part of their names, such
/// as te, or "" for those of no dialect or target.
static std::map<std::string, std::vector<std::string>> groupPasses() {
  std::vector<std::string> names; // each is an option of its own
  for (auto &[name, option] : cl::getRegisteredOptions())
    if (mlir::PassInfo::lookup(name) || mlir::PassPipelineInfo::lookup(name))
      names.push_back(name.str());
  llvm::sort(names);
  std::map<std::string, std::vector<std::string>> groups;
  for (const std::string &name : names) {
    StringRef part = StringRef(name).split('-').first;
    bool isGroup = is_contained({"cpu", "cuda", "layout", "te", "tssa"}, part);
    groups[isGroup ? part.str() : ""].push_back(name);
  }
  return groups;
}

static void printPacked(raw_ostream &stream, ArrayRef<std::string> names) {
  constexpr size_t width = 80;
  size_t column = 0;
  for (const std::string &name : names) {
    if (column + 2 + name.size() > width) {
      stream << '\n';
      column = 0;
    }
    stream << (column ? " " : "    ") << name;
    column += (column ? 1 : 4) + name.size();
  }
  stream << '\n';
}

void printShortHelp(raw_ostream &stream) {
  stream << R"(usage: tssa-opt [options] [--PASS[=OPTIONS] ...] [FILE.mlir]

tssa-opt runs passes on a module, which it reads from a file or the standard
input, and prints the result.

options:
  -o FILE                       Output file (standard output)
  --pass-pipeline=PIPELINE      Passes in the syntax of MLIR, such as
                                'builtin.module(te-merge)'
  --split-input-file            Take parts between lines of // ----- apart
  --verify-diagnostics          Compare errors with // expected-error comments
  --verify-each=0|1             Verify the module after each pass (1)
  --allow-unregistered-dialect  Accept ops of unknown dialects
  --mlir-print-ir-after-all     Print the module after each pass
  --mlir-print-ir-after=PASS    Print the module after this pass
  --mlir-print-ir-before=PASS   Print the module before this pass
  --mlir-timing                 Print the time of each pass
  --list-passes                 Print the passes with what they do
  --show-dialects               Print the dialects
  --help-list                   Print all options, also those of LLVM
  --help-hidden                 The same with those that LLVM hides
  --version                     Print the version

passes and pipelines:
)";
  auto groups = groupPasses();
  auto others = groups.extract("");
  for (const auto &[part, names] : groups) {
    stream << "  " << part << '\n';
    printPacked(stream, names);
  }
  if (!others.empty()) {
    stream << "  others\n";
    printPacked(stream, others.mapped());
  }
  stream << "\nexample:\n  tssa-opt --te-merge --te-simplify module.mlir\n";
}

} // namespace tssa::opt
