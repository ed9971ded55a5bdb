//===- VerifyFaults.cpp - faults that verification must find --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Pipeline/VerifyFaults.h"
#include "dialects/te/IR/Program.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
namespace te = mlir::tssa::te;
namespace pipeline = ::tssa;

/// Calls `change` on the ops of type `OpT` until it succeeds. Returns whether it did.
template <typename OpT>
static bool changeFirst(Operation *root, llvm::function_ref<bool(OpT)> change) {
  auto visit = [&](OpT op) { return change(op) ? WalkResult::interrupt() : WalkResult::advance(); };
  return root->walk(visit).wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Tensor expressions
//===----------------------------------------------------------------------===//

/// A read traverses one dim backwards.
static bool wrongMap(ModuleOp module) {
  return changeFirst<te::ReadOp>(module, [](te::ReadOp read) {
    AffineMap map = read.getMap();
    for (unsigned i = 0; i < map.getNumResults(); ++i) {
      int64_t size = read.getSourceType().getDimSize(i);
      if (!isa<AffineDimExpr>(map.getResult(i)) || ShapedType::isDynamic(size) || size < 2)
        continue;
      SmallVector<AffineExpr> results(map.getResults());
      results[i] = size - 1 - results[i];
      read.setMap(
          AffineMap::get(map.getNumDims(), map.getNumSymbols(), results, read.getContext()));
      return true;
    }
    return false;
  });
}

/// A padded read loses its guard.
static bool droppedGuard(ModuleOp module) {
  return changeFirst<te::ReadOp>(module, [](te::ReadOp read) {
    if (!read.getGuard())
      return false;
    read.removeGuardAttr();
    read.removePadAttr();
    return true;
  });
}

/// A sum becomes a maximum.
static bool swappedCombiner(ModuleOp module) {
  return changeFirst<te::ComputeOp>(module, [](te::ComputeOp op) {
    if (op.getCombiner().empty())
      return false;
    return changeFirst<arith::AddFOp>(op, [&](arith::AddFOp add) {
      if (add->getParentRegion() != &op.getCombiner())
        return false;
      OpBuilder builder(add);
      Value other = arith::MaximumFOp::create(builder, add.getLoc(), add.getLhs(), add.getRhs());
      add.replaceAllUsesWith(other);
      add.erase();
      return true;
    });
  });
}

/// A padded read pads with another number.
static bool wrongPad(ModuleOp module) {
  return changeFirst<te::ReadOp>(module, [](te::ReadOp read) {
    auto pad = dyn_cast_or_null<FloatAttr>(read.getPadAttr());
    if (!pad)
      return false;
    read.setPadAttr(FloatAttr::get(pad.getType(), pad.getValueAsDouble() == 7 ? 3 : 7));
    return true;
  });
}

/// The last piece of a partition is empty.
static bool missingPiece(ModuleOp module) {
  return changeFirst<te::ComputeOp>(module, [](te::ComputeOp op) {
    if (op.getPieces().size() < 2)
      return false;
    SmallVector<Attribute> sets(op.getWhereAttr().getValue());
    sets.back() = IntegerSetAttr::get(
        IntegerSet::getEmptySet(op.getNumParallel(), op.getSymbols().size(), op.getContext()));
    op.setWhereAttr(ArrayAttr::get(op.getContext(), sets));
    return true;
  });
}

/// A sum starts from a wrong value.
static bool wrongInit(ModuleOp module) {
  return changeFirst<te::ComputeOp>(module, [](te::ComputeOp op) {
    if (!op.getInitAttr())
      return false;
    auto init = dyn_cast<FloatAttr>(op.getInitAttr()[0]);
    if (!init || !init.getValue().isZero())
      return false;
    SmallVector<Attribute> values(op.getInitAttr().getValue());
    values[0] = FloatAttr::get(init.getType(), 2);
    op.setInitAttr(ArrayAttr::get(op.getContext(), values));
    return true;
  });
}

/// An epilogue yields its arguments.
static bool lostEpilogue(ModuleOp module) {
  return changeFirst<te::ComputeOp>(module, [](te::ComputeOp op) {
    if (!op.hasEpilogue())
      return false;
    Block &block = op.getEpilogue().front();
    if (block.getTerminator()->getOperandTypes() != block.getArgumentTypes())
      return false;
    block.getTerminator()->setOperands(block.getArguments());
    return true;
  });
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static bool isInArena(Value memref) {
  auto view = memref.getDefiningOp<memref::ViewOp>();
  auto base = view ? dyn_cast<BlockArgument>(view.getSource()) : BlockArgument();
  if (!base)
    return false;
  auto function = dyn_cast<func::FuncOp>(base.getOwner()->getParentOp());
  return function && te::isArena(function, base.getArgNumber());
}

/// A kernel writes a result to the buffer from which it reads.
static bool sharedTooEarly(ModuleOp module) {
  return changeFirst<te::LaunchOp>(module, [](te::LaunchOp launch) {
    for (Value input : launch.getInputs())
      for (Value out : launch.getOuts()) {
        if (!isInArena(input) || !isInArena(out) || input == out)
          continue;
        auto from = input.getDefiningOp<memref::ViewOp>();
        auto to = out.getDefiningOp<memref::ViewOp>();
        to.getByteShiftMutable().assign(from.getByteShift());
        return true;
      }
    return false;
  });
}

/// The plan requests less memory than the program uses.
static bool smallArena(ModuleOp module) {
  auto plan = module.lookupSymbol<func::FuncOp>("plan");
  if (!plan)
    return false;
  Operation *terminator = plan.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  terminator->setOperand(0, arith::ConstantIndexOp::create(builder, plan.getLoc(), 0));
  return true;
}

/// Two launches run in the wrong order.
static bool swappedLaunches(ModuleOp module) {
  return changeFirst<te::LaunchOp>(module, [](te::LaunchOp first) {
    for (Operation *op = first->getNextNode(); op; op = op->getNextNode()) {
      auto second = dyn_cast<te::LaunchOp>(op);
      if (!second || !llvm::is_contained(second.getInputs(), first.getOuts().front()))
        continue;
      first->moveAfter(second);
      return true;
    }
    return false;
  });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The first of the outermost loops is one iteration short: a tail of the schedule is not computed.
/// Inner ones may be of a branch that is never taken.
static bool shortLoop(ModuleOp module) {
  return changeFirst<func::FuncOp>(module, [](func::FuncOp function) {
    if (function.getSymName() == "main" || function.getSymName() == "plan")
      return false;
    auto shorten = [](scf::ForOp loop) {
      OpBuilder builder(loop);
      Value one = arith::ConstantIndexOp::create(builder, loop.getLoc(), 1);
      Value upper = arith::SubIOp::create(builder, loop.getLoc(), loop.getUpperBound(), one);
      loop.setUpperBound(upper);
      return WalkResult::interrupt();
    };
    return function.walk<WalkOrder::PreOrder>(shorten).wasInterrupted();
  });
}

template <typename OpT> static void replaceBySum(OpT op, Value lhs, Value rhs) {
  OpBuilder builder(op);
  op.replaceAllUsesWith(arith::AddFOp::create(builder, op.getLoc(), lhs, rhs).getResult());
  op.erase();
}

/// The products of a kernel become sums.
static bool wrongProduct(ModuleOp module) {
  return changeFirst<func::FuncOp>(module, [](func::FuncOp function) {
    bool changed = false;
    function.walk([&](Operation *op) {
      changed |= isa<vector::FMAOp, math::FmaOp, arith::MulFOp>(op);
      if (auto fma = dyn_cast<vector::FMAOp>(op))
        replaceBySum(fma, fma.getLhs(), fma.getRhs());
      else if (auto scalarFma = dyn_cast<math::FmaOp>(op))
        replaceBySum(scalarFma, scalarFma.getA(), scalarFma.getB());
      else if (auto product = dyn_cast<arith::MulFOp>(op))
        replaceBySum(product, product.getLhs(), product.getRhs());
    });
    return changed;
  });
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static constexpr pipeline::Fault faults[] = {
    {"wrong-map", "te", wrongMap},
    {"dropped-guard", "te", droppedGuard},
    {"swapped-combiner", "te", swappedCombiner},
    {"wrong-pad", "te", wrongPad},
    {"missing-piece", "te", missingPiece},
    {"wrong-init", "layout", wrongInit},
    {"lost-epilogue", "layout", lostEpilogue},
    {"shared-too-early", "buffers", sharedTooEarly},
    {"small-arena", "buffers", smallArena},
    {"swapped-launches", "buffers", swappedLaunches},
    {"short-loop", "loops", shortLoop},
    {"wrong-product", "loops", wrongProduct},
};

const pipeline::Fault *pipeline::lookupFault(StringRef name) {
  for (const Fault &fault : faults)
    if (fault.name == name)
      return &fault;
  return nullptr;
}
