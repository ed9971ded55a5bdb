//===- ConvertKernelsToLoops.cpp - the loops stage for CPUs -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AMX.h"
#include "Dot.h"
#include "ThreadScratch.h"
#include "Transposition.h"
#include "WindowLoad.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "dialects/te/IR/Program.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tssa/Conversion/KernelTarget.h"
#include "tssa/Conversion/LaneMask.h"
#include "tssa/Target/CPU.h"
#include "tssa/Target/CPU/Passes.h"

namespace tssa::cpu {
#define GEN_PASS_DEF_CONVERTKERNELSTOLOOPS
#include "tssa/Target/CPU/Passes.h.inc"
} // namespace tssa::cpu

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;

namespace {
/// A target whose kernels are called with a range of iterations. Partial vectors are masked.
/// Elements that are not close together are gathered.
class CPUKernel : public KernelTarget {
public:
  explicit CPUKernel(bool isCompiled) : isCompiled(isCompiled) {}

  ArrayRef<layout::Level> getLevels() const override {
    static constexpr layout::Level levels[] = {layout::Level::Parallel};
    return levels;
  }

  bool masksVectors() const override { return true; }
  bool branchesAroundReads() const override { return false; }

  SmallVector<Type> getFurtherParameters(MLIRContext *context) const override {
    return SmallVector<Type>(2, IndexType::get(context)); // begin, end
  }

  /// for %number = %begin to %end { body }
  void buildIterations(IndexBuilder &index, func::FuncOp func,
                       function_ref<void(Value)> body) override {
    OpBuilder &builder = index.getBuilder();
    auto range = func.getArguments().take_back(2);
    auto loop = scf::ForOp::create(builder, index.getLoc(), range[0], range[1], index.constant(1));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    body(loop.getInductionVar());
  }

  /// Builds the least number of iterations for which one more thread pays off.
  Value buildGrain(IndexBuilder &index, Value count, AffineExpr work) override {
    OpBuilder &builder = index.getBuilder();
    Location loc = index.getLoc();
    Value total = arith::MaxSIOp::create(builder, loc, index.materialize(index.simplify(work)),
                                         index.constant(1));
    Value scaled =
        arith::MulIOp::create(builder, loc, count, index.constant(layout::leastWorkOfThread));
    Value grain = arith::CeilDivUIOp::create(builder, loc, scaled, total);
    return arith::MaxSIOp::create(builder, loc, grain, index.constant(1));
  }

  int64_t getScratchLimit() const override { return layout::threadScratchBytes; }

  Value makeScratch(OpBuilder &builder, Location loc, func::FuncOp func, MemRefType type,
                    Value size) override {
    return scratch.allocate(builder, loc, func, type, size);
  }
  bool makesOpenScratch() const override { return true; }

  void buildFailure(IndexBuilder &index, Value errors) override {
    OpBuilder &builder = index.getBuilder();
    Value one = arith::ConstantOp::create(builder, index.getLoc(), builder.getI32IntegerAttr(1));
    memref::StoreOp::create(builder, index.getLoc(), one, errors, ValueRange{index.constant(0)});
  }

  Value buildLoad(IndexBuilder &index, const LaneAccess &access, Value mask, Value pad) override {
    OpBuilder &builder = index.getBuilder();
    Location loc = index.getLoc();
    AffineExpr first = index.getFirstOfRun(access.address, access.laneDim);
    if (first && !mask)
      return vector::LoadOp::create(builder, loc, access.type, access.memref,
                                    ValueRange{index.materialize(first)});
    // A masked load of one lane would become an insertion into a register, and would have to wait
    // for the unrelated value that this register holds.
    if (first && hasOneLane(index, mask, access.getLanes())) {
      Value lane =
          memref::LoadOp::create(builder, loc, access.memref, ValueRange{index.materialize(first)});
      return vector::InsertOp::create(builder, loc, lane, pad, ArrayRef<int64_t>{0});
    }
    if (first) {
      Value offset = index.clampOffset(index.materialize(first), access.touched);
      return vector::MaskedLoadOp::create(builder, loc, access.type, access.memref,
                                          ValueRange{offset}, mask, pad);
    }
    if (Value near = ::tssa::cpu::buildWindowLoad(index, access, mask, pad))
      return near;
    return buildGather(index, access, mask, pad);
  }

  void buildStore(IndexBuilder &index, const LaneAccess &access, Value mask, Value value) override {
    OpBuilder &builder = index.getBuilder();
    Location loc = index.getLoc();
    AffineExpr first = index.getFirstOfRun(access.address, access.laneDim);
    if (!first) {
      Value offsets = index.materializeLanes(access.address, access.laneDim, access.getLanes());
      vector::ScatterOp::create(builder, loc, /*resultType=*/Type(), access.memref,
                                ValueRange{index.constant(0)}, offsets,
                                mask ? mask : makeFullMask(index, access), value);
    } else if (mask) {
      vector::MaskedStoreOp::create(builder, loc, access.memref,
                                    ValueRange{index.materialize(first)}, mask, value);
    } else {
      vector::StoreOp::create(builder, loc, value, access.memref,
                              ValueRange{index.materialize(first)});
    }
  }

  bool isBuiltWithOthers(IndexBuilder &index, const LaneAccess &access, Value mask) override {
    return ::tssa::cpu::isTransposable(index, access, mask);
  }

  SmallVector<Value> buildLoads(IndexBuilder &index, ArrayRef<LaneLoad> loads) override {
    return ::tssa::cpu::buildTransposedLoads(index, loads);
  }

  void buildStores(IndexBuilder &index, ArrayRef<LaneStore> stores) override {
    KernelTarget::buildStores(index, ::tssa::cpu::buildTransposedStores(index, stores));
  }

  bool hasDots() const override { return true; }
  MatrixRegisters *getMatrices() override { return &matrices; }

  Value buildDot(IndexBuilder &index, const layout::Atom &atom, Value sums, Value lhs,
                 Value rhs) override {
    return ::tssa::cpu::buildDot(index.getBuilder(), index.getLoc(), atom, sums, lhs, rhs);
  }

  // Smaller tensors stay in the cache of a core.
  int64_t getLeastPrefetched() const override { return 1 << 20; }

  void buildPrefetch(IndexBuilder &index, Value memref, AffineExpr address) override {
    memref::PrefetchOp::create(index.getBuilder(), index.getLoc(), memref,
                               ValueRange{index.materialize(address)}, /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
  }

  LogicalResult finish(func::FuncOp func) override {
    // Kernels are never inlined: one function with all kernels would take long to compile.
    scratch.finish(func);
    func->setAttr("passthrough", Builder(func).getStrArrayAttr({"noinline"}));
    if (isCompiled) {
      func.eraseBody();
      func.setPrivate();
    }
    return success();
  }

private:
  bool isCompiled;
  ::tssa::cpu::ThreadScratch scratch;
  ::tssa::cpu::AMXRegisters matrices;

  static Value buildGather(IndexBuilder &index, const LaneAccess &access, Value mask, Value pad) {
    OpBuilder &builder = index.getBuilder();
    Location loc = index.getLoc();
    Value offsets = index.materializeLanes(access.address, access.laneDim, access.getLanes());
    auto gather = [&](Value offsets, Value mask, Value pad) -> Value {
      return vector::GatherOp::create(builder, loc, access.type, access.memref,
                                      ValueRange{index.constant(0)}, offsets, mask, pad);
    };
    Value zeros = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(access.type));
    if (!mask)
      return gather(offsets, makeFullMask(index, access), zeros);
    std::optional<LaneMask> known = LaneMask::read(index, mask, access.getLanes());
    if (!known || !known->isPrefix())
      return gather(offsets, mask, pad);
    // A masked gather becomes one branch per lane. A mask at the end of a domain keeps at least the
    // first lane. So the lanes that are masked off read the element of the first lane, and the
    // gather needs no mask.
    Value first = vector::ExtractOp::create(builder, loc, offsets, ArrayRef<int64_t>{0});
    first = vector::BroadcastOp::create(builder, loc, offsets.getType(), first);
    offsets = arith::SelectOp::create(builder, loc, mask, offsets, first);
    return arith::SelectOp::create(builder, loc, mask,
                                   gather(offsets, makeFullMask(index, access), zeros), pad);
  }

  static bool hasOneLane(IndexBuilder &index, Value mask, int64_t lanes) {
    std::optional<LaneMask> known = LaneMask::read(index, mask, lanes);
    return known && known->isKnown() && known->count == 1;
  }

  static Value makeFullMask(IndexBuilder &index, const LaneAccess &access) {
    OpBuilder &builder = index.getBuilder();
    auto type = VectorType::get(access.getLanes(), builder.getI1Type());
    return arith::ConstantOp::create(builder, index.getLoc(),
                                     cast<TypedAttr>(builder.getOneAttr(type)));
  }
};

struct ConvertKernelsToLoops : ::tssa::cpu::impl::ConvertKernelsToLoopsBase<ConvertKernelsToLoops> {
  void runOnOperation() final {
    OpBuilder builder(&getContext());
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<te::KernelOp>())) {
      CPUKernel target(te::isCompiled(kernel));
      if (failed(lowerKernel(builder, kernel, target)))
        return signalPassFailure();
      kernel.erase();
    }
  }
};
} // namespace

namespace tssa::cpu {

void buildLoopsStage(OpPassManager &manager) {
  manager.addPass(createConvertKernelsToLoops());
  OpPassManager &functions = manager.nest<func::FuncOp>();
  // Without the first one, canonicalization takes twenty times as long.
  functions.addPass(createCSEPass());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  functions.addPass(createLoopInvariantCodeMotionPass());
}

} // namespace tssa::cpu
