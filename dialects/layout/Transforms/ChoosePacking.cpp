//===- ChoosePacking.cpp - stores weights in the order of the loops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Analysis/TileModel.h"
#include "dialects/layout/Transforms/ApplyStores.h"
#include "dialects/layout/Transforms/KernelVariants.h"
#include "dialects/layout/Transforms/Passes.h"
#include "dialects/layout/Transforms/StoredConstant.h"
#include "dialects/te/IR/Contraction.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tssa::layout {
#define GEN_PASS_DEF_CHOOSEPACKING
#include "dialects/layout/Transforms/Passes.h.inc"
} // namespace mlir::tssa::layout

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Constants of fewer elements than this are not packed.
static constexpr int64_t fewElements = 64;

namespace {
/// A blocked layout of a tensor. Dim `blocked` is divided into blocks of `block` elements. The dims
/// in memory are the index of the block, then the dims `order`, then the position in the block. For
/// example, blocks of 16 along dim o give [o/16, c, kh, kw, 16].
struct Packing {
  unsigned parameter = 0;
  int64_t blocked = 0, block = 1;
  SmallVector<int64_t, 6> order; ///< all dims but `blocked`

  LayoutMap getMap() const {
    SmallVector<int64_t> dims = {blocked};
    for (int64_t dim : order)
      dims.push_back(dim < blocked ? dim : dim + 1);
    dims.push_back(blocked + 1);
    return *LayoutMap::get({Primitive::padTo(blocked, block),
                            Primitive::split(blocked, {Primitive::kRemainder, block}),
                            Primitive::reorder(dims)},
                           [](const Twine &) {});
  }
};

class PackingChooser {
public:
  PackingChooser(ModuleOp module, const MachineModel &machine)
      : module(module), kernels(module), machine(machine) {}

  /// Fails after an error at a store that is wrong.
  LogicalResult run() {
    WalkResult result = module.walk([&](te::LaunchOp launch) {
      return failed(visit(launch)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    kernels.eraseUnused();
    return failure(result.wasInterrupted());
  }

  unsigned getNumPacked() const { return numPacked; }

private:
  LogicalResult visit(te::LaunchOp launch) {
    te::KernelOp kernel = kernels.lookup(launch);
    if (!kernel || hasLoops(kernel))
      return success();
    FailureOr<std::vector<KernelStore>> stores = getStores(kernel);
    if (failed(stores))
      return failure();
    auto layouts = getParameterLayouts(kernel, *stores);
    SmallVector<Packing> packings;
    for (const Packing &packing : chooseAll(kernel, !stores->empty(), launch))
      if (!layouts[packing.parameter] && fits(packing, launch))
        packings.push_back(packing);
    if (packings.empty())
      return success();
    kernels.change(launch, describe(packings), [&](te::KernelOp copy) {
      for (const Packing &packing : packings)
        addStore(copy, packing.parameter, packing.getMap());
    });
    numPacked += packings.size();
    return success();
  }

  /// Chooses the packings for the body that the kernel will have once its stores are applied.
  SmallVector<Packing> chooseAll(te::KernelOp kernel, bool hasStores, te::LaunchOp launch) {
    OwningOpRef<te::KernelOp> copy;
    if (hasStores) {
      copy = applyStoresToCopy(kernel);
      if (!copy) // the pass that applies the stores says why
        return {};
      kernel = *copy;
    }
    SmallVector<Packing> packings;
    for (auto compute : kernel.getBodyBlock().getOps<te::ComputeOp>())
      for (const Packing &packing : choose(compute, launch))
        if (llvm::none_of(packings, [&](const Packing &other) {
              return other.parameter == packing.parameter;
            }))
          packings.push_back(packing);
    return packings;
  }

  /// Returns whether the constant of `launch` can be packed. Emits a remark if so.
  static bool fits(const Packing &packing, te::LaunchOp launch) {
    auto constant = launch.getInputs()[packing.parameter].getDefiningOp<te::ConstantOp>();
    FailureOr<TensorLayout> layout =
        getLayout(packing.getMap(), constant.getType(), [](const Twine &) {});
    if (!hasBytesOfElements(constant.getValue()) || failed(layout))
      return false;
    int64_t elements = 1;
    for (int64_t size : layout->getPhysicalTypeShape())
      elements *= size;
    remark::passed(constant.getLoc(), getRemarkOptions())
        << remark::metric("Elements", constant.getType().getNumElements())
        << remark::metric("PackedElements", elements) << remark::metric("Block", packing.block);
    return true;
  }

  static te::ConstantOp getConstant(te::ReadOp read, te::LaunchOp launch) {
    auto arg = dyn_cast<BlockArgument>(read.getSource());
    return arg ? launch.getInputs()[arg.getArgNumber()].getDefiningOp<te::ConstantOp>()
               : te::ConstantOp();
  }

  /// The weights of a sum of products. One factor is computed from the constants that `reads` read,
  /// such as packed numbers and their scales. `data` is a read of the other factor. If both factors
  /// are computed from the same reads, as in a sum of squared distances, `reads` are the reads of
  /// constants and `data` is one of the other reads.
  struct Weights {
    SmallVector<te::ReadOp> reads;
    te::ReadOp data;
  };

  static std::optional<Weights> findWeights(te::ComputeOp compute, te::LaunchOp launch) {
    std::optional<te::FactorReads> factors = findFactorReads(compute);
    if (!factors)
      return std::nullopt;
    auto isConstant = [&](te::ReadOp read) { return getConstant(read, launch) != nullptr; };
    auto [data, weights] = *factors;
    if (data == weights)
      llvm::erase_if(weights, [&](te::ReadOp read) { return !isConstant(read); });
    if (!llvm::all_of(weights, isConstant))
      std::swap(weights, data);
    auto other = llvm::find_if_not(data, isConstant);
    if (other == data.end() || weights.empty() || !llvm::all_of(weights, isConstant))
      return std::nullopt;
    return Weights{weights, *other};
  }

  /// Returns whether the constant that `read` reads may be packed. If not, emits a remark with the
  /// reason.
  static bool canPack(te::ReadOp read, te::LaunchOp launch) {
    te::ConstantOp constant = getConstant(read, launch);
    StringRef obstacle;
    if (constant.getType().getNumElements() < fewElements)
      obstacle = "it is small";
    else if (!read.getSource().hasOneUse())
      obstacle = "its kernel reads it in more than one way";
    else if (read.getGuard() || !read.getSymbols().empty())
      obstacle = "it is read with a guard or at opaque indexes";
    if (!obstacle.empty())
      remark::missed(constant.getLoc(), getRemarkOptions())
          << remark::reason("{0}", obstacle)
          << remark::metric("Elements", constant.getType().getNumElements());
    return obstacle.empty();
  }

  static remark::RemarkOpts getRemarkOptions() {
    return remark::RemarkOpts::name("packed").category("layout-choose-packing");
  }

  /// If `compute` is a sum of products with a constant factor, returns the parameters to pack, each
  /// with its best storage.
  SmallVector<Packing> choose(te::ComputeOp compute, te::LaunchOp launch) {
    std::optional<Weights> weights = findWeights(compute, launch);
    if (!weights)
      return {};
    llvm::erase_if(weights->reads, [&](te::ReadOp read) { return !canPack(read, launch); });
    SmallVector<Access> accesses = getAccesses(compute);
    for (Access &access : accesses)
      if (llvm::is_contained(weights->reads, access.getRead()))
        access.setPackable();
    TileChoice choice = chooseTile(compute, accesses, machine);
    if (!choice.vectorDim || *choice.vectorDim >= compute.getNumParallel())
      return {};
    SmallVector<Packing> packings;
    for (te::ReadOp read : weights->reads) {
      std::optional<unsigned> blocked = findPlainIndex(read, *choice.vectorDim);
      if (!blocked)
        continue;
      Packing packing;
      packing.parameter = cast<BlockArgument>(read.getSource()).getArgNumber();
      packing.blocked = *blocked;
      packing.block = choice.vectors * choice.lanes;
      packing.order = getInnerOrder(compute, read, weights->data, *blocked);
      packings.push_back(packing);
    }
    return packings;
  }

  /// Returns the order of all dims of the weights except `blocked`: first the parallel dims, then
  /// the reduction dims in descending order of their stride in `data`.
  static SmallVector<int64_t, 6> getInnerOrder(te::ComputeOp compute, te::ReadOp weights,
                                               te::ReadOp data, unsigned blocked) {
    Access access(data, compute.getNumDims());
    SmallVector<std::pair<int64_t, int64_t>> keyed;
    for (int64_t i = 0; i < weights.getSourceType().getRank(); ++i) {
      if (i == blocked)
        continue;
      int64_t stride = std::numeric_limits<int64_t>::max(); // puts parallel dims first
      for (unsigned dim = compute.getNumParallel(); dim < compute.getNumDims(); ++dim)
        if (weights.getMap().getResult(i).isFunctionOfDim(dim))
          stride = std::min(stride, std::abs(access.getStride(dim)));
      keyed.push_back({stride, i});
    }
    llvm::stable_sort(keyed, [](auto a, auto b) { return a.first > b.first; });
    SmallVector<int64_t, 6> order;
    for (auto [stride, dim] : keyed)
      order.push_back(dim);
    return order;
  }

  static std::string describe(ArrayRef<Packing> packings) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    for (const Packing &packing : packings) {
      stream << packing.parameter << ' ' << packing.blocked << '/' << packing.block << ':';
      llvm::interleaveComma(packing.order, stream);
      stream << '|';
    }
    return text;
  }

  ModuleOp module;
  KernelVariants kernels;
  MachineModel machine;
  unsigned numPacked = 0;
};

struct ChoosePacking : layout::impl::ChoosePackingBase<ChoosePacking> {
  void runOnOperation() final {
    PackingChooser chooser(getOperation(), getMachineModel(getOperation()));
    if (failed(chooser.run()))
      signalPassFailure();
    numPacked += chooser.getNumPacked();
  }
};
} // namespace
