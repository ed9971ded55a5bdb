//===- EntrySizes.cpp - sizes that are known when a program starts -------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/EntrySizes.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace mlir::tssa::te {

unsigned EntrySizes::Equal::getHashValue(const Operation *op) {
  return OperationEquivalence::computeHash(
      const_cast<Operation *>(op), OperationEquivalence::directHashValue,
      OperationEquivalence::ignoreHashValue, OperationEquivalence::IgnoreLocations);
}

bool EntrySizes::Equal::isEqual(const Operation *lhs, const Operation *rhs) {
  if (lhs == rhs)
    return true;
  if (lhs == getTombstoneKey() || lhs == getEmptyKey() || rhs == getTombstoneKey() ||
      rhs == getEmptyKey())
    return false;
  return OperationEquivalence::isEquivalentTo(const_cast<Operation *>(lhs),
                                              const_cast<Operation *>(rhs),
                                              OperationEquivalence::IgnoreLocations);
}

EntrySizes::EntrySizes(func::FuncOp function, const EntrySymbols &symbols)
    : function(function), symbols(symbols),
      builder(OpBuilder::atBlockBegin(&function.getBody().front())) {
  // New operations are inserted before all existing ones.
  if (!function.getBody().front().empty())
    builder.setInsertionPoint(&function.getBody().front().front());
  findVaryingDims();
}

Value EntrySizes::insert(Operation *op) {
  auto [entry, isNew] = known.insert(op);
  if (!isNew) {
    op->erase();
    return (*entry)->getResult(0);
  }
  created.push_back(op);
  owned.insert(op);
  return op->getResult(0);
}

Value EntrySizes::create(OperationName name, ValueRange operands,
                         ArrayRef<NamedAttribute> attributes) {
  OperationState state(function.getLoc(), name);
  state.addOperands(operands);
  state.addAttributes(attributes);
  state.addTypes(builder.getIndexType());
  return insert(builder.create(state));
}

Value EntrySizes::getConstant(int64_t value) {
  return insert(arith::ConstantIndexOp::create(builder, function.getLoc(), value));
}

Value EntrySizes::getArgumentDim(unsigned argument, unsigned dim) {
  if (std::optional<int64_t> size = symbols.lookupStatic(argument, dim))
    return getConstant(*size);
  const EntrySymbol &symbol = symbols.get()[*symbols.lookup(argument, dim)];
  Value index = getConstant(symbol.dim);
  return insert(tensor::DimOp::create(builder, function.getLoc(),
                                      function.getArgument(symbol.argument), index));
}

Value EntrySizes::get(Value value) {
  auto found = values.find(value);
  if (found != values.end())
    return found->second;
  Value result;
  Operation *op = value.getDefiningOp();
  IntegerAttr constant;
  if (op && matchPattern(op, m_Constant(&constant)) && value.getType().isIndex()) {
    result = getConstant(constant.getInt());
  } else if (auto dim = dyn_cast_or_null<tensor::DimOp>(op)) {
    if (std::optional<int64_t> index = dim.getConstantIndex())
      result = getDim(dim.getSource(), *index);
  } else if (op && op->getNumRegions() == 0 && op->getNumResults() == 1 && isPure(op) &&
             llvm::none_of(op->getOperandTypes(), llvm::IsaPred<ShapedType>)) {
    IRMapping mapping;
    bool known = true;
    for (Value operand : op->getOperands()) {
      Value at = get(operand);
      known = known && at;
      mapping.map(operand, at);
    }
    if (known)
      result = insert(builder.clone(*op, mapping));
  }
  values[value] = result;
  return result;
}

Value EntrySizes::getDim(Value tensor, unsigned dim) {
  auto type = cast<ShapedType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return getConstant(type.getDimSize(dim));
  auto found = dims.find({tensor, dim});
  if (found != dims.end())
    return found->second;
  Value result = computeDim(tensor, dim);
  dims[{tensor, dim}] = result;
  return result;
}

/// Returns the position of dim `dim` of `types[index]` among the dynamic dims of all `types`.
static unsigned getDynamicIndex(TypeRange types, unsigned index, unsigned dim) {
  unsigned count = 0;
  for (unsigned i = 0; i < index; ++i)
    count += cast<ShapedType>(types[i]).getNumDynamicDims();
  return count + cast<ShapedType>(types[index]).getDynamicDimIndex(dim);
}

Value EntrySizes::computeDim(Value tensor, unsigned dim) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return computeBlockArgumentDim(argument, dim);
  auto result = cast<OpResult>(tensor);
  unsigned number = result.getResultNumber();
  Operation *op = result.getOwner();
  if (auto launch = dyn_cast<LaunchOp>(op))
    return get(launch.getResultSizes()[getDynamicIndex(launch.getResultTypes(), number, dim)]);
  if (auto call = dyn_cast<ExternOp>(op)) {
    int64_t index = call.getSizeIndex()[getDynamicIndex(call.getResultTypes(), number, dim)];
    return index < 0 ? Value() : get(call.getResultSizes()[index]);
  }
  if (auto join = dyn_cast<JoinOp>(op)) // the size of the axis is a constant
    return getDim(join.getParts().front(), dim);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return getDim(cast.getSource(), dim);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return get(empty.getDynamicSize(dim));
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return getDim(loop.getRegionIterArg(number), dim);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return getDim(loop.getConditionOp().getArgs()[number], dim);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Value first = getDim(branch.thenYield().getOperand(number), dim);
    return first == getDim(branch.elseYield().getOperand(number), dim) ? first : Value();
  }
  return Value();
}

Value EntrySizes::computeBlockArgumentDim(BlockArgument argument, unsigned dim) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (parent == function)
    return getArgumentDim(argument.getArgNumber(), dim);
  if (varying.contains({argument, dim}))
    return Value();
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    return getDim(loop.getTiedLoopInit(argument)->get(), dim);
  if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    if (argument.getOwner() == loop.getBeforeBody())
      return getDim(loop.getInits()[argument.getArgNumber()], dim);
    return getDim(loop.getConditionOp().getArgs()[argument.getArgNumber()], dim);
  }
  return Value();
}

/// Assumes that loops keep all sizes of carried tensors, and drops wrong assumptions until a fixed
/// point is reached.
void EntrySizes::findVaryingDims() {
  SmallVector<std::pair<BlockArgument, Value>> carried; // argument, next value
  function.walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      for (auto [argument, next] : llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues()))
        carried.push_back({argument, next});
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      for (auto [argument, next] :
           llvm::zip(loop.getBeforeArguments(), loop.getYieldOp().getOperands()))
        carried.push_back({argument, next});
  });
  for (bool changed = true; changed;) {
    changed = false;
    values.clear();
    dims.clear();
    for (auto [argument, next] : carried) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
        if (!type.isDynamicDim(dim) || varying.contains({argument, unsigned(dim)}))
          continue;
        Value size = getDim(argument, dim);
        if (!size || size != getDim(next, dim))
          changed |= varying.insert({argument, unsigned(dim)}).second;
      }
    }
  }
}

Value EntrySizes::getBytes(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t fixed = getElementBytes(type.getElementType());
  SmallVector<Value> factors;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    Value size = getDim(tensor, dim);
    if (!size)
      return Value();
    IntegerAttr constant;
    if (!matchPattern(size, m_Constant(&constant)))
      factors.push_back(size);
    else if (llvm::MulOverflow(fixed, constant.getInt(), fixed))
      return Value();
  }
  Value bytes = getConstant(fixed);
  for (Value factor : factors)
    bytes = create<arith::MulIOp>({bytes, factor});
  return bytes;
}

Value EntrySizes::cloneForSymbols(OpBuilder &target, Value value, ValueRange symbolValues,
                                  DenseMap<Value, Value> &clones) {
  if (Value clone = clones.lookup(value))
    return clone;
  Operation *op = value.getDefiningOp();
  Value result;
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    auto argument = cast<BlockArgument>(op->getOperand(0));
    result = symbolValues[*symbols.lookup(argument.getArgNumber(), *dim.getConstantIndex())];
  } else {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, cloneForSymbols(target, operand, symbolValues, clones));
    result = target.clone(*op, mapping)->getResult(0);
  }
  clones[value] = result;
  return result;
}

void EntrySizes::finish() {
  for (Operation *op : llvm::reverse(created)) {
    if (auto dim = dyn_cast<tensor::DimOp>(op); dim && !op->use_empty()) {
      OpBuilder here(op);
      dim.replaceAllUsesWith(
          memref::DimOp::create(here, op->getLoc(), op->getOperand(0), dim.getIndex()).getResult());
    }
    if (op->use_empty())
      op->erase();
  }
}

} // namespace mlir::tssa::te
