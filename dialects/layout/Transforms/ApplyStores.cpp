//===- ApplyStores.cpp - rewrites a kernel for the stores of its schedule -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/ApplyStores.h"
#include "dialects/layout/Transforms/DropGuards.h"
#include "dialects/layout/Transforms/RowDims.h"
#include "dialects/te/Analysis/PointDomain.h"
#include "dialects/te/Analysis/ReadFacts.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

static bool hasDivision(AffineExpr expr) {
  return expr
      .walk([](AffineExpr inner) {
        bool divides =
            inner.getKind() == AffineExprKind::FloorDiv || inner.getKind() == AffineExprKind::Mod;
        return divides ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void layout::simplifyDivisions(te::ReadOp read) {
  if (llvm::none_of(read.getMap().getResults(), hasDivision))
    return;
  MLIRContext *context = read.getContext();
  te::PointDomain domain = te::PointDomain::get(read);
  SmallVector<AffineExpr> exprs = domain.enter(read.getMap().getResults(), read.getSymbols());
  SmallVector<AffineExpr> guard;
  if (read.getGuard()) {
    guard = domain.enter(read.getGuard()->getConstraints(), read.getSymbols());
    domain.assume(*read.getGuard(), read.getSymbols());
  }
  for (AffineExpr &expr : exprs)
    expr = domain.getSimplifier().simplify(expr);
  unsigned numIndexes = exprs.size();
  llvm::append_range(exprs, guard);
  SmallVector<Value> symbols = te::leaveSymbols(exprs, domain.getSymbols(), context);
  unsigned numDims = read.getMap().getNumDims();
  ArrayRef<AffineExpr> left = exprs;
  read.setMap(AffineMap::get(numDims, symbols.size(), left.take_front(numIndexes), context));
  if (read.getGuard())
    read.setGuard(IntegerSet::get(numDims, symbols.size(), left.drop_front(numIndexes),
                                  read.getGuard()->getEqFlags()));
  read.getSymbolsMutable().assign(symbols);
}

/// Replaces the index of each read of `tensor` by that of the cell that is read. Emits an error at
/// `op` if the layout cannot be read.
static LogicalResult readCells(StoreOp op, Value tensor, const TensorLayout &layout) {
  for (Operation *user : tensor.getUsers()) {
    auto read = dyn_cast<te::ReadOp>(user);
    if (!read)
      continue;
    FailureOr<SmallVector<AffineExpr>> cell =
        getCellOfRead(read, layout, [&](const Twine &reason) { op.emitOpError() << reason; });
    if (failed(cell))
      return failure();
    AffineMap map = read.getMap();
    read.setMap(AffineMap::get(map.getNumDims(), map.getNumSymbols(), *cell, map.getContext()));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// Replaces each size s<i> by entry i of `values`.
static SmallVector<OpFoldResult> substituteSizes(ArrayRef<AffineExpr> sizes,
                                                 ArrayRef<OpFoldResult> values) {
  SmallVector<OpFoldResult> result;
  for (AffineExpr size : sizes) {
    if (auto symbol = dyn_cast<AffineSymbolExpr>(size))
      result.push_back(values[symbol.getPosition()]);
    else
      result.push_back(IntegerAttr::get(IndexType::get(size.getContext()), *getConstant(size)));
  }
  return result;
}

namespace {
/// Rewrites one expression to run over the cells of its results.
class ExpressionRewriter {
public:
  ExpressionRewriter(const KernelStore &store)
      : op(store.op), compute(store.expression), layout(store.layout),
        context(compute.getContext()), numParallel(layout.getPhysicalShape().size()),
        numDims(numParallel + compute.getNumReduction()) {
    for (unsigned dim = 0; dim < numDims; ++dim)
      cell.push_back(getAffineDimExpr(dim, context));
    GuardedIndex element = getElement(layout, ArrayRef(cell).take_front(numParallel));
    guard = element.guard;
    dims = element.index;
    llvm::append_range(dims, ArrayRef(cell).drop_front(numParallel));
  }

  LogicalResult run() {
    bool guardsReads = !guard.empty() && !padsWithZeros(compute, layout);
    if (guardsReads && failed(checkReduction()))
      return failure();
    for (Region &piece : compute.getPieces())
      replaceDims(piece, numDims);
    replaceDims(compute.getEpilogue(), numParallel);
    replaceSets();
    replaceSizes();
    for (Value result : compute.getResults()) {
      if (failed(readCells(op, result, layout)))
        return failure();
      auto type = cast<RankedTensorType>(result.getType());
      result.setType(RankedTensorType::get(layout.getPhysicalTypeShape(), type.getElementType()));
    }
    if (guardsReads) {
      guardReads(compute);
    } else if (!guard.empty()) {
      if (compute.hasReduction())
        endWithZeros();
      addZeroPieces();
    }
    return success();
  }

private:
  /// Checks that the reduction may also run at cells without an element.
  LogicalResult checkReduction() {
    if (compute.getPieces().size() != 1)
      return op.emitOpError("padding is not supported for a reduction with several pieces");
    if (Operation *unsafe = te::findUnsafe(compute))
      return op.emitOpError("padding is not supported for a reduction that computes ")
             << unsafe->getName();
    return success();
  }

  AffineMap replaceDims(AffineMap map, unsigned count) {
    return map.replaceDimsAndSymbols(dims, {}, count, map.getNumSymbols());
  }
  IntegerSet replaceDims(IntegerSet set, unsigned count) {
    return set.replaceDimsAndSymbols(dims, {}, count, set.getNumSymbols());
  }

  /// Replaces the dims of each point op of `body` by the indexes of the element of a cell.
  void replaceDims(Region &body, unsigned count) {
    body.walk([&](Operation *inner) {
      if (auto read = dyn_cast<te::ReadOp>(inner)) {
        read.setMap(replaceDims(read.getMap(), count));
        if (read.getGuard())
          read.setGuard(replaceDims(*read.getGuard(), count));
      } else if (auto index = dyn_cast<te::IndexOp>(inner)) {
        index.setMap(replaceDims(index.getMap(), count));
      } else if (auto inside = dyn_cast<te::InsideOp>(inner)) {
        inside.setSet(replaceDims(inside.getSet(), count));
      }
    });
  }

  void replaceSets() {
    ArrayAttr where = compute.getWhereAttr();
    if (!where)
      return;
    SmallVector<Attribute> sets;
    for (auto attr : where.getAsRange<IntegerSetAttr>())
      sets.push_back(IntegerSetAttr::get(replaceDims(attr.getValue(), numParallel)));
    compute.setWhereAttr(ArrayAttr::get(context, sets));
  }

  void replaceSizes() {
    SmallVector<OpFoldResult> sizes =
        substituteSizes(layout.getPhysicalShape(), compute.getParallelSizes());
    llvm::append_range(sizes, compute.getReductionSizes());
    SmallVector<int64_t> staticSizes;
    SmallVector<Value> dynamicSizes;
    te::dispatchSizes(sizes, staticSizes, dynamicSizes);
    compute.setStaticSizes(staticSizes);
    compute.getDynamicSizesMutable().assign(dynamicSizes);
    compute.setNumParallel(numParallel);
  }

  /// Makes all reads in `root` give zero at cells without an element.
  void guardReads(Operation *root) {
    root->walk([&](te::ReadOp read) { guardRead(read); });
  }

  /// Makes the epilogue of a reduction give zeros at cells without an element. If there is none,
  /// adds one.
  void endWithZeros() {
    OpBuilder builder(context);
    Region &epilogue = compute.getEpilogue();
    if (epilogue.empty()) {
      Block &block = epilogue.emplaceBlock();
      for (Attribute init : compute.getInitAttr())
        block.addArgument(cast<TypedAttr>(init).getType(), compute.getLoc());
      builder.setInsertionPointToStart(&block);
      te::YieldOp::create(builder, compute.getLoc(), block.getArguments());
    }
    epilogue.walk([&](te::ReadOp read) { guardRead(read); });
    Operation *yield = epilogue.front().getTerminator();
    builder.setInsertionPoint(yield);
    auto set = IntegerSet::get(numParallel, 0, guard, SmallVector<bool>(guard.size(), false));
    Value inside = te::InsideOp::create(builder, yield->getLoc(), ValueRange(), set);
    for (OpOperand &value : yield->getOpOperands()) {
      Value zero = arith::ConstantOp::create(builder, yield->getLoc(),
                                             builder.getZeroAttr(value.get().getType()));
      value.set(arith::SelectOp::create(builder, yield->getLoc(), inside, value.get(), zero));
    }
  }

  void guardRead(te::ReadOp read) {
    AffineMap map = read.getMap();
    SmallVector<AffineExpr> constraints;
    SmallVector<bool> equalities;
    if (std::optional<IntegerSet> old = read.getGuard()) {
      llvm::append_range(constraints, old->getConstraints());
      llvm::append_range(equalities, old->getEqFlags());
    } else {
      read.setPadAttr(Builder(context).getZeroAttr(read.getType()));
    }
    llvm::append_range(constraints, guard);
    equalities.append(guard.size(), false);
    read.setGuard(IntegerSet::get(map.getNumDims(), map.getNumSymbols(), constraints, equalities));
  }

  /// Restricts the pieces to the cells with an element, and adds pieces of zeros for the others.
  void addZeroPieces() {
    SmallVector<Attribute> sets;
    unsigned numSymbols = compute.getSymbols().size();
    for (unsigned piece = 0; piece < compute.getPieces().size(); ++piece) {
      SmallVector<AffineExpr> constraints(guard);
      SmallVector<bool> equalities(guard.size(), false);
      if (IntegerSet old = compute.getPieceSet(piece)) {
        llvm::append_range(constraints, old.getConstraints());
        llvm::append_range(equalities, old.getEqFlags());
      }
      sets.push_back(
          IntegerSetAttr::get(IntegerSet::get(numParallel, numSymbols, constraints, equalities)));
    }
    for (IntegerSet padding : getPaddingSets(numParallel, guard))
      sets.push_back(IntegerSetAttr::get(IntegerSet::get(
          numParallel, numSymbols, padding.getConstraints(), padding.getEqFlags())));
    rebuild(sets);
  }

  /// Replaces the op by one with a piece for each of `sets`: first its own pieces, then zeros,
  /// which a reduction adds up.
  void rebuild(ArrayRef<Attribute> sets) {
    OpBuilder builder(compute);
    auto padded = te::ComputeOp::create(
        builder, compute.getLoc(), compute.getResultTypes(), compute.getDynamicSizes(),
        compute.getSymbols(), compute.getStaticSizes(), compute.getNumParallel(),
        compute.getInitAttr(), builder.getArrayAttr(sets), compute.getLabelAttr(), sets.size());
    SmallVector<Type> types =
        llvm::map_to_vector(compute.getPieces().front().front().getTerminator()->getOperands(),
                            [](Value value) { return value.getType(); });
    padded.getCombiner().takeBody(compute.getCombiner());
    padded.getEpilogue().takeBody(compute.getEpilogue());
    unsigned numOld = compute.getPieces().size();
    for (auto [to, from] : llvm::zip(padded.getPieces(), compute.getPieces()))
      to.takeBody(from);
    for (Region &piece : padded.getPieces().drop_front(numOld)) {
      builder.setInsertionPointToStart(&piece.emplaceBlock());
      SmallVector<Value> zeros;
      for (Type type : types)
        zeros.push_back(
            arith::ConstantOp::create(builder, compute.getLoc(), builder.getZeroAttr(type)));
      te::YieldOp::create(builder, compute.getLoc(), zeros);
    }
    compute.replaceAllUsesWith(padded.getResults());
    compute.erase();
  }

  StoreOp op;
  te::ComputeOp compute;
  const TensorLayout &layout;
  MLIRContext *context;
  unsigned numParallel, numDims; ///< of the new domain
  SmallVector<AffineExpr> cell;  ///< the new dims
  SmallVector<AffineExpr> dims;  ///< the old dims as expressions of the new ones
  SmallVector<AffineExpr> guard; ///< holds for cells with an element
};
} // namespace

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Drops the guard of `read`, or a part of it, where the padding of its source replaces it.
static void dropGuard(te::ReadOp read, const KernelStore &store, bool explain) {
  if (!read.getGuard())
    return;
  StringRef obstacle = store.hasZeroPadding ? findObstacleToDropping(read)
                                            : "the padding may hold other values than zero";
  unsigned dropped = obstacle.empty() ? dropConstraints(read, store.layout) : 0;
  if (!explain)
    return;
  auto options = remark::RemarkOpts::name("guard").category("layout-materialize-stores");
  if (dropped != 0)
    remark::passed(read.getLoc(), options)
        << remark::metric("Constraints", static_cast<int64_t>(dropped));
  if (dropped == 0 || read.getGuard())
    remark::missed(read.getLoc(), options) << remark::reason(
        "{0}", obstacle.empty() ? "it also fails elsewhere than in the padding" : obstacle);
}

static LogicalResult rewriteParameter(te::KernelOp kernel, const KernelStore &store, bool explain) {
  unsigned number = *store.parameter;
  const TensorLayout &layout = store.layout;
  BlockArgument parameter = kernel.getArgument(number);
  auto type = cast<RankedTensorType>(parameter.getType());
  if (DenseI64ArrayAttr sizes = kernel.getSizesAttr(number)) {
    SmallVector<int64_t> moved;
    for (AffineExpr size : layout.getPhysicalShape()) {
      auto symbol = dyn_cast<AffineSymbolExpr>(size);
      moved.push_back(symbol ? sizes[symbol.getPosition()] : -1);
    }
    kernel.setSizes(number, moved);
  }
  if (failed(readCells(store.op, parameter, layout)))
    return failure();
  parameter.setType(RankedTensorType::get(layout.getPhysicalTypeShape(), type.getElementType()));
  if (!layout.isBijective())
    for (Operation *user : parameter.getUsers())
      dropGuard(cast<te::ReadOp>(user), store, explain);
  return success();
}

/// Returns how many dims of the last expression index the rows of each other expression, by label.
static llvm::StringMap<unsigned> countRows(te::KernelOp kernel) {
  SmallVector<te::ComputeOp> expressions(kernel.getBodyBlock().getOps<te::ComputeOp>());
  llvm::StringMap<unsigned> rows;
  if (expressions.size() < 2 ||
      llvm::range_size(kernel.getBodyBlock().getOps<te::ExpressionOpInterface>()) !=
          expressions.size())
    return rows;
  te::ComputeOp root = expressions.pop_back_val();
  for (te::ComputeOp expression : expressions)
    rows[expression.getLabel().value_or("")] = countRowDims(root, expression);
  return rows;
}

static void removeStores(te::KernelOp kernel, ArrayRef<KernelStore> stores) {
  for (const KernelStore &store : stores)
    StoreOp(store.op).erase();
  Region &schedule = kernel.getSchedule();
  if (schedule.front().empty())
    schedule.getBlocks().clear();
}

static void setFunctionType(te::KernelOp kernel) {
  kernel.setFunctionType(
      FunctionType::get(kernel.getContext(), kernel.getBody().getArgumentTypes(),
                        kernel.getBodyBlock().getTerminator()->getOperandTypes()));
}

LogicalResult layout::applyStores(te::KernelOp kernel, ArrayRef<KernelStore> stores, bool explain) {
  if (stores.empty())
    return success();
  llvm::StringMap<unsigned> rowsBefore = countRows(kernel);
  for (const KernelStore &store : stores)
    if (store.expression && failed(ExpressionRewriter(store).run()))
      return failure();
  for (const KernelStore &store : stores)
    if (store.parameter && failed(rewriteParameter(kernel, store, explain)))
      return failure();
  setFunctionType(kernel);
  kernel.walk([](te::ReadOp read) { simplifyDivisions(read); });
  for (const auto &[label, rows] : countRows(kernel))
    if (rows == 0 && rowsBefore.lookup(label) != 0) {
      StoreOp first = stores.front().op;
      return first.emitOpError("with the stores of kernel '")
             << kernel.getSymName() << "', '" << label << "' cannot be computed row by row";
    }
  removeStores(kernel, stores);
  return success();
}

OwningOpRef<te::KernelOp> layout::applyStoresToCopy(te::KernelOp kernel,
                                                    const std::vector<bool> &zeroPadded) {
  OwningOpRef<te::KernelOp> copy = kernel.clone();
  ScopedDiagnosticHandler silence(kernel.getContext(), [](Diagnostic &) { return success(); });
  FailureOr<std::vector<KernelStore>> stores = getStores(*copy);
  if (failed(stores))
    return {};
  for (KernelStore &store : *stores)
    store.hasZeroPadding = store.parameter && !zeroPadded.empty() && zeroPadded[*store.parameter];
  if (failed(applyStores(*copy, *stores, /*explain=*/false)))
    return {};
  return copy;
}
