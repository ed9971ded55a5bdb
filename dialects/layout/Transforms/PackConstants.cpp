//===- PackConstants.cpp - stores weights in the order of the loops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Analysis/TileModel.h"
#include "dialects/layout/Transforms/KernelRewriter.h"
#include "dialects/layout/Transforms/KernelVariants.h"
#include "dialects/layout/Transforms/PackedConstant.h"
#include "dialects/layout/Transforms/Passes.h"
#include "dialects/te/IR/Contraction.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tssa::layout {
#define GEN_PASS_DEF_PACKCONSTANTS
#include "dialects/layout/Transforms/Passes.h.inc"
} // namespace mlir::tssa::layout

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Constants of fewer elements than this are not packed.
static constexpr int64_t fewElements = 64;

namespace {
/// A parameter and its new storage.
struct PackedParameter {
  unsigned arg;
  Packing packing;
};

class ConstantPacker {
public:
  ConstantPacker(ModuleOp module, const MachineModel &machine)
      : module(module), kernels(module), machine(machine) {}

  unsigned run() {
    SmallVector<te::LaunchOp> launches;
    module.walk([&](te::LaunchOp launch) { launches.push_back(launch); });
    for (te::LaunchOp launch : launches)
      visit(launch);
    kernels.eraseUnused();
    for (te::ConstantOp constant : unpacked)
      if (constant->use_empty())
        constant->erase();
    return packed.size();
  }

private:
  void visit(te::LaunchOp launch) {
    te::KernelOp kernel = kernels.lookup(launch);
    if (!kernel)
      return;
    SmallVector<PackedParameter> parameters;
    for (auto compute : kernel.getBodyBlock().getOps<te::ComputeOp>())
      for (const PackedParameter &parameter : choose(compute, launch))
        if (llvm::none_of(parameters,
                          [&](const PackedParameter &other) { return other.arg == parameter.arg; }))
          parameters.push_back(parameter);
    SmallVector<PackedParameter> done;
    for (const PackedParameter &parameter : parameters) {
      Value constant = getPacked(launch.getInputs()[parameter.arg], parameter.packing);
      if (!constant)
        continue;
      launch.getInputsMutable().slice(parameter.arg, 1).assign(constant);
      done.push_back(parameter);
    }
    if (!done.empty())
      kernels.change(launch, describe(done), [&](te::KernelOp copy) { rewrite(copy, done); });
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
    return remark::RemarkOpts::name("packed").category("layout-pack-constants");
  }

  /// If `compute` is a sum of products with a constant factor, returns the parameters to pack, each
  /// with its best storage.
  SmallVector<PackedParameter> choose(te::ComputeOp compute, te::LaunchOp launch) {
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
    SmallVector<PackedParameter> parameters;
    for (te::ReadOp read : weights->reads) {
      std::optional<unsigned> blocked = findPlainIndex(read, *choice.vectorDim);
      if (!blocked)
        continue;
      Packing packing;
      packing.blocked = *blocked;
      packing.block = choice.vectors * choice.lanes;
      packing.order = getInnerOrder(compute, read, weights->data, *blocked);
      parameters.push_back({cast<BlockArgument>(read.getSource()).getArgNumber(), packing});
    }
    return parameters;
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

  static std::string describe(const Packing &packing) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << packing.blocked << '/' << packing.block << ':';
    llvm::interleaveComma(packing.order, stream);
    return text;
  }

  static std::string describe(ArrayRef<PackedParameter> parameters) {
    std::string text;
    for (const PackedParameter &parameter : parameters)
      text += std::to_string(parameter.arg) + ' ' + describe(parameter.packing) + '|';
    return text;
  }

  Value getPacked(Value value, const Packing &packing) {
    auto constant = value.getDefiningOp<te::ConstantOp>();
    Value &known = packed[{constant, describe(packing)}];
    if (known)
      return known;
    ElementsAttr elements = pack(constant.getValue(), packing);
    if (!elements)
      return {};
    OpBuilder builder(constant);
    known = te::ConstantOp::create(builder, constant.getLoc(),
                                   cast<RankedTensorType>(elements.getType()), elements);
    unpacked.insert(constant);
    remark::passed(constant.getLoc(), getRemarkOptions())
        << remark::metric("Elements", constant.getType().getNumElements())
        << remark::metric("PackedElements", elements.getNumElements())
        << remark::metric("Block", packing.block);
    return known;
  }

  static void rewrite(te::KernelOp kernel, ArrayRef<PackedParameter> parameters) {
    for (const PackedParameter &parameter : parameters) {
      const Packing &packing = parameter.packing;
      auto type = cast<RankedTensorType>(kernel.getArgument(parameter.arg).getType());
      rewriteParameter(kernel, parameter.arg, packing.getType(type),
                       [&](ArrayRef<AffineExpr> exprs) { return packing.getIndex(exprs); });
    }
  }

  ModuleOp module;
  KernelVariants kernels;
  MachineModel machine;
  std::map<std::pair<Operation *, std::string>, Value> packed;
  llvm::SetVector<te::ConstantOp> unpacked;
};

struct PackConstants : layout::impl::PackConstantsBase<PackConstants> {
  using PackConstantsBase::PackConstantsBase;
  void runOnOperation() final {
    numPacked += ConstantPacker(getOperation(), MachineModel{lanes, registers}).run();
  }
};
} // namespace
