//===- LoopWords.cpp - loops and layouts in words -------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopWords.h"
#include "dialects/layout/Template/Knobs.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace tssa;
using namespace tssa::tuner;
namespace layout = mlir::tssa::layout;

std::string tuner::describeLoops(const TaskKernel &kernel, const KernelPoint &point) {
  std::string text;
  raw_string_ostream stream(text);
  bool isSeveral = kernel.getExpressions().size() > 1;
  for (auto [expression, own] : zip_equal(kernel.getExpressions(), point)) {
    if (!text.empty())
      stream << "; ";
    mlir::tssa::te::ComputeOp op = expression.op;
    if (mlir::StringAttr label = op.getLabelAttr(); label && isSeveral)
      stream << '@' << label.getValue() << ": ";
    layout::describe(stream, own, op, expression.roles);
  }
  return text;
}

std::string tuner::describeStores(StringRef text) {
  std::vector<std::string> stores;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    line = line.trim();
    if (!line.consume_front("layout.store "))
      continue;
    auto [end, map] = line.split(" as map<");
    map.consume_back(">");
    stores.push_back((end.starts_with("@") ? "" : "parameter ") + (end + " as " + map).str());
  }
  return stores.empty() ? "as in the model" : join(stores, ", ");
}

std::string tuner::describeSchedule(StringRef record) {
  std::vector<std::string> ops;
  SmallVector<StringRef> lines;
  record.split("} schedule {").second.split(lines, '\n');
  for (StringRef line : lines) {
    line = line.split(" : ").first.trim();
    if (!line.empty() && line != "}" && !line.starts_with("layout.store "))
      ops.push_back(line.str());
  }
  return join(ops, "; ");
}
