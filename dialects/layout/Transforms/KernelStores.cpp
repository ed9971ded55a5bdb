//===- KernelStores.cpp - the stores of a kernel -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/KernelStores.h"
#include "dialects/layout/Analysis/WindowedReads.h"
#include "dialects/layout/Template/StoreMaps.h"
#include "dialects/te/IR/PointOps.h"
#include "mlir/IR/IntegerSet.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

static SmallVector<AffineExpr> getDims(MLIRContext *context, unsigned count) {
  SmallVector<AffineExpr> dims;
  for (unsigned dim = 0; dim < count; ++dim)
    dims.push_back(getAffineDimExpr(dim, context));
  return dims;
}

static bool hasSymbols(ArrayRef<GuardedIndex> cases) {
  auto depends = [](AffineExpr expr) {
    return expr
        .walk([](AffineExpr inner) {
          return isa<AffineSymbolExpr>(inner) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  };
  return llvm::any_of(cases, [&](const GuardedIndex &entry) {
    return llvm::any_of(entry.index, depends) || llvm::any_of(entry.guard, depends);
  });
}

/// Returns whether dynamic sizes are only moved: nothing is computed from them.
static bool keepsDynamicSizes(const TensorLayout &layout, ArrayRef<GuardedIndex> cells,
                              ArrayRef<GuardedIndex> elements) {
  return layout.getConditions().empty() && !hasSymbols(cells) && !hasSymbols(elements) &&
         llvm::all_of(layout.getPhysicalShape(), [](AffineExpr size) {
           return isa<AffineConstantExpr, AffineSymbolExpr>(size);
         });
}

/// Returns whether some elements may have no cell. `cells` are the cases of `getCell`.
static bool dropsElements(const TensorLayout &layout, ArrayRef<GuardedIndex> cells) {
  if (layout.getCopyCounts().empty())
    return cells.size() != 1 || !cells.front().guard.empty();
  return llvm::any_of(layout.getMap().getPrimitives(), [](const Primitive &primitive) {
    return primitive.kind == Primitive::Kind::Unpad || primitive.kind == Primitive::Kind::Fold;
  });
}

FailureOr<TensorLayout> layout::getLayout(const LayoutMap &map, RankedTensorType type,
                                          Refuse refuse) {
  MLIRContext *context = type.getContext();
  FailureOr<TensorLayout> layout = TensorLayout::get(map, type.getShape(), context, refuse);
  if (failed(layout))
    return failure();
  auto cells = layout->getCell(getDims(context, type.getRank()));
  auto elements = layout->getElement(getDims(context, layout->getPhysicalShape().size()));
  auto refuseWith = [&](const Twine &reason) {
    refuse(reason);
    return failure();
  };
  if (!keepsDynamicSizes(*layout, cells, elements))
    return refuseWith("dynamic sizes can be reordered, but nothing can be computed from them");
  if (elements.size() != 1 || dropsElements(*layout, cells))
    return refuseWith("some elements are not stored");
  std::optional<Growth> growth = layout->getGrowth();
  if (!growth || growth->asRatio() > mostCellsPerElement)
    return refuseWith("there are more than " + Twine(mostCellsPerElement) + " cells per element");
  return layout;
}

static bool isOne(AffineExpr size) { return getConstant(size) == 1; }

/// Replaces the index 0 in each dim of size 1 of `index` by an entry of `from` for a dim of size 1,
/// in order, as far as there are such entries.
static void useDimsOfSizeOne(MutableArrayRef<AffineExpr> index, ArrayRef<AffineExpr> shape,
                             ArrayRef<AffineExpr> from, ArrayRef<AffineExpr> fromShape) {
  SmallVector<AffineExpr> unused;
  for (auto [expr, size] : llvm::zip_equal(from, fromShape))
    if (isOne(size))
      unused.push_back(expr);
  ArrayRef<AffineExpr> left = unused;
  for (auto [expr, size] : llvm::zip_equal(index, shape))
    if (isOne(size) && getConstant(expr) == 0 && !left.empty()) {
      expr = left.front();
      left = left.drop_front();
    }
}

GuardedIndex layout::getElement(const TensorLayout &layout, ArrayRef<AffineExpr> cell) {
  GuardedIndex element = layout.getElement(cell).front();
  useDimsOfSizeOne(element.index, layout.getLogicalShape(), cell, layout.getPhysicalShape());
  for (AffineExpr &expr : element.guard)
    expr = simplifyAffineExpr(expr, cell.size(), 0);
  return element;
}

SmallVector<AffineExpr> layout::getCell(const TensorLayout &layout, ArrayRef<AffineExpr> element) {
  SmallVector<AffineExpr> cell = layout.getCell(element).front().index;
  useDimsOfSizeOne(cell, layout.getPhysicalShape(), element, layout.getLogicalShape());
  return cell;
}

FailureOr<SmallVector<AffineExpr>>
layout::getCellOfRead(te::ReadOp read, const TensorLayout &layout, Refuse refuse) {
  ArrayRef<AffineExpr> element = read.getMap().getResults();
  if (layout.getCopyCounts().empty())
    return getCell(layout, element);
  FailureOr<WindowedIndex> cell =
      layout.getCellInWindows(element, findSlidingWindows(read), refuse);
  if (failed(cell))
    return failure();
  useDimsOfSizeOne(cell->index, layout.getPhysicalShape(), element, layout.getLogicalShape());
  return std::move(cell->index);
}

/// Returns whether `expr` >= 0 bounds a single dim: d0 - 1 or -d0 + 5.
static bool isBound(AffineExpr expr) {
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (sum && sum.getKind() == AffineExprKind::Add && isa<AffineConstantExpr>(sum.getRHS()))
    expr = sum.getLHS();
  auto product = dyn_cast<AffineBinaryOpExpr>(expr);
  if (product && product.getKind() == AffineExprKind::Mul && product.getRHS() == -1)
    expr = product.getLHS();
  return isa<AffineDimExpr>(expr);
}

bool layout::hasBorder(const TensorLayout &layout) {
  SmallVector<AffineExpr> cell;
  for (auto [dim, size] : llvm::enumerate(layout.getPhysicalShape()))
    cell.push_back(getAffineDimExpr(dim, size.getContext()));
  SmallVector<AffineExpr> guard = getElement(layout, cell).guard;
  return !guard.empty() && llvm::all_of(guard, isBound) &&
         llvm::none_of(layout.getMap().getPrimitives(), [](const Primitive &primitive) {
           return primitive.kind == Primitive::Kind::PadTo;
         });
}

bool layout::padsWithZeros(te::ComputeOp compute, const TensorLayout &layout) {
  auto isReturn = [](Operation *user) { return isa<te::ReturnOp>(user); };
  return !compute.hasReduction() || (compute.getPieces().size() == 1 && hasBorder(layout) &&
                                     llvm::all_of(compute->getUsers(), isReturn));
}

SmallVector<IntegerSet> layout::getPaddingSets(unsigned numDims, ArrayRef<AffineExpr> guard) {
  SmallVector<IntegerSet> sets;
  for (unsigned i = 0; i < guard.size(); ++i) {
    SmallVector<AffineExpr> constraints(guard.take_front(i));
    constraints.push_back(simplifyAffineExpr(-guard[i] - 1, numDims, 0));
    sets.push_back(IntegerSet::get(numDims, 0, constraints, SmallVector<bool>(i + 1, false)));
  }
  return sets;
}

//===----------------------------------------------------------------------===//
// Reading stores
//===----------------------------------------------------------------------===//

static bool isRead(Operation *user) { return isa<te::ReadOp>(user); }
static bool isReadOrReturned(Operation *user) { return isa<te::ReadOp, te::ReturnOp>(user); }

static LogicalResult findParameter(te::KernelOp kernel, KernelStore &store,
                                   RankedTensorType &type) {
  uint64_t number = *store.op.getParameter();
  type = number < kernel.getNumArguments()
             ? dyn_cast<RankedTensorType>(kernel.getArgumentTypes()[number])
             : RankedTensorType();
  if (!type)
    return store.op.emitOpError("parameter ") << number << " of kernel '" << kernel.getSymName()
                                              << "' is not a tensor or does not exist";
  if (!llvm::all_of(kernel.getArgument(number).getUsers(), isRead))
    return store.op.emitOpError("parameter ")
           << number << " of kernel '" << kernel.getSymName()
           << "' cannot be stored in another layout: not only te.read uses it";
  store.parameter = number;
  return success();
}

static LogicalResult findExpression(te::KernelOp kernel, KernelStore &store,
                                    RankedTensorType &type) {
  StringRef label = *store.op.getLabel();
  SmallVector<Operation *, 1> labelled;
  for (auto expression : kernel.getBodyBlock().getOps<te::ExpressionOpInterface>())
    if (StringAttr name = expression.getLabelAttr(); name && name.getValue() == label)
      labelled.push_back(expression);
  if (labelled.size() != 1)
    return store.op.emitOpError("kernel '")
           << kernel.getSymName() << "' has " << (labelled.empty() ? "no" : "more than one")
           << " expression '" << label << "'";
  Operation *found = labelled.front();
  store.expression = dyn_cast<te::ComputeOp>(found);
  if (!store.expression)
    return store.op.emitOpError("the results of ")
           << found->getName() << " '" << label << "' cannot be stored in another layout";
  if (!llvm::all_of(found->getUsers(), isReadOrReturned))
    return store.op.emitOpError("expression '")
           << label << "' cannot be stored in another layout: not only te.read uses its results";
  type = cast<RankedTensorType>(found->getResult(0).getType());
  return success();
}

/// Returns whether an opaque index of one of `tensors` that is out of bounds may become the index
/// of a cell.
static bool losesBounds(const LayoutMap &map, ValueRange tensors) {
  auto keepsBounds = [](const Primitive &primitive) {
    return primitive.kind == Primitive::Kind::Split || primitive.kind == Primitive::Kind::Reorder;
  };
  auto isOpaque = [](Operation *user) {
    auto read = dyn_cast<te::ReadOp>(user);
    return read && te::hasOpaqueIndex(read);
  };
  return !llvm::all_of(map.getPrimitives(), keepsBounds) &&
         llvm::any_of(tensors,
                      [&](Value tensor) { return llvm::any_of(tensor.getUsers(), isOpaque); });
}

bool layout::canStore(te::KernelOp kernel, unsigned parameter, const LayoutMap &map) {
  BlockArgument tensor = kernel.getArgument(parameter);
  if (!llvm::all_of(tensor.getUsers(), isRead) || losesBounds(map, ValueRange(tensor)))
    return false;
  auto ignore = [](const Twine &) {};
  FailureOr<TensorLayout> layout = getLayout(map, cast<RankedTensorType>(tensor.getType()), ignore);
  return succeeded(layout) && llvm::all_of(tensor.getUsers(), [&](Operation *read) {
           return succeeded(getCellOfRead(cast<te::ReadOp>(read), *layout, ignore));
         });
}

FailureOr<std::vector<KernelStore>> layout::getStores(te::KernelOp kernel) {
  std::vector<KernelStore> stores;
  for (auto op : kernel.getSchedule().getOps<StoreOp>()) {
    KernelStore &store = stores.emplace_back();
    store.op = op;
    RankedTensorType type;
    if (failed(op.getParameter() ? findParameter(kernel, store, type)
                                 : findExpression(kernel, store, type)))
      return failure();
    FailureOr<TensorLayout> layout =
        getLayout(op.getMap().getMap(), type, [&](const Twine &reason) {
          op.emitOpError("the map does not fit ") << type << ": " << reason;
        });
    if (failed(layout))
      return failure();
    store.layout = *layout;
    SmallVector<Value> tensors;
    if (store.parameter)
      tensors.push_back(kernel.getArgument(*store.parameter));
    else
      llvm::append_range(tensors, store.expression->getResults());
    if (losesBounds(layout->getMap(), tensors))
      return op.emitOpError("a tensor that is read at indexes computed from data can only be split "
                            "and reordered");
  }
  return stores;
}

std::vector<std::optional<TensorLayout>> layout::getParameterLayouts(te::KernelOp kernel,
                                                                     ArrayRef<KernelStore> stores) {
  std::vector<std::optional<TensorLayout>> layouts(kernel.getNumArguments());
  for (const KernelStore &store : stores)
    if (store.parameter)
      layouts[*store.parameter] = store.layout;
  return layouts;
}

std::vector<std::optional<TensorLayout>> layout::getResultLayouts(te::KernelOp kernel,
                                                                  ArrayRef<KernelStore> stores) {
  std::vector<std::optional<TensorLayout>> layouts;
  for (Value value : kernel.getBodyBlock().getTerminator()->getOperands()) {
    std::optional<TensorLayout> &layout = layouts.emplace_back();
    for (const KernelStore &store : stores)
      if (store.expression && store.expression == value.getDefiningOp())
        layout = store.layout;
  }
  return layouts;
}

//===----------------------------------------------------------------------===//
// Writing stores
//===----------------------------------------------------------------------===//

/// Returns a builder that inserts after the stores of the schedule.
static OpBuilder buildAfterStores(te::KernelOp kernel) {
  Region &schedule = kernel.getSchedule();
  Block &block = schedule.empty() ? schedule.emplaceBlock() : schedule.front();
  auto end = llvm::find_if_not(block, [](Operation &op) { return isa<StoreOp>(op); });
  return OpBuilder(&block, end);
}

void layout::addStore(te::KernelOp kernel, unsigned parameter, const LayoutMap &map) {
  OpBuilder builder = buildAfterStores(kernel);
  StoreOp::create(builder, kernel.getLoc(), builder.getI64IntegerAttr(parameter),
                  FlatSymbolRefAttr(), MapAttr::get(builder.getContext(), map));
}

void layout::addStore(te::KernelOp kernel, StringRef label, const LayoutMap &map) {
  OpBuilder builder = buildAfterStores(kernel);
  StoreOp::create(builder, kernel.getLoc(), IntegerAttr(),
                  FlatSymbolRefAttr::get(builder.getContext(), label),
                  MapAttr::get(builder.getContext(), map));
}

bool layout::hasLoops(te::KernelOp kernel) {
  return llvm::any_of(kernel.getSchedule().getOps(),
                      [](Operation &op) { return !isa<StoreOp>(op); });
}
