//===- DeduplicateKernels.cpp - merges structurally equal kernels -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/StructuralHash.h"
#include "dialects/te/IR/TEOps.h"
#include "dialects/te/Transforms/Passes.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::tssa::te {
#define GEN_PASS_DEF_TEDEDUPLICATEKERNELS
#include "dialects/te/Transforms/Passes.h.inc"
} // namespace mlir::tssa::te

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

static llvm::hash_code hashKernel(KernelOp kernel) {
  return llvm::hash_combine(kernel.getFunctionType(), kernel.getArgAttrsAttr(),
                            hashRegion(kernel.getBody()), hashRegion(kernel.getSchedule()));
}

static bool areEqual(KernelOp lhs, KernelOp rhs) {
  auto flags = OperationEquivalence::IgnoreLocations;
  return lhs.getFunctionType() == rhs.getFunctionType() &&
         lhs.getArgAttrsAttr() == rhs.getArgAttrsAttr() &&
         lhs->getDiscardableAttrDictionary() == rhs->getDiscardableAttrDictionary() &&
         OperationEquivalence::isRegionEquivalentTo(&lhs.getBody(), &rhs.getBody(), flags) &&
         OperationEquivalence::isRegionEquivalentTo(&lhs.getSchedule(), &rhs.getSchedule(), flags);
}

/// Replaces the number in a name such as `k12_sum`. Returns names of another form unchanged.
static std::string renumber(StringRef name, unsigned number) {
  StringRef rest = name;
  if (rest.consume_front("k") && rest.take_while(llvm::isDigit).size() &&
      rest.drop_while(llvm::isDigit).starts_with("_"))
    return ("k" + Twine(number) + rest.drop_while(llvm::isDigit)).str();
  return name.str();
}

/// Returns the new names of the kernels that are kept, by old name.
static llvm::StringMap<FlatSymbolRefAttr> renumberKernels(ModuleOp module,
                                                          ArrayRef<KernelOp> kernels) {
  llvm::StringSet<> foreign;
  for (Operation &op : *module.getBody())
    if (auto symbol = dyn_cast<SymbolOpInterface>(op); symbol && !isa<KernelOp>(op))
      foreign.insert(symbol.getName());
  llvm::StringMap<FlatSymbolRefAttr> renamed;
  unsigned number = 0;
  for (KernelOp kernel : kernels) {
    std::string name;
    do {
      name = renumber(kernel.getSymName(), number++);
    } while (foreign.contains(name));
    renamed[kernel.getSymName()] = FlatSymbolRefAttr::get(module.getContext(), name);
  }
  return renamed;
}

namespace {
struct DeduplicateKernels : te::impl::TEDeduplicateKernelsBase<DeduplicateKernels> {
  void runOnOperation() override {
    llvm::DenseMap<size_t, SmallVector<KernelOp, 1>> seen;
    SmallVector<KernelOp> kept;
    SmallVector<std::pair<KernelOp, KernelOp>> removed;
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      SmallVector<KernelOp, 1> &bucket = seen[hashKernel(kernel)];
      auto *same = llvm::find_if(bucket, [&](KernelOp other) { return areEqual(kernel, other); });
      if (same != bucket.end()) {
        remark::passed(kernel.getLoc(), remark::RemarkOpts::name("equal").category(getArgument()))
            << remark::metric("Kernel", kernel.getSymName())
            << remark::metric("EqualTo", same->getSymName());
        removed.push_back({kernel, *same});
        continue;
      }
      bucket.push_back(kernel);
      kept.push_back(kernel);
    }
    llvm::StringMap<FlatSymbolRefAttr> renamed = renumberKernels(getOperation(), kept);
    for (auto [kernel, same] : removed)
      renamed[kernel.getSymName()] = renamed[same.getSymName()];
    getOperation().walk([&](LaunchOp launch) {
      auto it = renamed.find(launch.getKernel());
      if (it != renamed.end())
        launch.setKernelAttr(it->second);
    });
    for (KernelOp kernel : kept)
      kernel.setSymName(renamed[kernel.getSymName()].getValue());
    for (auto [kernel, same] : removed)
      kernel.erase();
    numRemoved += removed.size();
    remark::passed(getOperation().getLoc(),
                   remark::RemarkOpts::name("kernels").category(getArgument()))
        << remark::metric("Kernels", kept.size()) << remark::metric("Removed", removed.size());
  }
};
} // namespace
