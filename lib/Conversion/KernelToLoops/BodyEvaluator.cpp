//===- BodyEvaluator.cpp - te bodies as scalar and vector code -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyEvaluator.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "dialects/te/Analysis/ReadFacts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;

Value BodyEvaluator::lookup(Value value) {
  auto it = values.find(value);
  return it != values.end() ? it->second : kernel.values.lookupOrDefault(value);
}

Value BodyEvaluator::toLanes(Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(builder, index.getLoc(),
                                     VectorType::get(lanes, value.getType()), value);
}

Value BodyEvaluator::andMasks(Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  if (isa<VectorType>(lhs.getType()) != isa<VectorType>(rhs.getType())) {
    lhs = toLanes(lhs);
    rhs = toLanes(rhs);
  }
  return arith::AndIOp::create(builder, index.getLoc(), lhs, rhs);
}

//===----------------------------------------------------------------------===//
// Index expressions
//===----------------------------------------------------------------------===//

AffineExpr BodyEvaluator::substitute(AffineExpr expr, ValueRange symbols) {
  SmallVector<AffineExpr> symbolExprs;
  for (Value symbol : symbols) {
    Value value = lookup(symbol);
    std::optional<int64_t> constant = getConstantIntValue(value);
    symbolExprs.push_back(constant ? getAffineConstantExpr(*constant, expr.getContext())
                                   : index.getSymbol(value));
  }
  return index.simplify(expr.replaceDimsAndSymbols(point.dims, symbolExprs));
}

AffineExpr BodyEvaluator::substituteLoops(AffineExpr expr) {
  return point.loopValues.empty() ? expr : index.simplify(expr.replace(point.loopValues));
}

SmallVector<AffineExpr> BodyEvaluator::getIndices(te::ReadOp read) {
  return llvm::map_to_vector(read.getMap().getResults(),
                             [&](AffineExpr expr) { return substitute(expr, read.getSymbols()); });
}

AffineExpr BodyEvaluator::getAddress(const TensorBuffer &buffer, ArrayRef<AffineExpr> indices) {
  AffineExpr stride = getAffineConstantExpr(1, index.getContext());
  AffineExpr address = getAffineConstantExpr(0, index.getContext());
  for (unsigned dim = indices.size(); dim-- > 0;) {
    if (buffer.storesOneIndex(dim))
      continue;
    AffineExpr at = indices[dim];
    if (!buffer.offsets.empty() && buffer.offsets[dim])
      at = at - index.getOrigin(buffer.offsets[dim]);
    int64_t outer = buffer.window ? buffer.window.getSizes()[dim] : -1;
    int64_t begin = buffer.window ? buffer.window.getAt()[dim] : 0;
    address = address + (at + begin) * stride;
    stride = outer == -1 ? stride * index.getSize(buffer.sizes[dim]) : stride * outer;
  }
  return substituteLoops(index.simplify(address));
}

Value BodyEvaluator::areInBounds(MutableArrayRef<AffineExpr> indices, ArrayRef<bool> opaque,
                                 const TensorBuffer &buffer, bool replaces) {
  Location loc = index.getLoc();
  Value allInBounds;
  for (auto [dim, expr] : llvm::enumerate(indices)) {
    if (!opaque[dim])
      continue;
    expr = substituteLoops(expr);
    bool hasLanes = index.hasLanes(expr);
    auto materialize = [&](AffineExpr e) {
      return hasLanes ? index.materializeLanes(e, laneDim, lanes) : index.materialize(e);
    };
    Value value = materialize(expr), size = materialize(index.getSize(buffer.sizes[dim]));
    Value inBounds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, value, size);
    if (replaces)
      value = arith::SelectOp::create(builder, loc, inBounds, value,
                                      materialize(getAffineConstantExpr(0, index.getContext())));
    expr = index.getSymbol(value);
    allInBounds = andMasks(allInBounds, inBounds);
  }
  return allInBounds;
}

Value BodyEvaluator::checkOpaque(MutableArrayRef<AffineExpr> indices, ArrayRef<bool> opaque,
                                 const TensorBuffer &buffer, Value guard) {
  Location loc = index.getLoc();
  Value allInBounds = areInBounds(indices, opaque, buffer, /*replaces=*/true);
  if (!allInBounds)
    return {};
  kernel.mayFail = true;
  Type type = allInBounds.getType();
  Value all = arith::ConstantOp::create(builder, loc, cast<TypedAttr>(builder.getOneAttr(type)));
  Value failed = arith::XOrIOp::create(builder, loc, allInBounds, all);
  failed = andMasks(isa<VectorType>(type) ? andMasks(failed, point.mask) : failed, guard);
  if (isa<VectorType>(failed.getType()))
    failed = vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, failed);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(scf::IfOp::create(builder, loc, failed, false).thenBlock());
  kernel.target->buildFailure(index, kernel.errors);
  return allInBounds;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value BodyEvaluator::fromMemory(Value value, Type elementType) {
  if (!elementType.isInteger(1))
    return value;
  Location loc = index.getLoc();
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(value.getType()));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value, zero);
}

Value BodyEvaluator::toMemory(Value value) {
  Type type = value.getType();
  if (!getElementTypeOrSelf(type).isInteger(1))
    return value;
  Type memoryType = builder.getI8Type();
  if (auto vectorType = dyn_cast<VectorType>(type))
    memoryType = VectorType::get(vectorType.getShape(), memoryType);
  return arith::ExtUIOp::create(builder, index.getLoc(), memoryType, value);
}

/// Returns the pad value in its form in memory.
static Value getMemoryPad(OpBuilder &builder, Location loc, TypedAttr pad, Type memoryType) {
  if (pad.getType() != memoryType) // i1
    pad = builder.getIntegerAttr(memoryType, cast<IntegerAttr>(pad).getValue().getZExtValue());
  return arith::ConstantOp::create(builder, loc, pad);
}

Value BodyEvaluator::holdsForAny(const Condition &guard) {
  if (!guard.lanes)
    return guard.uniform;
  Location loc = index.getLoc();
  return andMasks(guard.uniform, vector::ReductionOp::create(
                                     builder, loc, vector::CombiningKind::OR, guard.lanes));
}

/// Returns `layout::numZeros` zeros of `type` in a constant of the module around the insertion
/// point.
static Value getZeros(OpBuilder &builder, Location loc, Type type) {
  auto module = builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  std::string name;
  llvm::raw_string_ostream(name) << "tssa.zeros." << type;
  auto memory = MemRefType::get({layout::numZeros}, type);
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto values = DenseElementsAttr::get(RankedTensorType::get({layout::numZeros}, type),
                                         cast<Attribute>(builder.getZeroAttr(type)));
    memref::GlobalOp::create(builder, module.getLoc(), name, builder.getStringAttr("private"),
                             memory, values, /*constant=*/true, builder.getI64IntegerAttr(64));
  }
  Value zeros = memref::GetGlobalOp::create(builder, loc, memory, name);
  return memref::CastOp::create(builder, loc, MemRefType::get({ShapedType::kDynamic}, type), zeros);
}

Value BodyEvaluator::selectZeros(const TensorBuffer &buffer, const Condition &guard, TypedAttr pad,
                                 AffineExpr &address) {
  if (!guard.uniform || guard.lanes || kernel.target->branchesAroundReads() ||
      !te::isPositiveZero(pad))
    return {};
  AffineExpr zero = getAffineConstantExpr(0, index.getContext()), fixed = zero, moving = zero;
  for (AffineExpr term : getTerms(address)) {
    bool moves = index.hasLanes(term) || index.getDepth(term) > guard.depth;
    (moves ? moving : fixed) = (moves ? moving : fixed) + term;
  }
  if (!index.isNonNegative(moving) ||
      !index.isNonNegative(index.simplify(-moving + (layout::numZeros - 1))))
    return {};
  Location loc = index.getLoc();
  Value zeros = getZeros(builder, loc, getMemoryType(buffer.elementType));
  Value offset = index.clampOffset(index.materialize(fixed), guard.uniform);
  address = index.getSymbol(offset) + moving;
  Value memory = buffer.memref;
  if (memory.getType() != zeros.getType()) // the buffer of a row has a static size
    memory = memref::CastOp::create(builder, loc, zeros.getType(), memory);
  return arith::SelectOp::create(builder, loc, guard.uniform, memory, zeros);
}

Value BodyEvaluator::loadScalar(const TensorBuffer &buffer, AffineExpr address,
                                const Condition &guard, TypedAttr pad) {
  Value safe = holdsForAny(guard);
  if (!safe)
    return memref::LoadOp::create(builder, index.getLoc(), buffer.memref,
                                  ValueRange{index.materialize(address)});
  Value value;
  if (kernel.target->branchesAroundReads()) {
    value = loadWhere(buffer, address, safe, pad);
    if (!guard.lanes)
      return value;
  } else {
    Value offset = index.clampOffset(index.materialize(address), safe);
    value = memref::LoadOp::create(builder, index.getLoc(), buffer.memref, ValueRange{offset});
  }
  return selectLanes(materialize(guard), value, pad);
}

Value BodyEvaluator::selectLanes(Value guard, Value value, TypedAttr pad) {
  Value padValue = getMemoryPad(builder, index.getLoc(), pad, value.getType());
  if (isa<VectorType>(guard.getType())) {
    value = toLanes(value);
    padValue = toLanes(padValue);
  }
  return arith::SelectOp::create(builder, index.getLoc(), guard, value, padValue);
}

Value BodyEvaluator::loadWhere(const TensorBuffer &buffer, AffineExpr address, Value condition,
                               TypedAttr pad) {
  Location loc = index.getLoc();
  Type type = getMemoryType(buffer.elementType);
  auto branch = scf::IfOp::create(builder, loc, type, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  Value value =
      memref::LoadOp::create(builder, loc, buffer.memref, ValueRange{index.materialize(address)});
  scf::YieldOp::create(builder, loc, value);
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, loc, getMemoryPad(builder, loc, pad, type));
  return branch.getResult(0);
}

Value BodyEvaluator::loadVector(const TensorBuffer &buffer, AffineExpr address,
                                const Condition &guard, TypedAttr pad) {
  Type memoryType = getMemoryType(buffer.elementType);
  LaneAccess access{buffer.memref, address, laneDim, VectorType::get(lanes, memoryType)};
  Value mask = andMasks(materialize(guard), point.mask);
  if (!mask)
    return kernel.target->buildLoad(index, access, Value(), Value());
  if (!pad)
    pad = cast<TypedAttr>(builder.getZeroAttr(memoryType));
  access.touched = holdsForAny(guard);
  access.used = point.mask; // lanes of a sum that do not exist get its neutral element behind this
  Value padValue = toLanes(getMemoryPad(builder, index.getLoc(), pad, memoryType));
  return kernel.target->buildLoad(index, access, toLanes(mask), padValue);
}

Value BodyEvaluator::load(const TensorBuffer &buffer, AffineExpr address, const Condition &guard,
                          TypedAttr pad) {
  if (Value memory = selectZeros(buffer, guard, pad, address)) {
    TensorBuffer selected{memory, buffer.elementType, {}, {}, {}};
    return load(selected, address);
  }
  Value value = index.hasLanes(address) ? loadVector(buffer, address, guard, pad)
                                        : loadScalar(buffer, address, guard, pad);
  return fromMemory(value, buffer.elementType);
}

void BodyEvaluator::store(const TensorBuffer &buffer, AffineExpr address, Value value,
                          SmallVectorImpl<LaneStore> *waiting) {
  if (!point.vector) {
    memref::StoreOp::create(builder, index.getLoc(), toMemory(value), buffer.memref,
                            ValueRange{index.materialize(address)});
    return;
  }
  value = toMemory(toLanes(value));
  LaneAccess access{buffer.memref, address, laneDim, cast<VectorType>(value.getType())};
  LaneStore store{access, point.mask, value};
  if (waiting && kernel.target->isBuiltWithOthers(index, access, point.mask))
    return waiting->push_back(store);
  kernel.target->buildStore(index, access, point.mask, value);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Returns for each result of `map` whether it contains a symbol that is computed in the body of
/// `user`.
static SmallVector<bool> findOpaque(AffineMap map, ValueRange symbols, Operation *user) {
  SmallVector<bool> opaque;
  for (AffineExpr expr : map.getResults()) {
    bool found = false;
    expr.walk([&](AffineExpr e) {
      if (auto symbol = dyn_cast<AffineSymbolExpr>(e))
        found |= symbols[symbol.getPosition()].getParentBlock() == user->getBlock();
    });
    opaque.push_back(found);
  }
  return opaque;
}

void BodyEvaluator::runRead(te::ReadOp read) {
  const TensorBuffer &buffer = kernel.buffers.find(read.getSource())->second;
  SmallVector<const void *> key = {read.getOperation(), point.mask.getAsOpaquePointer(),
                                   point.exists.getAsOpaquePointer(),
                                   point.vector ? read.getOperation() : nullptr};
  SmallVector<AffineExpr> indices = getIndices(read);
  for (AffineExpr expr : indices)
    key.push_back(substituteLoops(expr).getAsOpaquePointer());
  if (read.getGuard())
    for (AffineExpr expr : read.getGuard()->getConstraints())
      key.push_back(substituteLoops(substitute(expr, read.getSymbols())).getAsOpaquePointer());
  Value &known = loads[key];
  if (known) {
    values[read] = known;
    return;
  }
  Condition guard;
  if (read.getGuard())
    guard = getCondition(*read.getGuard(), read.getSymbols());
  if (guard.never) {
    known = arith::ConstantOp::create(builder, read.getLoc(), read.getPadAttr());
    values[read] = known;
    return;
  }
  guard.uniform = andMasks(guard.uniform, point.exists);
  SmallVector<bool> opaque = findOpaque(read.getMap(), read.getSymbols(), read);
  Value inBounds = checkOpaque(indices, opaque, buffer, materialize(guard));
  if (inBounds && kernel.target->branchesAroundReads()) {
    Value &part = isa<VectorType>(inBounds.getType()) ? guard.lanes : guard.uniform;
    part = andMasks(part, inBounds);
  }
  TypedAttr pad = read.getPadAttr();
  if (!guard.isAlways() && !pad)
    pad = cast<TypedAttr>(builder.getZeroAttr(buffer.elementType));
  known = load(buffer, getAddress(buffer, indices), guard, pad);
  values[read] = known;
}

static bool isIntegerDivision(Operation &op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
}

void BodyEvaluator::runOp(Operation &op) {
  if (auto read = dyn_cast<te::ReadOp>(op))
    return runRead(read);
  if (auto indexOp = dyn_cast<te::IndexOp>(op)) {
    AffineExpr expr =
        substituteLoops(substitute(indexOp.getMap().getResult(0), indexOp.getSymbols()));
    values[indexOp] = index.hasLanes(expr) ? index.materializeLanes(expr, laneDim, lanes)
                                           : index.materialize(expr);
    return;
  }
  if (auto inside = dyn_cast<te::InsideOp>(op)) {
    Condition condition = getCondition(inside.getSet(), inside.getSymbols());
    Value &value = values[inside];
    value = condition.never ? Value() : materialize(condition);
    if (!value)
      value =
          arith::ConstantOp::create(builder, op.getLoc(), builder.getBoolAttr(!condition.never));
    return;
  }
  SmallVector<Value> operands;
  bool vector = false;
  for (Value operand : op.getOperands()) {
    operands.push_back(lookup(operand));
    vector |= isa<VectorType>(operands.back().getType());
  }
  SmallVector<Type> types(op.getResultTypes());
  if (vector) {
    for (Value &operand : operands)
      operand = toLanes(operand);
    // A lane that is masked off must not trap.
    if (point.mask && isIntegerDivision(op))
      operands[1] = arith::SelectOp::create(
          builder, op.getLoc(), point.mask, operands[1],
          arith::ConstantOp::create(builder, op.getLoc(),
                                    cast<TypedAttr>(builder.getOneAttr(operands[1].getType()))));
    for (Type &type : types)
      type = VectorType::get(lanes, type);
  }
  OperationState state(op.getLoc(), op.getName().getStringRef(), operands, types);
  for (NamedAttribute attribute : op.getDiscardableAttrs())
    if (!isa_and_nonnull<te::TEDialect>(attribute.getNameDialect())) // those are for te alone
      state.attributes.push_back(attribute);
  Operation *copy = builder.create(state);
  copy->copyProperties(op.getPropertiesStorage());
  for (auto [from, to] : llvm::zip_equal(op.getResults(), copy->getResults()))
    values[from] = to;
}

void BodyEvaluator::run(Block &block, Operation *skip) {
  for (Operation &op : block.without_terminator())
    if (&op != skip)
      runOp(op);
}

Value BodyEvaluator::compute(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || values.contains(value) || !isa<te::ComputeOp>(op->getParentOp()))
    return lookup(value);
  for (Value operand : op->getOperands())
    compute(operand);
  runOp(*op);
  return lookup(value);
}

SmallVector<Value> BodyEvaluator::getYielded(Block &block) {
  SmallVector<Value> yielded;
  for (Value value : block.getTerminator()->getOperands())
    yielded.push_back(lookup(value));
  return yielded;
}
