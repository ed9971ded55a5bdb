//===- ChooseOrders.cpp - orders of dims for results of kernels -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launches of the host program are visited once, producers first:
// 1. A contraction with a constant operand stores its results with the output channels (the
//    largest parallel dim that indexes the constant) last. Products are then vectors of channels,
//    and the window of a convolution moves over whole vectors.
// 2. Any other kernel adopts the order of the largest tensor that it reads, if it reads this tensor
//    dim by dim.
// 3. A tensor keeps its order if an op other than a launch uses it, or if a kernel uses it in
//    another way than to read its elements.
// A launch with a new combination of orders gets its own copy of the kernel. A transposing copy is
// removed if its operand's new order has made it an identity.
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/KernelRewriter.h"
#include "dialects/layout/Transforms/KernelVariants.h"
#include "dialects/layout/Transforms/Passes.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/PointOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tssa::layout {
#define GEN_PASS_DEF_CHOOSEORDERS
#include "dialects/layout/Transforms/Passes.h.inc"
} // namespace mlir::tssa::layout

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Returns the order that moves dim `last` to the end.
static Order moveLast(unsigned rank, unsigned last) {
  Order order;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (dim != last)
      order.push_back(dim);
  order.push_back(last);
  return order;
}

static int64_t countElements(RankedTensorType type) {
  int64_t count = 1;
  for (int64_t size : type.getShape())
    count *= ShapedType::isDynamic(size) ? 64 : size;
  return count;
}

static std::string toText(const Order &order) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(order, stream);
  return text;
}

static remark::RemarkOpts getRemarkOptions(StringRef name) {
  return remark::RemarkOpts::name(name).category("layout-choose-orders");
}

/// Returns whether each index i of the read depends on no parallel dim but dim i.
static bool walksDimByDim(te::ReadOp read, te::ComputeOp compute) {
  unsigned rank = compute.getNumParallel();
  if (read.getSourceType().getRank() != rank)
    return false;
  for (auto [i, expr] : llvm::enumerate(read.getMap().getResults()))
    for (unsigned dim = 0; dim < rank; ++dim)
      if (dim != i && expr.isFunctionOfDim(dim))
        return false;
  return true;
}

/// Returns whether `kernel` only copies a tensor, element by element.
static bool isIdentityCopy(te::KernelOp kernel) {
  Operation &terminator = kernel.getBodyBlock().back();
  if (terminator.getNumOperands() != 1)
    return false;
  auto compute = terminator.getOperand(0).getDefiningOp<te::ComputeOp>();
  if (!compute || compute.hasReduction() || compute.getPieces().size() != 1 ||
      !compute.getEpilogue().empty())
    return false;
  auto read = compute.getPieceBlock()->getTerminator()->getOperand(0).getDefiningOp<te::ReadOp>();
  return read && isa<BlockArgument>(read.getSource()) && !read.getGuard() &&
         read.getSourceType() == compute.getResult(0).getType() && read.getMap().isIdentity();
}

namespace {
class OrderChooser {
public:
  explicit OrderChooser(ModuleOp module) : module(module), kernels(module) {}

  unsigned run() {
    SmallVector<te::LaunchOp> launches;
    module.walk([&](te::LaunchOp launch) { launches.push_back(launch); });
    for (te::LaunchOp launch : launches)
      visit(launch);
    for (te::LaunchOp launch : launches)
      dropIdentityCopy(launch);
    kernels.eraseUnused();
    return numReordered;
  }

  unsigned getNumDropped() const { return numDropped; }

private:
  void dropIdentityCopy(te::LaunchOp launch) {
    te::KernelOp kernel = kernels.lookup(launch);
    if (!kernel || !isIdentityCopy(kernel))
      return;
    auto compute = kernel.getBodyBlock().back().getOperand(0).getDefiningOp<te::ComputeOp>();
    auto read =
        cast<te::ReadOp>(compute.getPieceBlock()->getTerminator()->getOperand(0).getDefiningOp());
    Value copy = launch.getResult(0);
    Value source = launch.getInputs()[cast<BlockArgument>(read.getSource()).getArgNumber()];
    if (!orders.contains(source))
      return;
    if (!canTakePlaceOf(source, copy)) {
      remark::missed(launch.getLoc(), getRemarkOptions("copy"))
          << remark::reason("it or its operand leaves the program or a region");
      return;
    }
    remark::passed(launch.getLoc(), getRemarkOptions("copy"))
        << remark::add("its operand is stored in the order of the copy")
        << remark::metric("Elements", countElements(read.getSourceType()));
    copy.replaceAllUsesWith(source);
    kernels.release(launch);
    ++numDropped;
  }

  /// Returns whether `source` can replace `copy`. Two tensors that leave the program or a region
  /// must remain distinct.
  static bool canTakePlaceOf(Value source, Value copy) {
    auto isLaunch = [](Operation *user) { return isa<te::LaunchOp>(user); };
    if (llvm::all_of(copy.getUsers(), isLaunch))
      return true;
    return copy.hasOneUse() && isa<func::ReturnOp>(*copy.user_begin()) &&
           source.getParentBlock() == copy.getParentBlock() &&
           llvm::all_of(source.getUsers(), isLaunch);
  }

  void visit(te::LaunchOp launch) {
    te::KernelOp kernel = kernels.lookup(launch);
    if (!kernel)
      return;
    SmallVector<Order> inputs;
    for (Value input : launch.getInputs())
      inputs.push_back(orders.lookup(input));
    SmallVector<Order> outputs = chooseOutputs(launch, kernel, inputs);
    auto given = [](const Order &order) { return !order.empty(); };
    if (llvm::none_of(inputs, given) && llvm::none_of(outputs, given))
      return;
    kernels.change(launch, describe(inputs, outputs),
                   [&](te::KernelOp copy) { reorder(copy, inputs, outputs); });
    for (auto [result, order] : llvm::zip_equal(launch.getResults(), outputs))
      if (!order.empty())
        orders[result] = order;
    reorderLaunch(launch, outputs);
  }

  SmallVector<Order> chooseOutputs(te::LaunchOp launch, te::KernelOp kernel,
                                   ArrayRef<Order> inputs) {
    Operation &terminator = kernel.getBodyBlock().back();
    DenseMap<Operation *, Order> byExpression;
    for (auto [result, value] : llvm::zip_equal(launch.getResults(), terminator.getOperands())) {
      auto compute = value.getDefiningOp<te::ComputeOp>();
      if (!compute)
        continue;
      auto [it, isNew] = byExpression.try_emplace(compute);
      if (isNew)
        it->second = chooseOrder(compute, launch, kernel, inputs);
      if (it->second.empty() || canReorder(result))
        continue;
      it->second.clear();
      remark::missed(launch.getLoc(), getRemarkOptions("order"))
          << remark::reason("it has users other than reads in kernels");
    }
    SmallVector<Order> outputs;
    for (Value value : terminator.getOperands()) {
      Operation *op = value.getDefiningOp();
      outputs.push_back(op ? byExpression.lookup(op) : Order());
    }
    return outputs;
  }

  /// Returns whether `result` is used only by kernels that do nothing but read its elements.
  bool canReorder(Value result) {
    return llvm::all_of(result.getUses(), [&](OpOperand &use) {
      auto launch = dyn_cast<te::LaunchOp>(use.getOwner());
      if (!launch || use.getOperandNumber() >= launch.getInputs().size())
        return false;
      te::KernelOp kernel = kernels.lookup(launch);
      return kernel && llvm::all_of(kernel.getArgument(use.getOperandNumber()).getUsers(),
                                    [](Operation *user) { return isa<te::ReadOp>(user); });
    });
  }

  Order chooseOrder(te::ComputeOp compute, te::LaunchOp launch, te::KernelOp kernel,
                    ArrayRef<Order> inputs) {
    unsigned rank = compute.getNumParallel();
    if (rank < 3)
      return {};
    if (std::optional<unsigned> channel = findChannelDim(compute, launch))
      return *channel + 1 == rank ? Order() : moveLast(rank, *channel);
    Order best;
    int64_t most = 0;
    compute.walk([&](te::ReadOp read) {
      auto arg = dyn_cast<BlockArgument>(read.getSource());
      if (!arg || launch.getInputs()[arg.getArgNumber()].getDefiningOp<te::ConstantOp>())
        return;
      int64_t elements = countElements(read.getSourceType());
      if (elements <= most)
        return;
      most = elements;
      best = walksDimByDim(read, compute) ? inputs[arg.getArgNumber()] : Order();
    });
    return best;
  }

  /// If `compute` is a contraction with a constant operand, returns the largest parallel dim that
  /// indexes this operand; otherwise nothing.
  static std::optional<unsigned> findChannelDim(te::ComputeOp compute, te::LaunchOp launch) {
    std::optional<te::Contraction> contraction = matchContraction(compute);
    if (!contraction)
      return std::nullopt;
    auto isConstant = [&](te::ReadOp read) {
      auto arg = dyn_cast<BlockArgument>(read.getSource());
      return arg && launch.getInputs()[arg.getArgNumber()].getDefiningOp<te::ConstantOp>();
    };
    te::ReadOp weights = isConstant(contraction->rhs)   ? contraction->rhs
                         : isConstant(contraction->lhs) ? contraction->lhs
                                                        : te::ReadOp();
    // If the other operand is read at opaque indexes, its last dim should stay last.
    if (weights &&
        hasOpaqueIndex(weights == contraction->rhs ? contraction->lhs : contraction->rhs))
      return std::nullopt;
    std::optional<unsigned> channel;
    for (unsigned dim = 0; weights && dim < compute.getNumParallel(); ++dim)
      if (dependsOn(weights, dim) &&
          (!channel || compute.getStaticSizes()[dim] > compute.getStaticSizes()[*channel]))
        channel = dim;
    return channel;
  }

  static std::string describe(ArrayRef<Order> inputs, ArrayRef<Order> outputs) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    for (ArrayRef<Order> list : {inputs, outputs})
      for (const Order &order : list)
        stream << '|' << toText(order);
    return text;
  }

  /// Rewrites `kernel` such that its parameters and results have these orders.
  static void reorder(te::KernelOp kernel, ArrayRef<Order> inputs, ArrayRef<Order> outputs) {
    for (auto [arg, order] : llvm::enumerate(inputs))
      if (!order.empty())
        reorderParameter(kernel, arg, order);
    llvm::SmallPtrSet<Operation *, 4> done;
    for (auto [i, order] : llvm::enumerate(outputs)) {
      auto compute = kernel.getBodyBlock().back().getOperand(i).getDefiningOp<te::ComputeOp>();
      if (!order.empty() && done.insert(compute).second)
        reorderResults(kernel, compute, order);
    }
  }

  void reorderLaunch(te::LaunchOp launch, ArrayRef<Order> outputs) {
    SmallVector<Value> sizes;
    unsigned next = 0;
    for (auto [result, order] : llvm::zip_equal(launch.getResults(), outputs)) {
      auto type = cast<RankedTensorType>(result.getType());
      SmallVector<Value> bySize(type.getRank());
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          bySize[dim] = launch.getResultSizes()[next++];
      for (int64_t i = 0; i < type.getRank(); ++i)
        if (Value size = bySize[order.empty() ? i : order[i]])
          sizes.push_back(size);
      if (order.empty())
        continue;
      result.setType(reorderType(type, order));
      ++numReordered;
      remark::passed(launch.getLoc(), getRemarkOptions("order"))
          << remark::metric("Order", toText(order))
          << remark::metric("Elements", countElements(type));
    }
    launch.getResultSizesMutable().assign(sizes);
  }

  ModuleOp module;
  KernelVariants kernels;
  DenseMap<Value, Order> orders;
  unsigned numReordered = 0, numDropped = 0;
};

struct ChooseOrders : layout::impl::ChooseOrdersBase<ChooseOrders> {
  void runOnOperation() final {
    OrderChooser chooser(getOperation());
    numReordered += chooser.run();
    numDropped += chooser.getNumDropped();
  }
};
} // namespace
