//===- PlaceJoins.cpp - compute tensors where they are joined -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Analysis/Schedule.h"
#include "dialects/layout/Transforms/KernelVariants.h"
#include "dialects/layout/Transforms/Passes.h"
#include "dialects/te/Analysis/Join.h"
#include "dialects/te/Analysis/JoinPlaces.h"
#include "dialects/te/IR/Program.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tssa::layout {
#define GEN_PASS_DEF_PLACEJOINS
#include "dialects/layout/Transforms/Passes.h.inc"
} // namespace mlir::tssa::layout

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

static remark::RemarkOpts getRemarkOptions() {
  return remark::RemarkOpts::name("join").category("layout-place-joins");
}

/// Returns whether the schedule of `compute` fuses loops of which one moves along the dims of a
/// tensor before `axis`, and one along the others. `map` gives the indexes of the tensor.
static bool fusesAcross(te::ComputeOp compute, AffineMap map, unsigned axis) {
  std::optional<Schedule> schedule = findSchedule(compute);
  if (!schedule)
    return false;
  SmallVector<OpFoldResult> domain = compute.getIterationDomain();
  return llvm::any_of(schedule->order, [&](unsigned loop) {
    bool before = false, behind = false;
    for (unsigned dim : schedule->loops[loop].dims)
      for (auto [position, expr] : llvm::enumerate(map.getResults()))
        if (te::getConstantSize(domain[dim]) != 1 && expr.isFunctionOfDim(dim))
          (position < axis ? before : behind) = true;
    return before && behind;
  });
}

static bool fusesResult(te::KernelOp kernel, unsigned result, unsigned axis) {
  Value value = kernel.getBodyBlock().getTerminator()->getOperand(result);
  auto compute = value.getDefiningOp<te::ComputeOp>();
  return compute && fusesAcross(compute,
                                AffineMap::getMultiDimIdentityMap(compute.getNumParallel(),
                                                                  kernel.getContext()),
                                axis);
}

static bool fusesReads(te::KernelOp kernel, unsigned parameter, unsigned axis) {
  return llvm::any_of(kernel.getArgument(parameter).getUsers(), [&](Operation *user) {
    auto read = dyn_cast<te::ReadOp>(user);
    auto compute = read ? dyn_cast<te::ComputeOp>(read->getParentOp()) : te::ComputeOp();
    return compute && fusesAcross(compute, read.getMap(), axis);
  });
}

namespace {
struct PlaceJoins : layout::impl::PlaceJoinsBase<PlaceJoins> {
  void runOnOperation() final {
    ModuleOp module = getOperation();
    if (te::hasSeparateBuffers(module)) // where no two tensors share memory
      return;
    KernelVariants kernels(module);
    for (auto function : module.getOps<func::FuncOp>())
      place(function, kernels);
    kernels.eraseUnused();
  }

private:
  void place(func::FuncOp function, KernelVariants &kernels) {
    SmallVector<te::TensorJoin> joins;
    function.walk([&](te::LaunchOp launch) {
      if (std::optional<te::TensorJoin> join = matchJoin(launch, kernels))
        joins.push_back(std::move(*join));
    });
    joins = te::sortJoins(joins);
    auto lookup = [&](te::LaunchOp launch) { return kernels.lookup(launch); };
    te::JoinPlaces places;
    auto isPlaced = [&](const te::TensorJoin &join) {
      StringRef obstacle = findScheduleObstacle(join, kernels);
      if (obstacle.empty())
        obstacle = places.add(join, lookup);
      explain(join, obstacle);
      return obstacle.empty();
    };
    llvm::erase_if(joins, [&](const te::TensorJoin &join) { return !isPlaced(join); });
    if (joins.empty())
      return;
    for (const te::TensorJoin &join : joins)
      replaceLaunch(join.result.getDefiningOp<te::LaunchOp>(), kernels);
    numPlaced += joins.size();
    // The places are the same, but the tensors that were results of launches are other values now.
    FailureOr<te::JoinPlaces> placesOfJoins = te::JoinPlaces::get(function, lookup);
    if (failed(placesOfJoins))
      return signalPassFailure();
    setWindows(function, *placesOfJoins, kernels);
  }

  static void explain(const te::TensorJoin &join, StringRef obstacle) {
    if (obstacle.empty())
      remark::passed(join.result.getLoc(), getRemarkOptions())
          << remark::add("its parts are computed where they are joined")
          << remark::metric("Parts", join.parts.size());
    else
      remark::missed(join.result.getLoc(), getRemarkOptions())
          << remark::add("a launch copies the parts of a concatenation")
          << remark::reason("{0}", obstacle) << remark::metric("Parts", join.parts.size());
  }

  /// A schedule that exists, such as that of a record, was chosen for tensors without windows: it
  /// may fuse loops whose iterations are no longer contiguous. Returns whether this is the case, as
  /// a reason.
  static StringRef findScheduleObstacle(const te::TensorJoin &join, KernelVariants &kernels) {
    for (Value part : join.parts) {
      if (auto launch = part.getDefiningOp<te::LaunchOp>())
        if (te::KernelOp kernel = kernels.lookup(launch);
            kernel && fusesResult(kernel, cast<OpResult>(part).getResultNumber(), join.axis))
          return "the schedule of a kernel fuses loops across the axis";
      for (OpOperand &use : part.getUses())
        if (auto launch = dyn_cast<te::LaunchOp>(use.getOwner()))
          if (te::KernelOp kernel = kernels.lookup(launch);
              kernel && fusesReads(kernel, use.getOperandNumber(), join.axis))
            return "the schedule of a kernel fuses loops across the axis";
    }
    return "";
  }

  static std::optional<te::TensorJoin> matchJoin(te::LaunchOp launch, KernelVariants &kernels) {
    te::KernelOp kernel = kernels.lookup(launch);
    std::optional<te::Join> join = kernel ? te::matchJoin(kernel) : std::nullopt;
    if (!join)
      return std::nullopt;
    SmallVector<Value> parts;
    for (Value part : join->parts)
      parts.push_back(launch.getInputs()[cast<BlockArgument>(part).getArgNumber()]);
    return te::TensorJoin{launch.getResult(0), std::move(parts), join->axis};
  }

  static void replaceLaunch(te::LaunchOp launch, KernelVariants &kernels) {
    te::TensorJoin join =
        *matchJoin(launch, kernels); // its parts may be results of te.joins by now
    OpBuilder builder(launch);
    auto op = te::JoinOp::create(builder, launch.getLoc(), join.result.getType(), join.parts,
                                 builder.getI64IntegerAttr(join.axis));
    launch.getResult(0).replaceAllUsesWith(op.getResult());
    kernels.release(launch);
  }

  /// Gives the kernels of all launches the windows of their operands and results.
  static void setWindows(func::FuncOp function, const te::JoinPlaces &places,
                         KernelVariants &kernels) {
    function.walk([&](te::LaunchOp launch) {
      std::string change;
      llvm::raw_string_ostream stream(change);
      SmallVector<te::WindowAttr> inputs, results;
      auto collect = [&](ValueRange values, SmallVector<te::WindowAttr> &windows) {
        for (Value value : values) {
          windows.push_back(places.getWindow(value));
          stream << windows.back() << ' ';
        }
      };
      collect(launch.getInputs(), inputs);
      collect(launch.getResults(), results);
      auto isWindow = [](te::WindowAttr window) { return bool(window); };
      if (!llvm::any_of(inputs, isWindow) && !llvm::any_of(results, isWindow))
        return;
      kernels.change(launch, change, [&](te::KernelOp kernel) {
        for (auto [i, window] : llvm::enumerate(inputs))
          if (window)
            kernel.setArgumentWindow(i, window);
        for (auto [i, window] : llvm::enumerate(results))
          if (window)
            kernel.setResultWindow(i, window);
      });
    });
  }
};
} // namespace
