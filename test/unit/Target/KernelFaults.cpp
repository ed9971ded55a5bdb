//===- KernelFaults.cpp - faults that the emulator must find --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFaults.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tssa {

static Value getAddress(Operation *op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return load.getAddr();
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return store.getAddr();
  return {};
}

static bool isShared(Value pointer) {
  return pointer && cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == 3;
}

/// Whether `pointer` refers to memory of one thread, in which no faults are made.
static bool isPrivate(Value pointer) {
  while (auto gep = pointer.getDefiningOp<LLVM::GEPOp>())
    pointer = gep.getBase();
  return pointer.getDefiningOp<LLVM::AllocaOp>();
}

static Value makeConstant(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value));
}

/// Moves `op` into a branch that only the first 16 threads of a block take.
static void makeDivergent(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Value thread = NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type());
  Value first = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, thread,
                                     makeConstant(builder, loc, 16));
  Block *before = op->getBlock(), *inside = before->splitBlock(op);
  Block *after = inside->splitBlock(op->getNextNode());
  builder.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(builder, loc, first, inside, after);
  builder.setInsertionPointToEnd(inside);
  LLVM::BrOp::create(builder, loc, after);
}

/// Moves the address of an access by `bytes`.
static void moveAddress(Operation *op, int32_t bytes) {
  OpBuilder builder(op);
  OpOperand &address = op->getOpOperand(isa<LLVM::StoreOp>(op) ? 1 : 0);
  address.set(LLVM::GEPOp::create(builder, op->getLoc(), address.get().getType(),
                                  builder.getI8Type(), address.get(),
                                  ArrayRef<LLVM::GEPArg>{bytes}));
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

static bool missingBarrier(Operation *op) {
  if (!isa<NVVM::Barrier0Op, NVVM::BarrierOp>(op))
    return false;
  op->erase();
  return true;
}

static bool divergentBarrier(Operation *op) {
  if (!isa<NVVM::Barrier0Op, NVVM::BarrierOp>(op))
    return false;
  makeDivergent(op);
  return true;
}

/// Two neighbouring threads have the same number.
static bool twoLanesOneAddress(Operation *op) {
  if (!isa<NVVM::ThreadIdXOp>(op))
    return false;
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  auto even = LLVM::AndOp::create(builder, op->getLoc(), op->getResult(0),
                                  makeConstant(builder, op->getLoc(), ~1));
  op->getResult(0).replaceAllUsesExcept(even, even);
  return true;
}

/// The numbers of threads start with one.
static bool wrongLaneMap(Operation *op) {
  if (!isa<NVVM::ThreadIdXOp>(op))
    return false;
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  auto next = LLVM::AddOp::create(builder, op->getLoc(), op->getResult(0),
                                  makeConstant(builder, op->getLoc(), 1));
  op->getResult(0).replaceAllUsesExcept(next, next);
  return true;
}

/// All blocks have the number of the first one.
static bool wrongBlockMap(Operation *op) {
  if (!isa<NVVM::BlockIdXOp>(op))
    return false;
  OpBuilder builder(op);
  op->getResult(0).replaceAllUsesWith(makeConstant(builder, op->getLoc(), 0));
  return true;
}

/// An access to device memory is off by one element.
static bool offByOne(Operation *op) {
  Value address = getAddress(op);
  if (!address || isShared(address) || isPrivate(address))
    return false;
  Type type = isa<LLVM::LoadOp>(op) ? op->getResult(0).getType() : op->getOperand(0).getType();
  auto vector = dyn_cast<VectorType>(type);
  Type element = vector ? vector.getElementType() : type;
  if (!element.isIntOrFloat())
    return false;
  int64_t bytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  moveAddress(op, bytes * (vector ? vector.getNumElements() : 1));
  return true;
}

/// The address of a vector is not a multiple of its size.
static bool misalignedVector(Operation *op) {
  Value address = getAddress(op);
  if (!address || isPrivate(address))
    return false;
  Type type = isa<LLVM::LoadOp>(op) ? op->getResult(0).getType() : op->getOperand(0).getType();
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return false;
  moveAddress(op, -int32_t(vector.getElementTypeBitWidth() / 8));
  return true;
}

/// A store that fills shared memory is missing.
static bool unwrittenShared(Operation *op) {
  if (!isa<LLVM::StoreOp>(op) || !isShared(getAddress(op)))
    return false;
  op->erase();
  return true;
}

/// A store to shared memory goes to an address far out of bounds.
static bool wrongSharedOffset(Operation *op) {
  if (!isa<LLVM::StoreOp>(op) || !isShared(getAddress(op)))
    return false;
  moveAddress(op, 1 << 20);
  return true;
}

static bool missingAtomic(Operation *op) {
  auto update = dyn_cast<LLVM::AtomicRMWOp>(op);
  if (!update)
    return false;
  OpBuilder builder(op);
  auto old = LLVM::LoadOp::create(builder, op->getLoc(), update.getType(), update.getPtr());
  LLVM::StoreOp::create(builder, op->getLoc(), update.getVal(), update.getPtr());
  update.replaceAllUsesWith(old.getResult());
  op->erase();
  return true;
}

/// A shuffle names only half of the lanes that take part.
static bool wrongShuffleMask(Operation *op) {
  auto shuffle = dyn_cast<NVVM::ShflOp>(op);
  if (!shuffle)
    return false;
  OpBuilder builder(op);
  shuffle.getThreadMaskMutable().assign(makeConstant(builder, op->getLoc(), 0xFFFF));
  return true;
}

/// Every second lane has ended before the others shuffle.
static bool absentLanes(Operation *op) {
  auto shuffle = dyn_cast<NVVM::ShflOp>(op);
  if (!shuffle)
    return false;
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Value thread = NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type());
  Value bit = LLVM::TruncOp::create(builder, loc, builder.getI1Type(), thread);
  Block *before = op->getBlock(), *after = before->splitBlock(op);
  Block *end = builder.createBlock(before->getParent(), before->getParent()->end());
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  builder.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(builder, loc, bit, end, after);
  return true;
}

/// A wait leaves one group of copies more in flight.
static bool shortWait(Operation *op) {
  auto wait = dyn_cast<NVVM::CpAsyncWaitGroupOp>(op);
  if (!wait)
    return false;
  wait.setN(wait.getN() + 1);
  return true;
}

static bool missingWait(Operation *op) {
  if (!isa<NVVM::CpAsyncWaitGroupOp>(op))
    return false;
  op->erase();
  return true;
}

static bool missingCommit(Operation *op) {
  if (!isa<NVVM::CpAsyncCommitGroupOp>(op))
    return false;
  op->erase();
  return true;
}

/// Matrices are transposed when they must not be, or not when they must.
static bool wrongTransposition(Operation *op) {
  auto load = dyn_cast<NVVM::LdMatrixOp>(op);
  if (!load)
    return false;
  load.setLayout(load.getLayout() == NVVM::MMALayout::row ? NVVM::MMALayout::col
                                                          : NVVM::MMALayout::row);
  return true;
}

/// A loop runs one iteration too many, or another comparison with a bound is off by one.
static bool oneRoundMore(Operation *op) {
  auto compare = dyn_cast<LLVM::ICmpOp>(op);
  if (!compare)
    return false;
  if (compare.getPredicate() == LLVM::ICmpPredicate::slt)
    compare.setPredicate(LLVM::ICmpPredicate::sle);
  else if (compare.getPredicate() == LLVM::ICmpPredicate::ult)
    compare.setPredicate(LLVM::ICmpPredicate::ule);
  else
    return false;
  return true;
}

ArrayRef<KernelFault> getKernelFaults() {
  static const KernelFault faults[] = {
      {"missing-barrier", missingBarrier},
      {"divergent-barrier", divergentBarrier},
      {"two-lanes-one-address", twoLanesOneAddress},
      {"wrong-lane-map", wrongLaneMap},
      {"wrong-block-map", wrongBlockMap},
      {"off-by-one", offByOne},
      {"misaligned-vector", misalignedVector},
      {"unwritten-shared", unwrittenShared},
      {"wrong-shared-offset", wrongSharedOffset},
      {"missing-atomic", missingAtomic},
      {"wrong-shuffle-mask", wrongShuffleMask},
      {"absent-lanes", absentLanes},
      {"short-wait", shortWait},
      {"missing-wait", missingWait},
      {"missing-commit", missingCommit},
      {"wrong-transposition", wrongTransposition},
      {"one-round-more", oneRoundMore},
  };
  return faults;
}

Operation *findFaultOp(LLVM::LLVMFuncOp kernel, const KernelFault &fault, unsigned index) {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) { ops.push_back(op); });
  for (size_t i = 0; i < ops.size(); ++i) {
    // The fault is tried on a copy, so that the kernel stays as it is.
    OwningOpRef<LLVM::LLVMFuncOp> copy = kernel.clone();
    SmallVector<Operation *> copies;
    copy->walk([&](Operation *op) { copies.push_back(op); });
    if (ops[i] != kernel && fault.apply(copies[i]) && index-- == 0)
      return ops[i];
  }
  return nullptr;
}

void putTrap(Operation *op) {
  OpBuilder builder(op);
  LLVM::Trap::create(builder, op->getLoc());
}

} // namespace tssa
