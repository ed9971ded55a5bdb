//===- KernelFunction.cpp - the functions a kernel becomes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFunction.h"
#include "PieceSchedule.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "dialects/te/Analysis/FlopCount.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;

namespace tssa::conversion {

Type getMemoryType(Type elementType) {
  return elementType.isInteger(1) ? IntegerType::get(elementType.getContext(), 8) : elementType;
}

bool TensorBuffer::storesOneIndex(unsigned dim) const {
  return !offsets.empty() && offsets[dim] && te::getConstantSize(sizes[dim]) == 1;
}

SmallVector<OpFoldResult> mapSizes(ArrayRef<OpFoldResult> sizes, const IRMapping &values) {
  SmallVector<OpFoldResult> mapped;
  for (OpFoldResult size : sizes) {
    if (auto value = dyn_cast<Value>(size))
      mapped.push_back(values.lookupOrDefault(value));
    else
      mapped.push_back(size);
  }
  return mapped;
}

TensorBuffer makeBuffer(Value memref, RankedTensorType type, ArrayRef<OpFoldResult> sizes,
                        const IRMapping &values) {
  return {memref, type.getElementType(), mapSizes(sizes, values), {}, {}};
}

SmallVector<AffineExpr> getSizeExprs(IndexBuilder &index, ArrayRef<OpFoldResult> sizes,
                                     const IRMapping &values) {
  SmallVector<AffineExpr> exprs;
  for (OpFoldResult size : mapSizes(sizes, values))
    exprs.push_back(index.getSize(size));
  return exprs;
}

Value buildAreDistinct(IndexBuilder &index, const TensorBuffer &lhs, const TensorBuffer &rhs) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  Value first = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, lhs.memref);
  Value second = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, rhs.memref);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, first, second);
}

} // namespace tssa::conversion

const TensorBuffer *KernelFunction::findOut(Value value) const {
  for (OpOperand &use : value.getUses())
    if (isa<te::ReturnOp>(use.getOwner()))
      return &outs[use.getOperandNumber()];
  return nullptr;
}

static MemRefType getFlatType(Type tensor) {
  return MemRefType::get({ShapedType::kDynamic},
                         getMemoryType(cast<RankedTensorType>(tensor).getElementType()));
}

/// Returns the sizes of a tensor in a kernel. Each is a constant, a parameter of the kernel, or a
/// size of an op.
static SmallVector<OpFoldResult> getKernelSizes(OpBuilder &builder, Value tensor) {
  return te::getSizes(builder, tensor.getLoc(), tensor);
}

namespace tssa::conversion {

KernelFunction createKernelFunction(OpBuilder &builder, te::KernelOp kernel, KernelTarget &target) {
  SmallVector<Type> types;
  for (Type type : kernel.getArgumentTypes())
    types.push_back(isa<RankedTensorType>(type) ? Type(getFlatType(type)) : type);
  for (Type type : kernel.getResultTypes())
    types.push_back(getFlatType(type));
  types.push_back(MemRefType::get({ShapedType::kDynamic}, builder.getI32Type()));
  types.append(target.getFurtherParameters(builder.getContext()));

  KernelFunction function;
  function.func = func::FuncOp::create(builder, kernel.getLoc(), kernel.getSymName(),
                                       builder.getFunctionType(types, {}));
  Block *entry = function.func.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  KernelContext &context = function.context;
  context.target = &target;
  unsigned numArgs = kernel.getNumArguments(), numResults = kernel.getResultTypes().size();
  for (unsigned i = 0; i < numArgs; ++i)
    context.values.map(kernel.getArgument(i), entry->getArgument(i));
  for (unsigned i = 0; i < numArgs; ++i)
    if (auto type = dyn_cast<RankedTensorType>(kernel.getArgumentTypes()[i])) {
      TensorBuffer &buffer = context.buffers[kernel.getArgument(i)] =
          makeBuffer(entry->getArgument(i), type, getKernelSizes(builder, kernel.getArgument(i)),
                     context.values);
      buffer.window = kernel.getArgumentWindow(i);
    }
  for (Operation &op : kernel.getBodyBlock().without_terminator())
    if (!isa<te::ExpressionOpInterface>(op))
      builder.clone(op, context.values);
  for (auto [i, value] : llvm::enumerate(kernel.getBodyBlock().getTerminator()->getOperands())) {
    function.outs.push_back(makeBuffer(entry->getArgument(numArgs + i),
                                       cast<RankedTensorType>(value.getType()),
                                       getKernelSizes(builder, value), context.values));
    function.outs.back().window = kernel.getResultWindow(i);
  }
  context.errors = entry->getArgument(numArgs + numResults);
  return function;
}

LogicalResult finishKernelFunction(OpBuilder &builder, KernelFunction &function,
                                   KernelTarget &target) {
  builder.setInsertionPointToEnd(&function.func.getBody().front());
  func::ReturnOp::create(builder, function.func.getLoc());
  return target.finish(function.func);
}

/// Returns the number of floating-point operations of one launch.
static AffineExpr getFlops(IndexBuilder &index, te::KernelOp kernel, const IRMapping &values) {
  AffineExpr total = getAffineConstantExpr(0, index.getContext());
  for (const te::FlopTerm &term : te::countFlops(kernel))
    total =
        total + getProduct(getSizeExprs(index, term.sizes, values), index.getContext()) * term.each;
  return total;
}

void createExtentFunction(
    OpBuilder &builder, te::KernelOp kernel,
    function_ref<std::pair<Value, Value>(IndexBuilder &, const IRMapping &)> extent) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(kernel);
  SmallVector<Type> types;
  for (Type type : kernel.getArgumentTypes())
    if (!isa<RankedTensorType>(type))
      types.push_back(type);
  Type indexType = builder.getIndexType();
  auto func =
      func::FuncOp::create(builder, kernel.getLoc(), (kernel.getSymName() + ".extent").str(),
                           builder.getFunctionType(types, {indexType, indexType, indexType}));
  Block *entry = func.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  IRMapping values;
  unsigned next = 0;
  for (BlockArgument arg : kernel.getBody().getArguments())
    if (!isa<RankedTensorType>(arg.getType()))
      values.map(arg, entry->getArgument(next++));
  for (Operation &op : kernel.getBodyBlock().without_terminator())
    if (op.getDialect()->getNamespace() == arith::ArithDialect::getDialectNamespace())
      builder.clone(op, values);
  IndexBuilder index(builder, kernel.getLoc());
  auto [count, grain] = extent(index, values);
  Value flops = index.materialize(getFlops(index, kernel, values));
  func::ReturnOp::create(builder, kernel.getLoc(), ValueRange{count, grain, flops});
}

LogicalResult checkResults(te::KernelOp kernel, ArrayRef<Operation *> expressions) {
  llvm::SmallPtrSet<Value, 4> seen;
  for (auto [i, value] : llvm::enumerate(kernel.getBodyBlock().getTerminator()->getOperands())) {
    if (!llvm::is_contained(expressions, value.getDefiningOp()))
      return kernel.emitError(
                 "expected results of roots, or of members that roots read, but result ")
             << i << " is another value, which nothing would write";
    if (!seen.insert(value).second)
      return kernel.emitError("expected different results, but result ")
             << i << " is the same as an earlier one, and only one of them would be written";
  }
  return success();
}

/// Checks that no store is left, and that loops are bound to levels that the target has. If the
/// kernel caches operands, checks that the target has shared memory.
static LogicalResult checkSchedule(te::KernelOp kernel, KernelTarget &target) {
  for (auto store : kernel.getSchedule().getOps<layout::StoreOp>())
    return store.emitError("expected stores to have been applied by layout-materialize-stores");
  for (auto bind : kernel.getSchedule().getOps<layout::BindOp>())
    if (!llvm::is_contained(target.getLevels(), bind.getLevel())) {
      InFlightDiagnostic error = bind.emitError("expected a level that this target supports, ");
      llvm::interleave(
          target.getLevels(), [&](layout::Level level) { error << stringifyLevel(level); },
          [&] { error << " or "; });
      return error << ", got " << stringifyLevel(bind.getLevel());
    }
  for (auto atom : kernel.getSchedule().getOps<layout::AtomOp>())
    if (layout::findAtom(atom.getInstruction())->hasOneLoop() != target.hasDots())
      return atom.emitError("expected an instruction of this target, got '")
             << atom.getInstruction() << "'";
  for (auto cache : kernel.getSchedule().getOps<layout::CacheOp>())
    if (!target.getThreads())
      return cache.emitError("expected a target with shared memory");
  return success();
}

static bool hasWindows(te::KernelOp kernel) {
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (kernel.getArgumentWindow(i))
      return true;
  for (unsigned i = 0; i < kernel.getResultTypes().size(); ++i)
    if (kernel.getResultWindow(i))
      return true;
  return false;
}

LogicalResult lowerKernel(OpBuilder &builder, te::KernelOp kernel, KernelTarget &target) {
  if (failed(checkSchedule(kernel, target)))
    return failure();
  for (Operation &op : kernel.getBodyBlock()) {
    if (!isa<te::UpdateOp, te::ScanOp>(op))
      continue;
    if (failed(checkResults(kernel, &op)))
      return failure();
    if (hasWindows(kernel))
      return kernel.emitError("expected no te.window in a kernel with ") << op.getName();
    if (auto update = dyn_cast<te::UpdateOp>(op))
      return lowerUpdateKernel(builder, kernel, update, target);
    return lowerScanKernel(builder, kernel, cast<te::ScanOp>(op), target);
  }
  return lowerComputeKernel(builder, kernel, target);
}

} // namespace tssa::conversion
