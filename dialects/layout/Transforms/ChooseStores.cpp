//===- ChooseStores.cpp - layouts for results of kernels -===//
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
// 2. Any other kernel adopts the layout of the largest tensor that it reads, within the limits of
//    Propagation.h. If it permutes that tensor, the order in which it walks it is a candidate.
// 3. A tensor keeps its logical layout if an op other than a launch uses it, or if a kernel uses it
//    in another way than to read its elements.
// 4. A kernel that has a schedule keeps it, with the stores that it has.
// 5. Launches of one kernel of which some pass a constant for a parameter get kernels of their own.
//    A kernel that only reads a tensor does so in the layout that the tensor has, but a sum of
//    products gets its data with the input channels last where the draft model says that this pays
//    for the conversion (DataStore.h), and a product of two tensors that are no constants may get
//    one of them in the order of its lanes (OperandStores.h). Where a reader cannot take the order
//    of a result over, the sum of the predicted times decides (ResultStore.h). The choices are a
//    table of launches, which then becomes stores in the schedules of kernels (StoreTable.h).
// 6. On a GPU, constant weights are stored for the tiles of blocks (WeightStore.h); on a CPU, the
//    loops decide later on their order (layout-choose-packing). A product of two tensors gets one
//    of them in another order only if copies cannot bring it as it is.
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/ApplyStores.h"
#include "dialects/layout/Transforms/DataStore.h"
#include "dialects/layout/Transforms/KernelVariants.h"
#include "dialects/layout/Transforms/Labels.h"
#include "dialects/layout/Transforms/OperandStores.h"
#include "dialects/layout/Transforms/Passes.h"
#include "dialects/layout/Transforms/Propagation.h"
#include "dialects/layout/Transforms/ResultStore.h"
#include "dialects/layout/Transforms/WeightStore.h"
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

static std::string toText(const LayoutMap &map) {
  std::string text;
  llvm::raw_string_ostream(text) << map;
  return text;
}

static remark::RemarkOpts getRemarkOptions(StringRef name) {
  return remark::RemarkOpts::name(name).category("layout-choose-stores");
}

namespace {
class StoreChooser {
public:
  explicit StoreChooser(ModuleOp module)
      : module(module), symbols(module), costs(module), operands(symbols, costs, conversions) {}

  /// Fails after an error at a kernel without labels or with a store that is wrong.
  LogicalResult run() {
    findMixedKernels();
    WalkResult result = module.walk([&](te::LaunchOp launch) {
      return failed(visit(launch)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    table.apply(module);
    return success();
  }

  unsigned getNumStored() const { return numStored; }

private:
  te::KernelOp lookup(te::LaunchOp launch) { return lookupKernel(symbols, launch); }

  /// Finds the kernels whose launches differ in which operands are constants. Each kind of launch
  /// gets a kernel of its own, since constants can be stored in the order of its loops.
  void findMixedKernels() {
    DenseMap<Operation *, std::string> first;
    module.walk([&](te::LaunchOp launch) {
      te::KernelOp kernel = lookup(launch);
      if (!kernel)
        return;
      std::string constants = describeConstants(launch);
      if (first.try_emplace(kernel, constants).first->second != constants)
        mixed.insert(kernel.getSymNameAttr());
    });
  }

  LogicalResult visit(te::LaunchOp launch) {
    te::KernelOp kernel = lookup(launch);
    if (!kernel)
      return success();
    if (!kernel.getSchedule().empty())
      return recordStores(launch, kernel);
    if (failed(checkLabels(kernel)))
      return failure();
    LaunchStores stores(launch);
    for (auto [number, input] : llvm::enumerate(launch.getInputs()))
      if (auto stored = maps.find(input);
          stored != maps.end() && canStore(kernel, number, stored->second))
        stores.inputs[number] = stored->second;
    chooseDataStore(launch, kernel, stores, costs, conversions);
    operands.chooseConversion(launch, stores);
    chooseOutputs(launch, kernel, stores);
    if (costs.isDevice())
      storeWindowsFirst(launch, kernel, stores);
    if (mixed.contains(kernel.getSymNameAttr()))
      table.keepApart(launch, describeConstants(launch));
    table.getRow(launch) = stores;
    for (auto [result, map] : llvm::zip_equal(launch.getResults(), stores.outputs))
      if (!map.isEmpty())
        record(launch, result, map);
    return success();
  }

  /// Records the layouts that the schedule of the kernel gives its results.
  LogicalResult recordStores(te::LaunchOp launch, te::KernelOp kernel) {
    FailureOr<std::vector<KernelStore>> stores = getStores(kernel);
    if (failed(stores))
      return failure();
    for (auto [result, layout] :
         llvm::zip_equal(launch.getResults(), getResultLayouts(kernel, *stores)))
      if (layout && !layout->isIdentity())
        record(launch, result, layout->getMap());
    return success();
  }

  void record(te::LaunchOp launch, Value result, const LayoutMap &map) {
    maps[result] = map;
    ++numStored;
    remark::passed(launch.getLoc(), getRemarkOptions("stored"))
        << remark::metric("Map", toText(map))
        << remark::metric("Elements", countElements(cast<RankedTensorType>(result.getType())));
  }

  /// Returns a function that chooses the order of the result of a reader whose time is predicted.
  auto getResultChooser() {
    return [this](te::LaunchOp reader, te::KernelOp kernel, LaunchStores &stores) {
      te::ComputeOp only = findOnlyExpression(kernel);
      if (only && reader.getNumResults() == 1 && canChange(reader.getResult(0)))
        stores.outputs.front() = chooseMap(only, reader, stores.inputs, /*explain=*/false);
    };
  }

  void chooseOutputs(te::LaunchOp launch, te::KernelOp kernel, LaunchStores &stores) {
    Operation &terminator = kernel.getBodyBlock().back();
    DenseMap<Operation *, LayoutMap> byExpression;
    for (auto [result, value] : llvm::zip_equal(launch.getResults(), terminator.getOperands())) {
      auto compute = value.getDefiningOp<te::ComputeOp>();
      if (!compute)
        continue;
      auto [it, isNew] = byExpression.try_emplace(compute);
      if (isNew)
        it->second = chooseMap(compute, launch, stores.inputs);
      if (it->second.isEmpty() || canChange(result))
        continue;
      it->second = LayoutMap();
      remark::missed(launch.getLoc(), getRemarkOptions("stored"))
          << remark::reason("it has users other than reads in kernels");
    }
    LaunchStores chosen = stores;
    for (auto [value, map] : llvm::zip_equal(terminator.getOperands(), chosen.outputs))
      if (Operation *op = value.getDefiningOp())
        map = byExpression.lookup(op);
    if (canApply(kernel, chosen) && paysForReaders(launch, kernel, stores, chosen))
      stores = chosen;
    chooseForProducts(launch, kernel, stores);
  }

  /// Stores the only result of `launch` in the order of the lanes of a product that reads it, if
  /// that pays.
  void chooseForProducts(te::LaunchOp launch, te::KernelOp kernel, LaunchStores &stores) {
    if (launch.getNumResults() != 1 || !canChange(launch.getResult(0)) ||
        !kernel.getBodyBlock().getTerminator()->getOperand(0).getDefiningOp<te::ComputeOp>())
      return;
    LaunchStores chosen = stores;
    LayoutMap map = operands.chooseResult(launch, stores, getResultChooser());
    chosen.outputs.front() = map;
    if (!map.isEmpty() && canApply(kernel, chosen))
      stores = chosen;
  }

  /// Returns whether the order of the result pays for its readers. Wide channels do if all readers
  /// walk the tensor dim by dim, since these take the order over. Several results share an order.
  bool paysForReaders(te::LaunchOp launch, te::KernelOp kernel, const LaunchStores &asIs,
                      const LaunchStores &stored) {
    if (launch.getNumResults() != 1 || stored.outputs.front().isEmpty())
      return true;
    te::ComputeOp compute = findOnlyExpression(kernel);
    std::optional<unsigned> channel =
        compute ? findChannelDim(compute, launch) : std::optional<unsigned>();
    int64_t size = channel ? compute.getStaticSizes()[*channel] : 0;
    bool isWide = ShapedType::isDynamic(size) || size >= costs.getLanes();
    bool isPermuted = compute && !channel && findPermutation(compute, launch, asIs.inputs);
    if (!isPermuted &&
        (!channel || (isWide && isAdopted(launch.getResult(0), stored.outputs.front()))))
      return true;
    return layout::paysForReaders(launch, kernel, asIs, stored, symbols, costs, getResultChooser());
  }

  /// Returns whether all kernels that read `tensor` take its order `map` over: they walk it dim by
  /// dim, or reduce some of its dims. A sum whose result has a fixed order, and which reads the
  /// tensor at its end, does not take the order over. An update of elements does not either.
  bool isAdopted(Value tensor, const LayoutMap &map) {
    return llvm::all_of(tensor.getUses(), [&](OpOperand &use) {
      auto reader = cast<te::LaunchOp>(use.getOwner());
      te::KernelOp kernel = lookup(reader);
      auto adopts = [&](Operation *user) {
        auto read = cast<te::ReadOp>(user);
        auto compute = read->getParentOfType<te::ComputeOp>();
        if (!compute)
          return false;
        bool isAtEnd = compute.hasReduction() && read->getParentRegion() == &compute.getEpilogue();
        bool follows =
            walksDimByDim(read, compute) || !dropReducedDims(read, compute, map).isEmpty();
        return follows && (!isAtEnd || llvm::all_of(reader.getResults(),
                                                    [&](Value v) { return canChange(v); }));
      };
      return llvm::all_of(kernel.getArgument(use.getOperandNumber()).getUsers(), adopts);
    });
  }

  /// Returns whether an expression of several stays one that is computed row by row with these
  /// stores.
  static bool canApply(te::KernelOp kernel, LaunchStores stores) {
    if (llvm::range_size(kernel.getBodyBlock().getOps<te::ComputeOp>()) < 2)
      return true;
    OwningOpRef<te::KernelOp> copy = kernel.clone();
    llvm::fill(stores.inputs, LayoutMap());
    addStores(*copy, stores);
    return static_cast<bool>(applyStoresToCopy(*copy));
  }

  /// Returns whether `result` is used only by kernels that do nothing but read its elements, and
  /// that have no schedule yet.
  bool canChange(Value result) {
    return llvm::all_of(result.getUses(), [&](OpOperand &use) {
      auto launch = dyn_cast<te::LaunchOp>(use.getOwner());
      if (!launch || use.getOperandNumber() >= launch.getInputs().size())
        return false;
      te::KernelOp kernel = lookup(launch);
      return kernel && kernel.getSchedule().empty() &&
             isOnlyRead(kernel.getArgument(use.getOperandNumber()));
    });
  }

  static bool isOnlyRead(Value tensor) {
    return llvm::all_of(tensor.getUsers(), llvm::IsaPred<te::ReadOp>);
  }

  /// Returns the map of the results of `compute`. If `explain`, a remark says why another one was
  /// not taken over.
  LayoutMap chooseMap(te::ComputeOp compute, te::LaunchOp launch, ArrayRef<LayoutMap> inputs,
                      bool explain = true) {
    unsigned rank = compute.getNumParallel();
    if (llvm::is_contained(compute.getStaticSizes(), 0) ||
        !llvm::all_of(compute->getUsers(), llvm::IsaPred<te::ReadOp, te::ReturnOp>))
      return {};
    if (std::optional<unsigned> channel = findChannelDim(compute, launch))
      return rank < 3 || *channel + 1 == rank ? LayoutMap() : moveLast(rank, *channel);
    if (te::ReadOp permuted = findPermutation(compute, launch, inputs))
      return undoPermutation(permuted, compute);
    te::ReadOp largest = findLargestRead(compute, launch);
    return largest && !hasOrderOfLanes(launch, inputs)
               ? adopt(largest, compute, launch, inputs, explain)
               : LayoutMap();
  }

  /// Returns whether an operand is stored for the lanes of a product. The results keep their order,
  /// along which these lanes run.
  bool hasOrderOfLanes(te::LaunchOp launch, ArrayRef<LayoutMap> inputs) {
    return llvm::any_of(llvm::enumerate(inputs), [&](auto input) {
      return !input.value().isEmpty() &&
             operands.isOrderOfLanes(launch, input.index(), input.value());
    });
  }

  /// Returns the largest read of `compute` of a tensor that is no constant, or null.
  static te::ReadOp findLargestRead(te::ComputeOp compute, te::LaunchOp launch) {
    te::ReadOp largest;
    int64_t most = 0;
    compute.walk([&](te::ReadOp read) {
      if (!isa<BlockArgument>(read.getSource()) || readsConstant(launch, read))
        return;
      int64_t elements = countElements(read.getSourceType());
      if (elements <= most)
        return;
      most = elements;
      largest = read;
    });
    return largest;
  }

  /// Returns the largest read if `compute` permutes a tensor that is stored as it is; otherwise
  /// null. With other expressions in its kernel, its leading dims are rows and must stay so.
  static te::ReadOp findPermutation(te::ComputeOp compute, te::LaunchOp launch,
                                    ArrayRef<LayoutMap> inputs) {
    if (!findOnlyExpression(compute->getParentOfType<te::KernelOp>()))
      return {};
    te::ReadOp largest = findLargestRead(compute, launch);
    bool isAsIs =
        largest && inputs[cast<BlockArgument>(largest.getSource()).getArgNumber()].isEmpty();
    return isAsIs && !undoPermutation(largest, compute).isEmpty() ? largest : te::ReadOp();
  }

  /// Returns the map of the tensor that `read` reads if `compute` should adopt it.
  static LayoutMap adopt(te::ReadOp read, te::ComputeOp compute, te::LaunchOp launch,
                         ArrayRef<LayoutMap> inputs, bool explain) {
    const LayoutMap &map = inputs[cast<BlockArgument>(read.getSource()).getArgNumber()];
    if (map.isEmpty())
      return {};
    StringRef obstacle = findObstacleToAdoption(read, compute, map);
    if (obstacle.empty())
      return map;
    if (LayoutMap order = dropReducedDims(read, compute, map); !order.isEmpty())
      return order;
    if (explain)
      remark::missed(launch.getLoc(), getRemarkOptions("adopted"))
          << remark::reason("{0}", obstacle) << remark::metric("Map", toText(map));
    return {};
  }

  /// If `compute` is a contraction with a constant operand, returns the largest parallel dim that
  /// indexes this operand; otherwise nothing.
  static std::optional<unsigned> findChannelDim(te::ComputeOp compute, te::LaunchOp launch) {
    std::optional<te::Contraction> contraction = matchContraction(compute);
    if (!contraction)
      return std::nullopt;
    auto isConstant = [&](te::ReadOp read) { return readsConstant(launch, read); };
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

  ModuleOp module;
  SymbolTable symbols;
  StoreCosts costs;
  StoreTable table;
  KnownConversions conversions;
  OperandStores operands;
  llvm::SmallDenseSet<StringAttr> mixed; ///< names of kernels
  DenseMap<Value, LayoutMap> maps;       ///< of results that are not stored as they are
  unsigned numStored = 0;
};

struct ChooseStores : layout::impl::ChooseStoresBase<ChooseStores> {
  void runOnOperation() final {
    StoreChooser chooser(getOperation());
    if (failed(chooser.run()))
      signalPassFailure();
    numStored += chooser.getNumStored();
  }
};
} // namespace
