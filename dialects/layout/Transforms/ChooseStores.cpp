//===- ChooseStores.cpp - orders of dims for results of kernels -===//
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
// 4. A kernel that has a schedule keeps it, with the stores that it has.
// The orders become stores in the schedules of kernels. A launch with a new combination of orders
// gets its own copy of the kernel.
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/KernelStores.h"
#include "dialects/layout/Transforms/KernelVariants.h"
#include "dialects/layout/Transforms/Labels.h"
#include "dialects/layout/Transforms/Passes.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/PointOps.h"
#include "mlir/IR/Remarks.h"

namespace mlir::tssa::layout {
#define GEN_PASS_DEF_CHOOSESTORES
#include "dialects/layout/Transforms/Passes.h.inc"
} // namespace mlir::tssa::layout

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// An order of dims: dim i in memory is logical dim `order[i]`. An empty order is the identity.
using Order = SmallVector<int64_t, 6>;

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
  return remark::RemarkOpts::name(name).category("layout-choose-stores");
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

static LayoutMap getMap(const Order &order) {
  return *LayoutMap::get(Primitive::reorder(order), [](const Twine &) {});
}

/// Returns the order of `layout`, which is empty for the identity, or nothing if the layout is not
/// a reorder.
static std::optional<Order> getOrder(const TensorLayout &layout) {
  std::optional<LayoutMap> map = layout.getNormalMap();
  if (!map || map->getPrimitives().size() > 1)
    return std::nullopt;
  if (map->isEmpty())
    return Order();
  const Primitive &primitive = map->getPrimitives().front();
  if (primitive.kind != Primitive::Kind::Reorder)
    return std::nullopt;
  return Order(primitive.values.begin(), primitive.values.end());
}

namespace {
class OrderChooser {
public:
  explicit OrderChooser(ModuleOp module) : module(module), kernels(module) {}

  /// Fails after an error at a kernel without labels or with a store that is wrong.
  LogicalResult run() {
    WalkResult result = module.walk([&](te::LaunchOp launch) {
      return failed(visit(launch)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    kernels.eraseUnused();
    return failure(result.wasInterrupted());
  }

  unsigned getNumReordered() const { return numReordered; }

private:
  LogicalResult visit(te::LaunchOp launch) {
    te::KernelOp kernel = kernels.lookup(launch);
    if (!kernel)
      return success();
    if (!kernel.getSchedule().empty())
      return recordStores(launch, kernel);
    if (failed(checkLabels(kernel)))
      return failure();
    SmallVector<Order> inputs;
    for (auto [number, input] : llvm::enumerate(launch.getInputs()))
      inputs.push_back(isOnlyRead(kernel.getArgument(number)) ? orders.lookup(input) : Order());
    SmallVector<Order> outputs = chooseOutputs(launch, kernel, inputs);
    auto given = [](const Order &order) { return !order.empty(); };
    if (llvm::none_of(inputs, given) && llvm::none_of(outputs, given))
      return success();
    kernels.change(launch, describe(inputs, outputs),
                   [&](te::KernelOp copy) { addStores(copy, inputs, outputs); });
    for (auto [result, order] : llvm::zip_equal(launch.getResults(), outputs))
      if (!order.empty())
        record(launch, result, order);
    return success();
  }

  /// Records the orders that the schedule of the kernel gives its results.
  LogicalResult recordStores(te::LaunchOp launch, te::KernelOp kernel) {
    FailureOr<std::vector<KernelStore>> stores = getStores(kernel);
    if (failed(stores))
      return failure();
    for (auto [result, layout] :
         llvm::zip_equal(launch.getResults(), getResultLayouts(kernel, *stores)))
      if (std::optional<Order> order = layout ? getOrder(*layout) : std::nullopt)
        if (!order->empty())
          record(launch, result, *order);
    return success();
  }

  void record(te::LaunchOp launch, Value result, const Order &order) {
    orders[result] = order;
    ++numReordered;
    remark::passed(launch.getLoc(), getRemarkOptions("order"))
        << remark::metric("Order", toText(order))
        << remark::metric("Elements", countElements(cast<RankedTensorType>(result.getType())));
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

  /// Returns whether `result` is used only by kernels that do nothing but read its elements, and
  /// that have no schedule yet.
  bool canReorder(Value result) {
    return llvm::all_of(result.getUses(), [&](OpOperand &use) {
      auto launch = dyn_cast<te::LaunchOp>(use.getOwner());
      if (!launch || use.getOperandNumber() >= launch.getInputs().size())
        return false;
      te::KernelOp kernel = kernels.lookup(launch);
      return kernel && kernel.getSchedule().empty() &&
             isOnlyRead(kernel.getArgument(use.getOperandNumber()));
    });
  }

  static bool isOnlyRead(Value tensor) {
    return llvm::all_of(tensor.getUsers(), llvm::IsaPred<te::ReadOp>);
  }

  Order chooseOrder(te::ComputeOp compute, te::LaunchOp launch, te::KernelOp kernel,
                    ArrayRef<Order> inputs) {
    unsigned rank = compute.getNumParallel();
    if (rank < 3 || llvm::is_contained(compute.getStaticSizes(), 0) ||
        !llvm::all_of(compute->getUsers(), llvm::IsaPred<te::ReadOp, te::ReturnOp>))
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

  /// Adds the stores that give the parameters and results of `kernel` these orders.
  static void addStores(te::KernelOp kernel, ArrayRef<Order> inputs, ArrayRef<Order> outputs) {
    llvm::SmallPtrSet<Operation *, 4> done;
    for (auto [value, order] :
         llvm::zip_equal(kernel.getBodyBlock().getTerminator()->getOperands(), outputs)) {
      auto compute = value.getDefiningOp<te::ComputeOp>();
      if (!order.empty() && done.insert(compute).second)
        addStore(kernel, *compute.getLabel(), getMap(order));
    }
    for (auto [parameter, order] : llvm::enumerate(inputs))
      if (!order.empty())
        addStore(kernel, parameter, getMap(order));
  }

  ModuleOp module;
  KernelVariants kernels;
  DenseMap<Value, Order> orders;
  unsigned numReordered = 0;
};

struct ChooseStores : layout::impl::ChooseStoresBase<ChooseStores> {
  void runOnOperation() final {
    OrderChooser chooser(getOperation());
    if (failed(chooser.run()))
      signalPassFailure();
    numReordered += chooser.getNumReordered();
  }
};
} // namespace
