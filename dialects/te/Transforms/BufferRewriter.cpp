//===- BufferRewriter.cpp - tensors become memrefs -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/BufferRewriter.h"
#include "dialects/te/IR/Program.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "tssa/Support/CheckedSize.h"

namespace mlir::tssa::te {

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

static MemRefType getMemRefType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

LogicalResult BufferRewriter::run() {
  convertSignature();
  allocateResults();
  if (failed(rewriteBlock(function.getBody().front())))
    return failure();
  finish();
  return success();
}

void BufferRewriter::convertSignature() {
  MLIRContext *context = function.getContext();
  Block &entry = function.getBody().front();
  auto bytes = MemRefType::get({ShapedType::kDynamic}, IntegerType::get(context, 8));
  for (BlockArgument argument : entry.getArguments()) {
    if (!isTensor(argument))
      continue;
    // Uses that are not rewritten yet still expect a tensor; `finish` erases them.
    argument.setType(getMemRefType(argument.getType()));
    memrefs[argument] = argument;
  }
  unsigned count = entry.getNumArguments();
  weightsBase = entry.addArgument(bytes, function.getLoc());
  arena = entry.addArgument(bytes, function.getLoc());
  SmallVector<Type> results;
  for (Type type : function.getResultTypes())
    results.push_back(isa<RankedTensorType>(type) ? getMemRefType(type) : type);
  SmallVector<DictionaryAttr> attributes;
  function.getAllArgAttrs(attributes);
  attributes.resize(count + 2, DictionaryAttr::get(context));
  function.setFunctionType(FunctionType::get(context, entry.getArgumentTypes(), results));
  function.setAllArgAttrs(attributes);
  markWeights(function, count);
  markArena(function, count + 1);
}

/// Creates the buffers of results whose sizes are known at the start.
void BufferRewriter::allocateResults() {
  Operation *terminator = function.getBody().front().getTerminator();
  resultBuffers.resize(terminator->getNumOperands());
  OpBuilder &entry = sizes.getBuilder();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    if (!isTensor(value) && !memrefs.contains(value))
      continue;
    if (!program.getResultVariable(i))
      continue;
    auto type = cast<MemRefType>(function.getResultTypes()[i]);
    if (std::optional<unsigned> argument = getWrittenBack(function, i)) {
      resultBuffers[i] = function.getArgument(*argument);
      continue;
    }
    SmallVector<Value> dynamicSizes;
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (ShapedType::isDynamic(size))
        dynamicSizes.push_back(sizes.getDim(value, dim));
    resultBuffers[i] = ResultOp::create(entry, function.getLoc(), type, i, dynamicSizes);
  }
}

bool BufferRewriter::isPlanned(Value tensor) const {
  return program.getVariables()[program.getVariable(tensor)].kind == Variable::Planned;
}

/// Returns whether control flow still carries `value` after planning.
bool BufferRewriter::isKept(Value value) const { return !isTensor(value) || !isPlanned(value); }

Value BufferRewriter::castTo(Value memref, Type type) {
  return memref.getType() == type
             ? memref
             : memref::CastOp::create(builder, memref.getLoc(), type, memref).getResult();
}

Value BufferRewriter::createView(Type tensorType, Value base, Value offset, Value tensorOfSizes) {
  MemRefType type = getMemRefType(tensorType);
  SmallVector<Value> dynamicSizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      dynamicSizes.push_back(sizes.getDim(tensorOfSizes, dim));
  return memref::ViewOp::create(builder, tensorOfSizes.getLoc(), type, base, offset, dynamicSizes);
}

Value BufferRewriter::createPlanned(Value tensor) {
  tensor = places.getWhole(tensor);
  const Buffer &buffer = placement.getBuffer(program.getVariable(tensor));
  if (buffer.result >= 0)
    return castTo(resultBuffers[buffer.result], getMemRefType(tensor.getType()));
  Value offset = buffer.offset;
  if (const RowWrite *row = placement.lookupRow(tensor))
    offset = createRowOffset(*row, offset);
  return createView(tensor.getType(), arena, offset, tensor);
}

/// Returns the offset of a row in the arena, in which the tensor of all rows is at `offset`.
Value BufferRewriter::createRowOffset(const RowWrite &row, Value offset) {
  Location loc = row.row.getLoc();
  int64_t bytes = getElementBytes(cast<RankedTensorType>(row.row.getType()).getElementType());
  SmallVector<Value> symbols;
  for (unsigned input : row.symbols)
    symbols.push_back(LaunchOp(row.copy).getInputs()[input]);
  Value element = affine::expandAffineExpr(builder, loc, row.element, {}, symbols);
  Value distance = arith::MulIOp::create(builder, loc, element,
                                         arith::ConstantIndexOp::create(builder, loc, bytes));
  return arith::AddIOp::create(builder, loc, offset, distance);
}

Value BufferRewriter::createAllocated(Value tensor, ValueRange dynamicSizes,
                                      std::optional<unsigned> result) {
  Location loc = tensor.getLoc();
  MemRefType type = getMemRefType(tensor.getType());
  if (!result)
    return memref::AllocOp::create(builder, loc, type, dynamicSizes);
  return resultBuffers[*result] = ResultOp::create(builder, loc, type, *result, dynamicSizes);
}

Value BufferRewriter::allocateLike(Value source) {
  auto type = cast<MemRefType>(source.getType());
  SmallVector<Value> dynamicSizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      dynamicSizes.push_back(memref::DimOp::create(builder, source.getLoc(), source, dim));
  return memref::AllocOp::create(builder, source.getLoc(), type, dynamicSizes);
}

/// Counts a copy, and emits a remark with its size and the origin of the value.
void BufferRewriter::countCopy(Location loc, const Copy &copy) {
  ++numCopies;
  auto type = cast<ShapedType>(copy.value.getType());
  std::string bytes = "dynamic";
  if (type.hasStaticShape())
    bytes = std::to_string(
        ::tssa::CheckedSize::product(type.getShape(), getElementBytes(type.getElementType()))
            .get()
            .value_or(-1));
  std::string origin;
  llvm::raw_string_ostream(origin) << copy.value.getLoc();
  remark::missed(loc, remark::RemarkOpts::name("copy").category("te-plan-buffers"))
      << remark::add("copied: the old value is still needed, or its buffer must not be written")
      << remark::metric("Bytes", bytes) << remark::metric("Source", origin);
}

void BufferRewriter::emitCopy(Location loc, Value source, Value target, const Copy &copy) {
  memref::CopyOp::create(builder, loc, source, target);
  countCopy(loc, copy);
}

void BufferRewriter::release(ArrayRef<Value> values) {
  for (Value value : values)
    memref::DeallocOp::create(builder, value.getLoc(), memrefs.lookup(value));
}

LogicalResult BufferRewriter::rewriteBlock(Block &block) {
  builder.setInsertionPointToStart(&block);
  release(ownership.getReleases(&block));
  for (Operation &op : llvm::make_early_inc_range(block)) {
    builder.setInsertionPoint(&op);
    if (failed(rewrite(&op)))
      return failure();
    if (op.hasTrait<OpTrait::IsTerminator>())
      break; // memory is released before a terminator, and no op to be rewritten follows it
    builder.setInsertionPointAfter(&op);
    release(ownership.getReleases(&op));
  }
  return success();
}

LogicalResult BufferRewriter::rewrite(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op))
    return rewriteConstant(constant);
  if (auto launch = dyn_cast<LaunchOp>(op)) {
    rewriteLaunch(launch);
  } else if (auto join = dyn_cast<JoinOp>(op)) {
    memrefs[join] = createPlanned(join); // in which its parts have been computed
    dead.push_back(join);
  } else if (auto call = dyn_cast<ExternOp>(op)) {
    rewriteExtern(call);
  } else if (auto ret = dyn_cast<func::ReturnOp>(op)) {
    rewriteReturn(ret);
  } else if (isa<scf::YieldOp, scf::ConditionOp>(op)) {
    rewriteYield(op);
  } else if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op)) {
    return rewriteStructured(op);
  } else if (isa<tensor::DimOp, tensor::ExtractOp, tensor::CastOp, tensor::EmptyOp,
                 tensor::FromElementsOp>(op)) {
    rewriteElements(op);
  }
  return success();
}

LogicalResult BufferRewriter::rewriteConstant(ConstantOp op) {
  FailureOr<int64_t> offset = weights.add(op.getValue());
  if (failed(offset))
    return op.emitError("expected a constant whose bytes are available, of type ") << op.getType();
  memrefs[op] = createView(op.getType(), weightsBase, sizes.getConstant(*offset), op);
  dead.push_back(op);
  return success();
}

void BufferRewriter::rewriteElements(Operation *op) {
  Location loc = op->getLoc();
  if (sizes.owns(op))
    return;
  dead.push_back(op);
  // A tensor, or a memref if it is an argument of the function.
  Value source = op->getNumOperands() ? op->getOperand(0) : Value();
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    dim.replaceAllUsesWith(
        memref::DimOp::create(builder, loc, memrefs.lookup(source), dim.getIndex()).getResult());
  } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    extract.replaceAllUsesWith(
        memref::LoadOp::create(builder, loc, memrefs.lookup(source), extract.getIndices())
            .getResult());
  } else if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    memrefs[cast] = castTo(memrefs.lookup(source), getMemRefType(cast.getType()));
  } else if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    memrefs[empty] =
        isPlanned(empty) ? createPlanned(empty) : createAllocated(empty, empty.getDynamicSizes());
  } else if (auto elements = dyn_cast<tensor::FromElementsOp>(op)) {
    Value memref = memrefs[elements] = createPlanned(elements);
    ArrayRef<int64_t> shape = elements.getType().getShape();
    SmallVector<int64_t> index(shape.size());
    for (Value element : elements.getElements()) {
      SmallVector<Value> position;
      for (int64_t i : index)
        position.push_back(arith::ConstantIndexOp::create(builder, loc, i));
      memref::StoreOp::create(builder, loc, element, memref, position);
      for (int64_t dim = shape.size() - 1; dim >= 0 && ++index[dim] == shape[dim]; --dim)
        index[dim] = 0;
    }
  }
}

void BufferRewriter::rewriteLaunch(LaunchOp op) {
  if (placement.isComputed(op)) {
    memrefs[op.getResult(0)] = createPlanned(op.getResult(0));
    dead.push_back(op);
    return;
  }
  SmallVector<Value> inputs, outs;
  for (Value input : op.getInputs())
    inputs.push_back(memrefs.contains(input) ? memrefs.lookup(input) : input);
  ValueRange dynamicSizes = op.getResultSizes();
  for (OpResult result : op.getResults()) {
    unsigned count = cast<ShapedType>(result.getType()).getNumDynamicDims();
    ValueRange own = dynamicSizes.take_front(count);
    dynamicSizes = dynamicSizes.drop_front(count);
    const Copy *copy = program.lookupCopy(op, result.getResultNumber());
    Value out;
    if (copy && ownership.isMove(*copy))
      out = memrefs.lookup(copy->value);
    else
      out = isPlanned(result) ? createPlanned(result)
                              : createAllocated(result, own, ownership.getResult(result));
    if (copy && !ownership.isMove(*copy) && !placement.share(*copy))
      countCopy(op.getLoc(), *copy); // the kernel copies the base to the buffer of the result
    memrefs[result] = out;
    outs.push_back(out);
  }
  auto launch = LaunchOp::create(builder, op.getLoc(), TypeRange(), op.getKernelAttr(), inputs,
                                 ValueRange(), outs);
  launch->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  dead.push_back(op);
}

/// Results of known size become outs that the routine fills. The routine allocates the others.
void BufferRewriter::rewriteExtern(ExternOp op) {
  SmallVector<Value> inputs, outs;
  SmallVector<Type> types;
  SmallVector<int64_t> sizeIndex;
  SmallVector<OpResult> unknown;
  for (Value input : op.getInputs())
    inputs.push_back(memrefs.contains(input) ? memrefs.lookup(input) : input);
  unsigned next = 0;
  for (OpResult result : op.getResults()) {
    unsigned count = cast<ShapedType>(result.getType()).getNumDynamicDims();
    ArrayRef<int64_t> indexes = op.getSizeIndex().slice(next, count);
    next += count;
    if (llvm::is_contained(indexes, -1)) {
      types.push_back(getMemRefType(result.getType()));
      sizeIndex.append(count, -1);
      unknown.push_back(result);
      continue;
    }
    SmallVector<Value> own;
    for (int64_t index : indexes)
      own.push_back(op.getResultSizes()[index]);
    Value out = isPlanned(result) ? createPlanned(result) : createAllocated(result, own);
    memrefs[result] = out;
    outs.push_back(out);
  }
  auto call = ExternOp::create(builder, op.getLoc(), types, op.getCallee(), inputs, ValueRange(),
                               outs, sizeIndex, op.getAxisAttr(), op.getCenterPointBox(),
                               op.getIsUnsigned(), op.getLargest(), op.getSorted());
  call->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  for (auto [result, memref] : llvm::zip(unknown, call.getResults()))
    memrefs[result] = memref;
  dead.push_back(op);
}

void BufferRewriter::finish() {
  for (Operation *op : llvm::reverse(dead))
    op->dropAllReferences();
  for (Operation *op : dead)
    op->erase();
  for (auto [block, index] : llvm::reverse(deadArguments))
    block->eraseArgument(index);
}

} // namespace mlir::tssa::te
