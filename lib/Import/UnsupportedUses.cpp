//===- UnsupportedUses.cpp - collects unsupported features of a model -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/UnsupportedUses.h"
#include "lib/Import/Graph.h"

using namespace llvm;

namespace tssa {

/// The maximal numbers of lines in the error text and of uses in a line. The report lists all uses.
static constexpr size_t maxShownLines = 50, maxShownUses = 5;

ModelLocation locate(const tssa_onnx::NodeProto &node, int index) {
  return {describe(node, index), index, node.name(), node.op_type()};
}

ModelLocation locate(StringRef what, StringRef name) {
  return {(what + " " + quote(name)).str(), -1, name.str(), ""};
}

void UnsupportedUses::add(UnsupportedUse::Kind kind, const std::string &what,
                          ModelLocation location) {
  // A body may be built more than once, so the same feature at the same location is added once.
  std::string key = what;
  key.push_back('\0');
  key += location.text;
  if (!seen.insert(key).second)
    return;
  auto [it, isNew] = indexOf.try_emplace(what, uses.size());
  if (isNew)
    uses.push_back({kind, what, {}});
  uses[it->second].locations.push_back(std::move(location));
}

/// Returns a line for a use. If a node as a whole is unsupported, the line is the error of its
/// builder, which names the node.
static std::string describe(const UnsupportedUse &use) {
  if (use.kind == UnsupportedUse::Node)
    return use.what;
  std::string text = use.what;
  for (const auto &[i, location] : enumerate(ArrayRef(use.locations).take_front(maxShownUses)))
    text += (i ? ", " : ": ") + location.text;
  if (use.locations.size() > maxShownUses)
    text += " and " + std::to_string(use.locations.size() - maxShownUses) + " more";
  return text;
}

mlir::LogicalResult UnsupportedUses::report(ImportReport &report) const {
  report.unsupported = uses;
  if (uses.size() == 1 && uses.front().kind == UnsupportedUse::Node)
    return fail(report, Fault::Unsupported, uses.front().what);
  std::string text = "the model needs what is not supported:";
  for (const UnsupportedUse &use : ArrayRef(uses).take_front(maxShownLines)) {
    text += "\n  ";
    for (char c : describe(use))
      text += c == '\n' ? std::string("\n  ") : std::string(1, c);
  }
  if (uses.size() > maxShownLines)
    text += "\n  and " + std::to_string(uses.size() - maxShownLines) + " more";
  return fail(report, Fault::Unsupported, text);
}

} // namespace tssa
