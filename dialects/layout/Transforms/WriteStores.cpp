//===- WriteStores.cpp - writes the stores of a point of the template -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each sum of products in a kernel without a schedule:
// 1. The knobs are parsed. ALT's point is the same text for all expressions with the same roles.
// 2. Their maps are made (StoreMaps.h). Nothing is written if one of them does not fit.
// 3. Each map that is not empty becomes a store of the result or of a parameter.
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/StoreMaps.h"
#include "dialects/layout/Transforms/KernelStores.h"
#include "dialects/layout/Transforms/Labels.h"
#include "dialects/layout/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tssa::layout {
#define GEN_PASS_DEF_WRITESTORES
#include "dialects/layout/Transforms/Passes.h.inc"
} // namespace mlir::tssa::layout

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

static remark::RemarkOpts getRemarkOptions() {
  return remark::RemarkOpts::name("stores").category("layout-write-stores");
}

namespace {
struct WriteStores : layout::impl::WriteStoresBase<WriteStores> {
  using WriteStoresBase::WriteStoresBase;

  void runOnOperation() final {
    for (auto kernel : getOperation().getOps<te::KernelOp>())
      if ((name.empty() || name == kernel.getSymName()) && failed(visit(kernel)))
        return signalPassFailure();
  }

  LogicalResult visit(te::KernelOp kernel) {
    if (!kernel.getSchedule().empty()) {
      remark::missed(kernel.getLoc(), getRemarkOptions())
          << remark::reason("the kernel has a schedule");
      return success();
    }
    if (failed(checkLabels(kernel)))
      return failure();
    StoredParameters stored;
    for (auto compute : kernel.getBodyBlock().getOps<te::ComputeOp>())
      if ((label.empty() || label == *compute.getLabel()) && failed(write(kernel, compute, stored)))
        return failure();
    return success();
  }

  /// The parameters of a kernel that earlier expressions read, with their layouts.
  using StoredParameters = DenseMap<Value, LayoutMap>;

  LogicalResult write(te::KernelOp kernel, te::ComputeOp compute, StoredParameters &stored) {
    Roles roles = getRoles(compute);
    if (roles.weights.empty()) {
      remark::missed(compute.getLoc(), getRemarkOptions())
          << remark::reason("the expression is not a sum of products");
      return success();
    }
    auto refuse = [&](const Twine &reason) {
      compute.emitOpError("the knobs do not fit: ") << reason;
    };
    FailureOr<StoreKnobs> parsed = parseStoreKnobs(knobs, roles, refuse);
    if (failed(parsed))
      return failure();
    FailureOr<StoreMaps> maps = getStoreMaps(compute, roles, *parsed, refuse);
    if (failed(maps))
      return failure();
    if (!maps->result.isEmpty())
      addStore(kernel, *compute.getLabel(), maps->result);
    for (const auto &[source, map] : maps->sources)
      if (failed(store(kernel, compute, source, map, stored)))
        return failure();
    std::string text;
    llvm::raw_string_ostream(text) << *parsed;
    remark::passed(compute.getLoc(), getRemarkOptions()) << remark::metric("Knobs", text);
    return success();
  }

  static LogicalResult store(te::KernelOp kernel, te::ComputeOp compute, Value source,
                             const LayoutMap &map, StoredParameters &stored) {
    auto parameter = dyn_cast<BlockArgument>(source);
    if (!parameter)
      return map.isEmpty() ? success()
                           : compute.emitOpError("the knobs do not fit: a result of another "
                                                 "expression would be stored for this one");
    auto [old, isNew] = stored.try_emplace(source, map);
    if (old->second != map)
      return compute.emitOpError("the knobs do not fit: parameter ")
             << parameter.getArgNumber() << " is stored for another expression";
    if (isNew && !map.isEmpty())
      addStore(kernel, parameter.getArgNumber(), map);
    return success();
  }
};
} // namespace
