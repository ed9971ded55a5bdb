//===- MaterializeStores.cpp - gives tensors the types of their layouts -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// 1. The results of launches get the types of their layouts.
/// 2. Where the user of a tensor expects another layout than the tensor has, the user gets a
///    conversion of the tensor. An op that is not a launch of a kernel expects logical tensors.
/// 3. The kernels are rewritten, and their stores are removed. Where all launches of a kernel pass
///    a
///    tensor whose cells without an element hold zero, guards that these cells replace are dropped
///    (DropGuards.h). Such tensors are conversions, and results of expressions that are no
///    reductions.
///
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/ApplyStores.h"
#include "dialects/layout/Transforms/Conversions.h"
#include "dialects/layout/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::tssa::layout {
#define GEN_PASS_DEF_MATERIALIZESTORES
#include "dialects/layout/Transforms/Passes.h.inc"
} // namespace mlir::tssa::layout

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

namespace {
/// The stores of a kernel, and what follows for its parameters and results.
struct StoredKernel {
  te::KernelOp kernel;
  std::vector<KernelStore> stores;
  std::vector<std::optional<TensorLayout>> parameters, results;
};

class Materializer {
public:
  explicit Materializer(ModuleOp module) : module(module), symbols(module), conversions(symbols) {}

  LogicalResult run() {
    if (failed(collectKernels()))
      return failure();
    if (kernels.empty())
      return success();
    module.walk([&](te::LaunchOp launch) {
      if (const StoredKernel *stored = lookup(launch))
        setResultTypes(launch, *stored);
    });
    convertOperands();
    findZeroPadding();
    conversions.outline();
    for (auto &[op, stored] : kernels)
      if (failed(applyStores(stored.kernel, stored.stores, /*explain=*/true)))
        return failure();
    return success();
  }

private:
  LogicalResult collectKernels() {
    for (auto kernel : module.getOps<te::KernelOp>()) {
      FailureOr<std::vector<KernelStore>> stores = getStores(kernel);
      if (failed(stores))
        return failure();
      if (stores->empty())
        continue;
      StoredKernel &stored = kernels[kernel];
      stored.kernel = kernel;
      stored.parameters = getParameterLayouts(kernel, *stores);
      stored.results = getResultLayouts(kernel, *stores);
      stored.stores = std::move(*stores);
    }
    return success();
  }

  /// Returns the kernel of `launch` if it has stores, or null.
  const StoredKernel *lookup(te::LaunchOp launch) {
    auto it = kernels.find(symbols.lookup(launch.getKernel()));
    return it == kernels.end() ? nullptr : &it->second;
  }

  void setResultTypes(te::LaunchOp launch, const StoredKernel &stored) {
    SmallVector<Value> sizes;
    unsigned next = 0;
    te::KernelOp kernel = stored.kernel;
    ValueRange values = kernel.getBodyBlock().getTerminator()->getOperands();
    for (auto [result, layout, value] :
         llvm::zip_equal(launch.getResults(), stored.results, values)) {
      auto type = cast<RankedTensorType>(result.getType());
      SmallVector<Value> bySize(type.getRank());
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          bySize[dim] = launch.getResultSizes()[next++];
      if (!layout) {
        llvm::append_range(sizes, llvm::make_filter_range(bySize, [](Value v) { return !!v; }));
        continue;
      }
      for (AffineExpr size : layout->getPhysicalShape())
        if (auto symbol = dyn_cast<AffineSymbolExpr>(size))
          sizes.push_back(bySize[symbol.getPosition()]);
      result.setType(RankedTensorType::get(layout->getPhysicalTypeShape(), type.getElementType()));
      layouts.insert({result, *layout});
      if (padsWithZeros(value.getDefiningOp<te::ComputeOp>(), *layout))
        zeroPadded.insert(result);
      tensors.insert(result);
    }
    launch.getResultSizesMutable().assign(sizes);
  }

  /// Returns the layout in which the user of `use` expects the tensor, or nothing if this is the
  /// logical tensor itself.
  std::optional<TensorLayout> getExpected(OpOperand &use) {
    auto launch = dyn_cast<te::LaunchOp>(use.getOwner());
    const StoredKernel *stored = launch ? lookup(launch) : nullptr;
    if (!stored || use.getOperandNumber() >= launch.getInputs().size())
      return std::nullopt;
    return stored->parameters[use.getOperandNumber()];
  }

  void convertOperands() {
    module.walk([&](te::LaunchOp launch) {
      for (OpOperand &use : launch->getOpOperands())
        if (getExpected(use))
          tensors.insert(use.get());
    });
    for (Value tensor : tensors) {
      SmallVector<OpOperand *> uses;
      for (OpOperand &use : tensor.getUses())
        uses.push_back(&use);
      for (OpOperand *use : llvm::reverse(uses)) // in program order
        convertOperand(*use);
    }
    for (Value tensor : tensors)
      if (auto constant = tensor.getDefiningOp<te::ConstantOp>(); constant && constant.use_empty())
        constant.erase();
  }

  void convertOperand(OpOperand &use) {
    auto stored = layouts.find(use.get());
    std::optional<TensorLayout> expected = getExpected(use);
    if (stored == layouts.end() && !expected)
      return;
    ArrayRef<AffineExpr> shape =
        expected ? expected->getLogicalShape() : stored->second.getLogicalShape();
    TensorLayout logical =
        *TensorLayout::get(LayoutMap(), shape, module.getContext(), [](const Twine &) {});
    const TensorLayout &from = stored == layouts.end() ? logical : stored->second;
    const TensorLayout &to = expected ? *expected : logical;
    if (from != to)
      use.set(conversions.convert(use.get(), from, to));
  }

  /// Finds the parameters for which all launches pass a tensor with a padding of zeros.
  void findZeroPadding() {
    llvm::MapVector<Operation *, SmallVector<te::LaunchOp>> launches;
    module.walk([&](te::LaunchOp launch) {
      if (const StoredKernel *stored = lookup(launch))
        launches[stored->kernel].push_back(launch);
    });
    auto isZeroPadded = [&](Value value) {
      return zeroPadded.contains(value) || conversions.hasZeroPadding(value);
    };
    for (auto &[kernel, all] : launches)
      for (KernelStore &store : kernels[kernel].stores)
        store.hasZeroPadding = store.parameter && llvm::all_of(all, [&](te::LaunchOp launch) {
                                 return isZeroPadded(launch.getInputs()[*store.parameter]);
                               });
  }

  ModuleOp module;
  SymbolTable symbols;
  Conversions conversions;
  llvm::MapVector<Operation *, StoredKernel> kernels;
  llvm::DenseMap<Value, TensorLayout> layouts; ///< of results that are not stored as they are
  llvm::DenseSet<Value> zeroPadded;            ///< results of which cells without an element are 0
  llvm::SetVector<Value> tensors;              ///< that have a layout or are expected in one
};

struct MaterializeStores : layout::impl::MaterializeStoresBase<MaterializeStores> {
  MaterializeStores(layout::StoresObserver observer = {}) : observer(std::move(observer)) {}

  void runOnOperation() final {
    if (observer)
      observer(getOperation());
    if (failed(Materializer(getOperation()).run()))
      signalPassFailure();
  }

  layout::StoresObserver observer;
};
} // namespace

std::unique_ptr<Pass> layout::createMaterializeStores(StoresObserver observer) {
  return std::make_unique<MaterializeStores>(std::move(observer));
}
