//===- UnsupportedUses.h - collects unsupported features of a model -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_UNSUPPORTEDUSES_H
#define TSSA_LIB_IMPORT_UNSUPPORTEDUSES_H

#include "lib/Import/Failure.h"
#include "onnx/onnx_pb.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace tssa {

/// Returns the location of a node.
ModelLocation locate(const tssa_onnx::NodeProto &node, int index);
/// Returns the location of a tensor, an input or an output, such as `tensor 'w'`.
ModelLocation locate(llvm::StringRef what, llvm::StringRef name);

/// Collects the uses of unsupported features, without duplicates, in the order of `add`.
class UnsupportedUses {
public:
  void add(UnsupportedUse::Kind kind, const std::string &what, ModelLocation location);
  bool empty() const { return uses.empty(); }
  /// Sets in `report` the list of all uses and one error text for all of them. Returns failure.
  mlir::LogicalResult report(ImportReport &report) const;

private:
  std::vector<UnsupportedUse> uses;
  llvm::StringMap<size_t> indexOf;
  llvm::StringSet<> seen;
};

} // namespace tssa

#endif // TSSA_LIB_IMPORT_UNSUPPORTEDUSES_H
