//===- EmulateOps.cpp - ops of devices as calls of the emulator -----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulate.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tssa::cuda {

KernelEmulation::KernelEmulation(LLVM::LLVMFuncOp kernel, ValueRange values, EmulationSites &sites)
    : kernel(kernel), sites(sites), builder(kernel.getContext()),
      layout(DataLayout::closest(kernel)) {
  for (auto [i, value] : llvm::enumerate(values))
    parameters[value] = static_cast<int32_t>(i);
}

LogicalResult KernelEmulation::run() {
  SmallVector<Operation *> ops;
  Block &entry = kernel.getBody().front();
  kernel.walk([&](Operation *op) { ops.push_back(op); });
  // The ops that load the parameters access memory of the emulator, so they are not rewritten.
  Operation *lastOfParameters = nullptr;
  for (auto [value, index] : parameters)
    if (!lastOfParameters || lastOfParameters->isBeforeInBlock(value.getDefiningOp()))
      lastOfParameters = value.getDefiningOp();
  for (Operation *op : ops) {
    bool loadsParameters =
        lastOfParameters && op->getBlock() == &entry && !lastOfParameters->isBeforeInBlock(op);
    if (op == kernel || loadsParameters)
      continue;
    builder.setInsertionPoint(op);
    if (failed(rewrite(op)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

int32_t KernelEmulation::addSite(Operation *op, tssa_emulator_operation operation) {
  return sites.add(op->getLoc(), {operation, TSSA_EMU_ANYWHERE, -1, 0, 1, 1, 0});
}

Value KernelEmulation::getConstant(Location loc, Type type, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value));
}

Value KernelEmulation::loadField(Location loc, Type type, size_t offset) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value emulator = kernel.getBody().front().getArgument(0);
  Value field = LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), emulator,
                                    ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  auto load = LLVM::LoadOp::create(builder, loc, type, field);
  load.setInvariantAttr(builder.getUnitAttr());
  return load;
}

Value KernelEmulation::call(Location loc, size_t offset, Type result, ValueRange operands,
                            int32_t site) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  SmallVector<Value> values{loadField(loc, pointer, offset)};
  values.push_back(kernel.getBody().front().getArgument(0));
  values.append(operands.begin(), operands.end());
  values.push_back(getConstant(loc, builder.getI32Type(), site));
  SmallVector<Type> types(ValueRange(values).drop_front().getTypes());
  auto type = LLVM::LLVMFunctionType::get(
      result ? result : Type(LLVM::LLVMVoidType::get(builder.getContext())), types);
  auto op = LLVM::CallOp::create(builder, loc, type, values);
  return result ? op.getResult() : Value();
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

/// `extract` reads a pointer from a memref descriptor. Returns the pointer that was inserted there,
/// or null if it is not known.
static Value findInserted(LLVM::ExtractValueOp extract) {
  Value aggregate = extract.getContainer();
  while (auto insert = aggregate.getDefiningOp<LLVM::InsertValueOp>()) {
    if (insert.getPosition() == extract.getPosition())
      return insert.getValue();
    aggregate = insert.getContainer();
  }
  return {};
}

static unsigned getSpace(Value pointer) {
  return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace();
}

KernelEmulation::Origin KernelEmulation::findOrigin(Value pointer) const {
  Origin origin;
  while (pointer) {
    if (getSpace(pointer) == unsigned(NVVM::NVVMMemorySpace::Shared))
      return {Origin::Shared};
    if (getSpace(pointer) == unsigned(NVVM::NVVMMemorySpace::Local))
      return {Origin::Private};
    if (getSpace(pointer) == unsigned(NVVM::NVVMMemorySpace::Constant))
      return {Origin::Constant};
    if (getSpace(pointer) == unsigned(NVVM::NVVMMemorySpace::Global))
      origin.kind = Origin::Global;
    auto parameter = parameters.find(pointer);
    if (parameter != parameters.end())
      return {Origin::Global, parameter->second};
    Operation *op = pointer.getDefiningOp();
    if (isa_and_nonnull<LLVM::AllocaOp>(op))
      return {Origin::Private};
    if (isa_and_nonnull<LLVM::AddressOfOp>(op))
      return {Origin::Constant};
    if (auto extract = dyn_cast_or_null<LLVM::ExtractValueOp>(op))
      pointer = findInserted(extract);
    else if (isa_and_nonnull<LLVM::GEPOp, LLVM::AddrSpaceCastOp, LLVM::BitcastOp, LLVM::FreezeOp>(
                 op))
      pointer = op->getOperand(0);
    else
      return origin;
  }
  return origin;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static tssa_emulator_space toSpace(bool isShared, bool isGlobal) {
  return isShared ? TSSA_EMU_SHARED : isGlobal ? TSSA_EMU_GLOBAL : TSSA_EMU_ANYWHERE;
}

/// Inserts a check before an access of a value of `type`, unless no other thread sees the memory.
LogicalResult KernelEmulation::checkAccess(Operation *op, Value address, Type type,
                                           std::optional<uint64_t> alignment,
                                           tssa_emulator_operation operation) {
  Origin origin = findOrigin(address);
  if (origin.kind == Origin::Private)
    return success();
  if (origin.kind == Origin::Constant && operation == TSSA_EMU_LOAD)
    return success();
  Type element = getElementTypeOrSelf(type);
  if (!isa<FloatType, IntegerType, LLVM::LLVMPointerType>(element) ||
      (isa<VectorType>(type) && layout.getTypeSizeInBits(element) % 8 != 0))
    return op->emitError("an access of ") << type << " has no emulation";
  tssa_emulator_site site{};
  site.operation = operation;
  site.space = toSpace(origin.kind == Origin::Shared, origin.kind == Origin::Global);
  site.parameter = origin.parameter;
  site.bytes = static_cast<int32_t>(layout.getTypeSize(type).getFixedValue());
  site.element = static_cast<int32_t>(layout.getTypeSize(element).getFixedValue());
  site.alignment = static_cast<int32_t>(alignment.value_or(layout.getTypeABIAlignment(type)));
  call(op->getLoc(), offsetof(tssa_emulator, access), {}, address, sites.add(op->getLoc(), site));
  return success();
}

/// Inserts a check before an access of `bytes` bytes.
void KernelEmulation::checkRange(Operation *op, Value address, Value bytes,
                                 tssa_emulator_operation operation) {
  Origin origin = findOrigin(address);
  if (origin.kind == Origin::Private ||
      (origin.kind == Origin::Constant && operation == TSSA_EMU_LOAD))
    return;
  tssa_emulator_site site{};
  site.operation = operation;
  site.space = toSpace(origin.kind == Origin::Shared, origin.kind == Origin::Global);
  site.parameter = origin.parameter;
  site.element = site.alignment = 1;
  Location loc = op->getLoc();
  if (!bytes.getType().isInteger(64))
    bytes = LLVM::ZExtOp::create(builder, loc, builder.getI64Type(), bytes);
  call(loc, offsetof(tssa_emulator, access_range), {}, {address, bytes}, sites.add(loc, site));
}

LogicalResult KernelEmulation::rewriteMemory(Operation *op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    if (load.getOrdering() != LLVM::AtomicOrdering::not_atomic)
      return op->emitError("an atomic load has no emulation");
    load.removeInvariantAttr(); // memory is invariant during one launch, not in the whole process
    return checkAccess(op, load.getAddr(), load.getType(), load.getAlignment(), TSSA_EMU_LOAD);
  }
  if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    if (store.getOrdering() != LLVM::AtomicOrdering::not_atomic)
      return op->emitError("an atomic store has no emulation");
    return checkAccess(op, store.getAddr(), store.getValue().getType(), store.getAlignment(),
                       TSSA_EMU_STORE);
  }
  if (auto update = dyn_cast<LLVM::AtomicRMWOp>(op)) {
    update.removeSyncscopeAttr();
    return checkAccess(op, update.getPtr(), update.getVal().getType(), update.getAlignment(),
                       TSSA_EMU_ATOMIC);
  }
  if (auto exchange = dyn_cast<LLVM::AtomicCmpXchgOp>(op)) {
    exchange.removeSyncscopeAttr();
    return checkAccess(op, exchange.getPtr(), exchange.getVal().getType(), exchange.getAlignment(),
                       TSSA_EMU_ATOMIC);
  }
  if (auto copy = dyn_cast<LLVM::MemcpyOp>(op)) {
    checkRange(op, copy.getSrc(), copy.getLen(), TSSA_EMU_LOAD);
    checkRange(op, copy.getDst(), copy.getLen(), TSSA_EMU_STORE);
  } else if (auto set = dyn_cast<LLVM::MemsetOp>(op)) {
    checkRange(op, set.getDst(), set.getLen(), TSSA_EMU_STORE);
  } else {
    op->erase(); // a fence: the emulator keeps this order anyway
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Returns the value of the special register that `op` reads, or null if the emulator does not have
/// it.
Value KernelEmulation::makeRegister(Operation *op) {
  Location loc = op->getLoc();
  Type i32 = builder.getI32Type();
  auto field = [&](size_t offset) { return loadField(loc, i32, offset); };
  auto constant = [&](int64_t value) { return getConstant(loc, i32, value); };
  if (isa<NVVM::ThreadIdXOp>(op))
    return field(offsetof(tssa_emulator, thread));
  if (isa<NVVM::BlockIdXOp>(op))
    return field(offsetof(tssa_emulator, block));
  if (isa<NVVM::BlockDimXOp>(op))
    return field(offsetof(tssa_emulator, threads));
  if (isa<NVVM::GridDimXOp>(op))
    return field(offsetof(tssa_emulator, blocks));
  if (isa<NVVM::ThreadIdYOp, NVVM::ThreadIdZOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>(op))
    return constant(0);
  if (isa<NVVM::BlockDimYOp, NVVM::BlockDimZOp, NVVM::GridDimYOp, NVVM::GridDimZOp>(op))
    return constant(1);
  if (isa<NVVM::WarpSizeOp>(op))
    return constant(32);
  if (isa<NVVM::LaneIdOp>(op))
    return LLVM::AndOp::create(builder, loc, field(offsetof(tssa_emulator, thread)), constant(31));
  if (isa<NVVM::WarpIdOp>(op))
    return LLVM::LShrOp::create(builder, loc, field(offsetof(tssa_emulator, thread)), constant(5));
  return {};
}

static tssa_emulator_operation toOperation(NVVM::ShflKind kind) {
  switch (kind) {
  case NVVM::ShflKind::bfly:
    return TSSA_EMU_SHUFFLE_XOR;
  case NVVM::ShflKind::up:
    return TSSA_EMU_SHUFFLE_UP;
  case NVVM::ShflKind::down:
    return TSSA_EMU_SHUFFLE_DOWN;
  case NVVM::ShflKind::idx:
    return TSSA_EMU_SHUFFLE_INDEX;
  }
  llvm_unreachable("unknown shuffle");
}

static tssa_emulator_operation toOperation(NVVM::VoteSyncKind kind) {
  switch (kind) {
  case NVVM::VoteSyncKind::any:
    return TSSA_EMU_VOTE_ANY;
  case NVVM::VoteSyncKind::all:
    return TSSA_EMU_VOTE_ALL;
  case NVVM::VoteSyncKind::ballot:
    return TSSA_EMU_VOTE_BALLOT;
  case NVVM::VoteSyncKind::uni:
    return TSSA_EMU_VOTE_UNIFORM;
  }
  llvm_unreachable("unknown vote");
}

static std::optional<tssa_emulator_operation> toOperation(NVVM::ReduxKind kind) {
  switch (kind) {
  case NVVM::ReduxKind::ADD:
    return TSSA_EMU_REDUCE_ADD;
  case NVVM::ReduxKind::MIN:
    return TSSA_EMU_REDUCE_MIN_SIGNED;
  case NVVM::ReduxKind::MAX:
    return TSSA_EMU_REDUCE_MAX_SIGNED;
  case NVVM::ReduxKind::UMIN:
    return TSSA_EMU_REDUCE_MIN_UNSIGNED;
  case NVVM::ReduxKind::UMAX:
    return TSSA_EMU_REDUCE_MAX_UNSIGNED;
  case NVVM::ReduxKind::AND:
    return TSSA_EMU_REDUCE_AND;
  case NVVM::ReduxKind::OR:
    return TSSA_EMU_REDUCE_OR;
  case NVVM::ReduxKind::XOR:
    return TSSA_EMU_REDUCE_XOR;
  default:
    return std::nullopt; // reductions of floats
  }
}

/// Unpacks the result of the warp operation `op`. The low half of `packed` is the result or, if the
/// result is a pair, its first element. The second element of a pair is bit 32, a predicate.
static Value unpack(OpBuilder &builder, Operation *op, Value packed) {
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  auto pair = dyn_cast<LLVM::LLVMStructType>(type);
  Type first = pair ? pair.getBody()[0] : type;
  Value value = LLVM::TruncOp::create(builder, loc, builder.getI32Type(), packed);
  if (first != builder.getI32Type())
    value = LLVM::BitcastOp::create(builder, loc, first, value);
  if (!pair)
    return value;
  Value bit = LLVM::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(32));
  Value high = LLVM::LShrOp::create(builder, loc, packed, bit);
  Value result = LLVM::PoisonOp::create(builder, loc, type);
  result = LLVM::InsertValueOp::create(builder, loc, result, value, ArrayRef<int64_t>{0});
  return LLVM::InsertValueOp::create(builder, loc, result,
                                     LLVM::TruncOp::create(builder, loc, builder.getI1Type(), high),
                                     ArrayRef<int64_t>{1});
}

/// Rewrites barriers and warp operations. Fails on those that have no emulation.
LogicalResult KernelEmulation::rewriteThreads(Operation *op) {
  Location loc = op->getLoc();
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  Value result;
  if (auto barrier = dyn_cast<NVVM::BarrierOp>(op)) {
    APInt id;
    if (barrier.getNumberOfThreads() || barrier.getReductionOp() ||
        (barrier.getBarrierId() &&
         !(matchPattern(barrier.getBarrierId(), m_ConstantInt(&id)) && id.isZero())))
      return op->emitError("a barrier of only some threads, or with a reduction, has no emulation");
    call(loc, offsetof(tssa_emulator, barrier), {}, {}, addSite(op, TSSA_EMU_BARRIER));
  } else if (isa<NVVM::Barrier0Op>(op)) {
    call(loc, offsetof(tssa_emulator, barrier), {}, {}, addSite(op, TSSA_EMU_BARRIER));
  } else if (auto sync = dyn_cast<NVVM::SyncWarpOp>(op)) {
    call(loc, offsetof(tssa_emulator, warp_barrier), {}, sync.getMask(),
         addSite(op, TSSA_EMU_WARP_BARRIER));
  } else if (auto shuffle = dyn_cast<NVVM::ShflOp>(op)) {
    Value value = shuffle.getVal();
    if (value.getType() != i32)
      value = LLVM::BitcastOp::create(builder, loc, i32, value);
    result = unpack(
        builder, op,
        call(loc, offsetof(tssa_emulator, shuffle), i64,
             {shuffle.getThreadMask(), value, shuffle.getOffset(), shuffle.getMaskAndClamp()},
             addSite(op, toOperation(shuffle.getKind()))));
  } else if (auto vote = dyn_cast<NVVM::VoteSyncOp>(op)) {
    Value predicate = LLVM::ZExtOp::create(builder, loc, i32, vote.getPred());
    result = call(loc, offsetof(tssa_emulator, vote), i32, {vote.getMask(), predicate},
                  addSite(op, toOperation(vote.getKind())));
    if (vote.getType() != i32)
      result = LLVM::TruncOp::create(builder, loc, vote.getType(), result);
  } else if (auto match = dyn_cast<NVVM::MatchSyncOp>(op)) {
    Value value = match.getVal();
    if (value.getType() != i64)
      value = LLVM::ZExtOp::create(builder, loc, i64, value);
    bool any = match.getKind() == NVVM::MatchSyncKind::any;
    result = unpack(builder, op,
                    call(loc, offsetof(tssa_emulator, match), i64, {match.getThreadMask(), value},
                         addSite(op, any ? TSSA_EMU_MATCH_ANY : TSSA_EMU_MATCH_ALL)));
  } else if (auto reduce = dyn_cast<NVVM::ReduxOp>(op)) {
    std::optional<tssa_emulator_operation> operation = toOperation(reduce.getKind());
    if (!operation)
      return op->emitError("a reduction of floats by a warp has no emulation");
    result = call(loc, offsetof(tssa_emulator, reduce), i32,
                  {reduce.getMaskAndClamp(), reduce.getVal()}, addSite(op, *operation));
  } else if (!(result = makeRegister(op))) {
    return op->emitError("op '") << op->getName() << "' has no emulation";
  }
  if (result)
    op->replaceAllUsesWith(ValueRange{result});
  op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// All ops
//===----------------------------------------------------------------------===//

/// Inserts a check before a division: a zero divisor or an overflow would end the process.
void KernelEmulation::checkDivision(Operation *op) {
  Location loc = op->getLoc();
  Value dividend = op->getOperand(0), divisor = op->getOperand(1);
  Type type = divisor.getType();
  auto isEqual = [&](Value value, const APInt &to) -> Value {
    TypedAttr attr = builder.getIntegerAttr(getElementTypeOrSelf(type), to);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    Value constant = LLVM::ConstantOp::create(builder, loc, type, attr);
    return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, value, constant);
  };
  unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  bool isSigned = isa<LLVM::SDivOp, LLVM::SRemOp>(op);
  APInt constant;
  if (matchPattern(divisor, m_ConstantInt(&constant)) && !constant.isZero() &&
      !(isSigned && constant.isAllOnes()))
    return;
  Value wrong = isEqual(divisor, APInt::getZero(bits));
  if (isSigned) {
    Value overflows =
        LLVM::AndOp::create(builder, loc, isEqual(dividend, APInt::getSignedMinValue(bits)),
                            isEqual(divisor, APInt::getAllOnes(bits)));
    wrong = LLVM::OrOp::create(builder, loc, wrong, overflows);
  }
  if (isa<VectorType>(type))
    wrong = LLVM::vector_reduce_or::create(builder, loc, builder.getI1Type(), wrong);
  Block *before = op->getBlock(), *after = before->splitBlock(op);
  Block *report = builder.createBlock(after);
  call(loc, offsetof(tssa_emulator, divide), {}, {}, addSite(op, TSSA_EMU_DIVIDE));
  LLVM::UnreachableOp::create(builder, loc);
  builder.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(builder, loc, wrong, report, after);
}

LogicalResult KernelEmulation::rewrite(Operation *op) {
  if (isa<NVVM::MembarOp, LLVM::FenceOp, LLVM::LoadOp, LLVM::StoreOp, LLVM::AtomicRMWOp,
          LLVM::AtomicCmpXchgOp, LLVM::MemcpyOp, LLVM::MemsetOp>(op))
    return rewriteMemory(op);
  if (isa<NVVM::CpAsyncOp, NVVM::CpAsyncCommitGroupOp, NVVM::CpAsyncWaitGroupOp, NVVM::LdMatrixOp,
          NVVM::MmaOp>(op))
    return rewriteTensorCores(op);
  if (op->getName().getDialectNamespace() != LLVM::LLVMDialect::getDialectNamespace())
    return rewriteThreads(op);
  if (isa<LLVM::SDivOp, LLVM::UDivOp, LLVM::SRemOp, LLVM::URemOp>(op)) {
    checkDivision(op);
    return success();
  }
  if (isa<LLVM::UnreachableOp, LLVM::Trap>(op)) {
    call(op->getLoc(), offsetof(tssa_emulator, trap), {}, {}, addSite(op, TSSA_EMU_TRAP));
    if (isa<LLVM::Trap>(op))
      op->erase();
    return success();
  }
  if ((isMemoryEffectFree(op) && !isa<LLVM::InlineAsmOp>(op)) ||
      isa<LLVM::AllocaOp, LLVM::AssumeOp, LLVM::LifetimeStartOp, LLVM::LifetimeEndOp, LLVM::BrOp,
          LLVM::CondBrOp, LLVM::SwitchOp, LLVM::ReturnOp>(op))
    return success();
  return op->emitError("op '") << op->getName() << "' has no emulation";
}

} // namespace tssa::cuda
