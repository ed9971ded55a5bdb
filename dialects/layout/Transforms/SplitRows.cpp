//===- SplitRows.cpp - first phases of row reductions behind products ----===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For each launch that computes rows of a tensor (a layer normalisation, a softmax) and each
/// product that writes this tensor:
/// 1. The iterations of the product write boxes, which are as wide as their loops say. This width
///    is the length of a part.
/// 2. The kernel of the product gets the first phase of each reduction of the rows, computed after
///    its innermost bound loop, and returns it.
/// 3. The kernel of the rows takes it, and has the second phase instead of the reduction.
///
//===----------------------------------------------------------------------===//

#include "dialects/layout/Analysis/Schedule.h"
#include "dialects/layout/Transforms/KernelVariants.h"
#include "dialects/layout/Transforms/Passes.h"
#include "dialects/layout/Transforms/RowParts.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::tssa::layout {
#define GEN_PASS_DEF_SPLITROWS
#include "dialects/layout/Transforms/Passes.h.inc"
} // namespace mlir::tssa::layout

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// A part of fewer elements costs more to store and to combine than it saves.
static constexpr int64_t leastLength = 16;
/// A product of a longer sum takes so long that the first phase does not matter.
static constexpr int64_t leastProduct = 64;

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

/// Returns the lanes of the vectors over the last dim of `compute`, or nothing if there are none.
static std::optional<int64_t> findLanes(te::ComputeOp compute) {
  std::optional<Schedule> schedule = findSchedule(compute);
  const TileGroup *group = schedule ? schedule->getVector() : nullptr;
  if (!group || schedule->loops[group->inner.back()].dims.back() + 1 != compute.getNumDims())
    return std::nullopt;
  return group->factors.back();
}

/// Returns how many elements along `dim`, which has `size` of them, one iteration writes. Returns
/// nothing if its loops are fused with others, or an inner one is bound.
static std::optional<int64_t> getWidth(const Schedule &schedule, unsigned dim, int64_t size) {
  int64_t width = 1;
  bool isFirst = true, isBound = false;
  for (unsigned id : schedule.order) {
    const ScheduledLoop &loop = schedule.loops[id];
    if (!llvm::is_contained(loop.dims, dim))
      continue;
    if (loop.dims.size() > 1)
      return std::nullopt;
    bool binds = loop.kind == LoopKind::Parallel || loop.kind == LoopKind::Thread;
    auto extent = dyn_cast<AffineConstantExpr>(loop.extent);
    if (!isFirst && (binds || !extent))
      return std::nullopt;
    if (isFirst)
      isBound = binds;
    else
      width *= extent.getValue();
    isFirst = false;
  }
  return isBound ? width : size;
}

/// Writes the loops of a first phase, and that it follows `loop`.
static void schedulePart(te::KernelOp kernel, te::ComputeOp parts, int64_t lanes, Value loop) {
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.getSchedule().front());
  Location loc = parts.getLoc();
  Type type = LoopType::get(kernel.getContext());
  int64_t vectors = *te::getConstantSize(parts.getReductionSizes().front()) / lanes;
  auto loops =
      LoopsOp::create(builder, loc, SmallVector<Type>(parts.getNumDims(), type), *parts.getLabel());
  bool isTiled = vectors > 1 && vectors <= 4;
  SmallVector<int64_t> factors{lanes};
  if (isTiled)
    factors.insert(factors.begin(), vectors);
  auto split = SplitOp::create(builder, loc, SmallVector<Type>(factors.size() + 1, type),
                               loops.getLoops().back(), factors);
  if (isTiled)
    RegisterTileOp::create(builder, loc, split.getLoops()[1]);
  VectorizeOp::create(builder, loc, split.getLoops().back());
  ComputeAfterOp::create(builder, loc, *parts.getLabel(), loop);
}

static std::string makeLabel(te::KernelOp kernel) {
  llvm::StringSet<> used;
  for (auto op : kernel.getBodyBlock().getOps<te::ComputeOp>())
    used.insert(op.getLabel().value_or(""));
  unsigned number = 0;
  while (used.contains(("parts" + Twine(number)).str()))
    ++number;
  return ("parts" + Twine(number)).str();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
/// A product and the launch that computes the rows of its result.
struct Pair {
  te::LaunchOp product, rows;
  unsigned result, operand; ///< of the product, and of the rows
  int64_t length = 0, lanes = 0;
};

/// Returns the expression whose result the kernel returns as number `result`.
te::ComputeOp findWriter(te::KernelOp kernel, unsigned result) {
  return kernel.getBodyBlock().getTerminator()->getOperand(result).getDefiningOp<te::ComputeOp>();
}

/// Returns the reductions of the rows of parameter `operand` that are computed row by row.
SmallVector<RowReduction> findRows(te::KernelOp kernel, unsigned operand) {
  llvm::StringSet<> inner;
  for (auto at : kernel.getSchedule().getOps<ComputeAtOp>())
    inner.insert(at.getLabel());
  SmallVector<RowReduction> rows;
  for (auto op : kernel.getBodyBlock().getOps<te::ComputeOp>())
    if (inner.contains(op.getLabel().value_or("")))
      if (auto row = matchRowReduction(op, kernel.getArgument(operand), rows))
        if (rows.empty() || row->dim == rows.front().dim)
          rows.push_back(*row);
  return rows;
}

struct SplitRows : layout::impl::SplitRowsBase<SplitRows> {
  using SplitRowsBase::SplitRowsBase;

  void runOnOperation() final {
    if (apply == ::tssa::Apply::Never)
      return;
    KernelVariants kernels(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](te::LaunchOp launch) { visit(launch, kernels); });
    kernels.eraseUnused();
  }

private:
  void visit(te::LaunchOp launch, KernelVariants &kernels) {
    te::KernelOp kernel = kernels.lookup(launch);
    for (unsigned operand = 0; kernel && operand < launch.getInputs().size(); ++operand) {
      auto product = launch.getInputs()[operand].getDefiningOp<te::LaunchOp>();
      SmallVector<RowReduction> rows = product && kernels.lookup(product)
                                           ? findRows(kernel, operand)
                                           : SmallVector<RowReduction>();
      if (rows.empty())
        continue;
      auto result = cast<OpResult>(launch.getInputs()[operand]).getResultNumber();
      Pair pair{product, launch, result, operand};
      StringRef obstacle = findObstacle(pair, rows, kernels.lookup(product), kernel);
      if (obstacle.empty())
        return split(pair, rows, kernels);
      remark::missed(launch.getLoc(), getOptions())
          << remark::metric("Kernel", launch.getKernel()) << remark::reason("{0}", obstacle);
    }
  }

  static remark::RemarkOpts getOptions() {
    return remark::RemarkOpts::name("phases").category("layout-split-rows");
  }

  /// Sets the length of a part and the lanes. Returns why the rows cannot be split, or "".
  StringRef findObstacle(Pair &pair, ArrayRef<RowReduction> rows, te::KernelOp product,
                         te::KernelOp kernel) {
    te::ComputeOp writer = findWriter(product, pair.result);
    if (!writer || writer.getPieces().size() != 1 || writer.getPieceSet(0) ||
        !product.getSchedule().getOps<ComputeAfterOp>().empty())
      return "what writes the rows has pieces, or computes parts for other rows";
    if (apply != ::tssa::Apply::Always && !isLongProduct(writer))
      return "what writes the rows is not a product, or has a short sum";
    if (product.getResultWindow(pair.result) || kernel.getArgumentWindow(pair.operand))
      return "the rows lie in a larger tensor";
    std::optional<Schedule> schedule = findSchedule(writer);
    if (!schedule)
      return "what writes the rows has no loops yet";
    te::ComputeOp first = rows.front().op;
    int64_t size = *te::getConstantSize(first.getReductionSizes().front());
    for (auto [dim, parallel] : llvm::enumerate(writer.getParallelSizes())) {
      int64_t whole = te::getConstantSize(parallel).value_or(ShapedType::kDynamic);
      std::optional<int64_t> width = getWidth(*schedule, dim, whole);
      if (!width)
        return "an iteration does not write consecutive elements";
      if (dim == rows.front().dim)
        pair.length = *width;
    }
    if (schedule->parallel.empty())
      return "one iteration writes all rows";
    if (pair.length < leastLength || size % pair.length != 0)
      return "the width of an iteration does not divide a row into long parts";
    pair.lanes = findLanes(first).value_or(0);
    if (pair.lanes == 0 || pair.length % pair.lanes != 0)
      return "a part does not consist of whole vectors";
    return "";
  }

  static bool isLongProduct(te::ComputeOp writer) {
    if (!writer.hasReduction())
      return false;
    int64_t points = 1;
    for (OpFoldResult size : writer.getReductionSizes())
      points *= te::getConstantSize(size).value_or(leastProduct);
    return points >= leastProduct;
  }

  void split(Pair pair, ArrayRef<RowReduction> rows, KernelVariants &kernels) {
    te::KernelOp kernel = kernels.lookup(pair.rows);
    std::string change = (kernel.getSymName() + "/" + Twine(pair.result) + "/" +
                          Twine(pair.operand) + "/" + Twine(pair.length))
                             .str();
    remark::passed(pair.rows.getLoc(), getOptions())
        << remark::metric("Product", pair.product.getKernel())
        << remark::metric("Kernel", kernel.getSymName())
        << remark::metric("Reductions", rows.size()) << remark::metric("Length", pair.length);
    SmallVector<Value> parts = extendProduct(pair, rows, change, kernels);
    extendRows(pair, parts, change, kernels);
    numSplit += rows.size();
  }

  /// Makes the product return the first phases too. Returns these results.
  SmallVector<Value> extendProduct(Pair &pair, ArrayRef<RowReduction> rows, StringRef change,
                                   KernelVariants &kernels) {
    te::LaunchOp old = pair.product;
    SmallVector<Type> types(old.getResultTypes());
    SmallVector<Value> sizes(old.getResultSizes());
    auto tensor = cast<RankedTensorType>(types[pair.result]);
    for (const RowReduction &row : rows) {
      SmallVector<int64_t> shape;
      for (std::optional<unsigned> dim : getRowDims(row)) {
        shape.push_back(dim ? tensor.getDimSize(*dim) : 1);
        if (dim && tensor.isDynamicDim(*dim))
          sizes.push_back(findSize(old, pair.result, *dim));
      }
      shape.push_back(tensor.getDimSize(row.dim) / pair.length);
      types.push_back(
          RankedTensorType::get(shape, te::ComputeOp(row.op).getAccumulatorTypes().front()));
    }
    OpBuilder builder(old);
    auto extended = te::LaunchOp::create(builder, old.getLoc(), types, old.getKernelAttr(),
                                         old.getInputs(), sizes, ValueRange());
    kernels.change(extended, change, [&](te::KernelOp copy) { addParts(copy, rows, pair); });
    unsigned numOld = old.getNumResults();
    old.replaceAllUsesWith(extended.getResults().take_front(numOld));
    kernels.release(old);
    return llvm::to_vector_of<Value>(extended.getResults().drop_front(numOld));
  }

  /// Returns the value of the size of dynamic dim `dim` of a result.
  static Value findSize(te::LaunchOp launch, unsigned result, unsigned dim) {
    unsigned number = 0;
    for (unsigned i = 0; i <= result; ++i) {
      auto type = cast<RankedTensorType>(launch.getResultTypes()[i]);
      number +=
          type.getNumDynamicDims() -
          (i == result ? llvm::count(type.getShape().drop_front(dim), ShapedType::kDynamic) : 0);
    }
    return launch.getResultSizes()[number];
  }

  /// Adds the first phases to the kernel of a product.
  static void addParts(te::KernelOp kernel, ArrayRef<RowReduction> rows, const Pair &pair) {
    te::ComputeOp writer = findWriter(kernel, pair.result);
    Schedule schedule = *findSchedule(writer);
    Value loop = schedule.loops[schedule.parallel.back()].handle;
    Operation *terminator = kernel.getBodyBlock().getTerminator();
    OpBuilder builder(terminator);
    SmallVector<Type> types(kernel.getResultTypes());
    SmallVector<te::ComputeOp> parts;
    for (const RowReduction &row : rows) {
      const auto *mean = llvm::find_if(rows, [&](auto &other) { return other.op == row.mean; });
      te::ComputeOp first = buildRowParts(
          builder, row, terminator->getOperand(pair.result), writer.getParallelSizes(), pair.length,
          mean == rows.end() ? te::ComputeOp() : parts[mean - rows.begin()]);
      first.setLabel(makeLabel(kernel));
      schedulePart(kernel, first, pair.lanes, loop);
      parts.push_back(first);
      types.push_back(first.getResult(0).getType());
      terminator->insertOperands(terminator->getNumOperands(), first.getResult(0));
    }
    kernel.setFunctionType(builder.getFunctionType(kernel.getArgumentTypes(), types));
    if (ArrayAttr old = kernel.getResAttrsAttr()) {
      SmallVector<Attribute> attrs(old.begin(), old.end());
      attrs.append(rows.size(), builder.getDictionaryAttr({}));
      kernel.setResAttrsAttr(builder.getArrayAttr(attrs));
    }
  }

  /// Makes the launch of the rows read `parts`.
  static void extendRows(Pair &pair, ArrayRef<Value> parts, StringRef change,
                         KernelVariants &kernels) {
    te::LaunchOp old = pair.rows;
    unsigned position = 0; // behind the last tensor
    for (auto [number, type] : llvm::enumerate(old.getInputs().getTypes()))
      if (isa<TensorType>(type))
        position = number + 1;
    kernels.change(old, change, [&](te::KernelOp copy) {
      SmallVector<RowReduction> rows = findRows(copy, pair.operand);
      addParameters(copy, rows, pair, position, parts);
      combine(copy, rows, position, pair.length);
    });
    old.getInputsMutable().slice(position, 0).append(parts);
  }

  /// Adds a parameter for each of `parts`.
  static void addParameters(te::KernelOp kernel, ArrayRef<RowReduction> rows, const Pair &pair,
                            unsigned position, ArrayRef<Value> parts) {
    Builder builder(kernel.getContext());
    SmallVector<Type> types(kernel.getArgumentTypes());
    SmallVector<Attribute> attrs(types.size(), builder.getDictionaryAttr({}));
    if (ArrayAttr old = kernel.getArgAttrsAttr())
      attrs.assign(old.begin(), old.end());
    SmallVector<SmallVector<int64_t>> sizes(types.size());
    for (unsigned arg = 0; arg < types.size(); ++arg)
      if (DenseI64ArrayAttr own = kernel.getSizesAttr(arg))
        sizes[arg].assign(own.asArrayRef().begin(), own.asArrayRef().end());
    for (auto [number, part] : llvm::enumerate(parts)) {
      SmallVector<int64_t> own;
      if (!cast<RankedTensorType>(part.getType()).hasStaticShape()) {
        for (std::optional<unsigned> dim : getRowDims(rows[number]))
          own.push_back(dim ? sizes[pair.operand][*dim] : -1);
        own.push_back(-1);
      }
      sizes.insert(sizes.begin() + position + number, own);
      types.insert(types.begin() + position + number, part.getType());
      attrs.insert(attrs.begin() + position + number, builder.getDictionaryAttr({}));
      kernel.getBodyBlock().insertArgument(position + number, part.getType(), kernel.getLoc());
    }
    kernel.setArgAttrsAttr(builder.getArrayAttr(attrs));
    kernel.setFunctionType(builder.getFunctionType(types, kernel.getResultTypes()));
    for (auto [arg, own] : llvm::enumerate(sizes)) {
      for (int64_t &size : own)
        size += size >= int64_t(position) ? parts.size() : 0;
      if (!own.empty())
        kernel.setSizes(arg, own);
    }
  }

  /// Replaces the reductions of a kernel by their second phases.
  static void combine(te::KernelOp kernel, SmallVector<RowReduction> &rows, unsigned position,
                      int64_t length) {
    SmallVector<te::ComputeOp> originals;
    for (auto [number, row] : llvm::enumerate(rows)) {
      Value meanParts;
      const auto *mean = llvm::find(originals, row.mean);
      originals.push_back(row.op);
      if (row.mean) {
        unsigned ofMean = mean - originals.begin();
        meanParts = kernel.getArgument(position + ofMean);
        row.mean = rows[ofMean].op; // its second phase
      }
      row.op = combineRowParts(row, kernel.getArgument(position + number), meanParts, length);
    }
  }
};
} // namespace
