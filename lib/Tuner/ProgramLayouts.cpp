//===- ProgramLayouts.cpp - layouts for all kernels of a program ----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/ProgramLayouts.h"
#include "Capture.h"
#include "dialects/layout/Transforms/ApplyStores.h"
#include "dialects/layout/Transforms/Conversions.h"
#include "dialects/layout/Transforms/KernelStores.h"
#include "dialects/layout/Transforms/Passes.h"
#include "dialects/te/Analysis/BodyFacts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "tssa/Pipeline/Tasks.h"
#include "tssa/Tuner/StoreSpace.h"

using namespace mlir;
using namespace ::tssa;
using namespace ::tssa::tuner;
namespace te = mlir::tssa::te;
namespace layout = mlir::tssa::layout;
using layout::LaunchStores;
using layout::LayoutMap;
using llvm::Error;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Returns the layouts that the schedule of `kernel` has.
static LaunchStores readStores(te::KernelOp kernel) {
  LaunchStores stores(kernel.getNumArguments(), kernel.getResultTypes().size());
  ValueRange results = kernel.getBodyBlock().getTerminator()->getOperands();
  for (auto store : kernel.getSchedule().getOps<layout::StoreOp>()) {
    const LayoutMap &map = store.getMap().getMap();
    if (std::optional<int64_t> parameter = store.getParameter()) {
      stores.inputs[*parameter] = map;
      continue;
    }
    for (auto [value, output] : llvm::zip_equal(results, stores.outputs))
      if (auto compute = value.getDefiningOp<te::ComputeOp>();
          compute && compute.getLabel() == store.getLabel())
        output = map;
  }
  return stores;
}

/// Gives the kernel exactly these stores. One that leaves a tensor as it is says that the kernel is
/// not to be given others. Constants follow the loops.
static void writeStores(te::KernelOp kernel, ArrayRef<unsigned> constants,
                        const LaunchStores &stores) {
  kernel.getSchedule().getBlocks().clear();
  layout::addStores(kernel, stores);
  for (auto [number, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (stores.inputs[number].isEmpty() && isa<RankedTensorType>(type) &&
        !llvm::is_contained(constants, number))
      layout::addStore(kernel, number, LayoutMap());
}

OwningOpRef<te::KernelOp> ProgramLayouts::store(const KernelNode &node,
                                                const LaunchStores &stores) {
  OwningOpRef<te::KernelOp> copy = te::KernelOp(node.kernel).clone();
  writeStores(*copy, node.constants, stores);
  return copy;
}

Error ProgramLayouts::findNodes() {
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager choice(module.getContext());
  layout::buildChooseStores(choice, machine);
  if (Error error = capture(*module.getContext(), [&] { return choice.run(*copy); }))
    return error;
  // Launches keep their order, whatever kernels of their own they get.
  SmallVector<te::LaunchOp> chosen;
  copy->walk([&](te::LaunchOp launch) { chosen.push_back(launch); });
  DenseMap<Operation *, te::LaunchOp> counterparts;
  size_t next = 0;
  module.walk([&](te::LaunchOp launch) { counterparts[launch] = chosen[next++]; });
  SymbolTable symbols(*copy);
  for (KernelTask &task : findTasks(module)) {
    KernelNode node{task.kernel, std::move(task.constants), 0, {{"default", {}}}};
    for (te::LaunchOp launch : task.launches) {
      LaunchStores stores =
          readStores(symbols.lookup<te::KernelOp>(counterparts[launch].getKernel()));
      std::string text = getTaskText(*store(node, stores), node.constants), key = getTaskKey(text);
      std::vector<StoredKernel> &kernels = node.options[0].kernels;
      auto found = llvm::find_if(
          kernels, [&](const StoredKernel &kernel) { return kernel.task.key == key; });
      if (found == kernels.end())
        found = kernels.insert(found, {std::move(stores), {key, text}, 0});
      found->calls += te::countTrips(launch);
      node.calls += te::countTrips(launch);
      kinds[launch] = found - kernels.begin();
    }
    open.push_back(node.kernel.getSchedule().empty() && findObstacle(node.kernel).empty());
    nodes.push_back(std::move(node));
  }
  return Error::success();
}

void ProgramLayouts::findFlows() {
  llvm::StringMap<size_t> byName;
  for (auto [number, node] : llvm::enumerate(nodes))
    byName[node.kernel.getSymName()] = number;
  size_t outside = nodes.size();
  module.walk([&](te::LaunchOp launch) {
    size_t reader = byName.lookup(launch.getKernel());
    for (auto [operand, value] : llvm::enumerate(launch.getInputs())) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      // Constants are converted when the program is compiled.
      if (!type || value.getDefiningOp<te::ConstantOp>())
        continue;
      auto producer = value.getDefiningOp<te::LaunchOp>();
      unsigned result = producer ? cast<OpResult>(value).getResultNumber() : 0;
      flows.push_back({producer ? byName.lookup(producer.getKernel()) : outside, reader,
                       producer ? kinds[producer] : 0, kinds[launch], result,
                       static_cast<unsigned>(operand), type, te::countTrips(launch)});
    }
    for (OpResult result : launch->getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      auto isOutside = [](Operation *user) { return !isa<te::LaunchOp>(user); };
      if (type && llvm::any_of(result.getUsers(), isOutside))
        flows.push_back({reader, outside, kinds[launch], 0, result.getResultNumber(), 0, type,
                         te::countTrips(launch)});
    }
  });
}

Expected<std::unique_ptr<ProgramLayouts>>
ProgramLayouts::create(ModuleOp module, const layout::MachineModel &machine) {
  std::unique_ptr<ProgramLayouts> result(new ProgramLayouts(module, machine));
  if (Error error = result->findNodes())
    return std::move(error);
  result->findFlows();
  return result;
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

std::optional<search::Task> ProgramLayouts::makeTask(size_t number,
                                                     const LaunchStores &stores) const {
  if (!open[number])
    return std::nullopt;
  OwningOpRef<te::KernelOp> stored = store(nodes[number], stores);
  if (!layout::applyStoresToCopy(*stored))
    return std::nullopt;
  std::string text = getTaskText(*stored, nodes[number].constants);
  return search::Task{getTaskKey(text), text};
}

std::optional<uint32_t> ProgramLayouts::addOption(size_t number, const LaunchStores &stores,
                                                  std::string name) {
  KernelNode &node = nodes[number];
  std::string description = stores.describe();
  for (auto [option, known] : llvm::enumerate(node.options))
    if (known.kernels.size() == 1 && known.kernels[0].stores.describe() == description)
      return option;
  std::optional<search::Task> task = makeTask(number, stores);
  if (!task)
    return std::nullopt;
  node.options.push_back({std::move(name), {{stores, std::move(*task), node.calls}}});
  return node.options.size() - 1;
}

/// Returns whether an end of type `other` is stored like one of type `type`: it has the same rank,
/// and at least an eighth of the elements.
static bool isAlike(Type other, RankedTensorType type) {
  constexpr int64_t leastShare = 8;
  auto tensor = dyn_cast<RankedTensorType>(other);
  return tensor && tensor.getRank() == type.getRank() && tensor.hasStaticShape() &&
         type.hasStaticShape() && tensor.getNumElements() >= type.getNumElements() / leastShare;
}

/// Adds the options of a kernel that store an end by `map`: with as many other ends as possible,
/// and alone. Returns whether one of them is new.
bool ProgramLayouts::follow(size_t number, bool isResult, unsigned end, const LayoutMap &map) {
  KernelNode &node = nodes[number];
  Type own = isResult ? node.kernel.getResultTypes()[end] : node.kernel.getArgumentTypes()[end];
  auto type = cast<RankedTensorType>(own);
  size_t before = node.options.size();
  for (auto isChosen : {+[](Type other, RankedTensorType type) { return isAlike(other, type); },
                        +[](Type other, RankedTensorType type) { return other == type; },
                        +[](Type, RankedTensorType) { return false; }}) {
    LaunchStores stores = node.options.front().kernels.front().stores;
    for (auto [parameter, other] : llvm::enumerate(node.kernel.getArgumentTypes()))
      if (!llvm::is_contained(node.constants, parameter) && isChosen(other, type))
        stores.inputs[parameter] = map;
    for (auto [result, other] : llvm::enumerate(node.kernel.getResultTypes()))
      if (isChosen(other, type))
        stores.outputs[result] = map;
    (isResult ? stores.outputs : stores.inputs)[end] = map;
    std::string name;
    llvm::raw_string_ostream(name)
        << (isResult ? "result " : "operand ") << end << " as map" << map;
    addOption(number, stores, std::move(name));
  }
  return node.options.size() > before;
}

void ProgramLayouts::addFollowers(llvm::function_ref<bool(size_t, uint32_t)> leads, size_t most) {
  bool isNew = true;
  while (isNew) {
    isNew = false;
    for (const Flow &flow : flows) {
      if (std::max(flow.from, flow.to) == nodes.size())
        continue;
      for (bool isForward : {true, false}) {
        size_t leader = isForward ? flow.from : flow.to, node = isForward ? flow.to : flow.from;
        if (!open[node])
          continue;
        for (uint32_t option = 0; option < nodes[leader].options.size(); ++option)
          if (nodes[node].options.size() < most && leads(leader, option))
            isNew |= follow(node, !isForward, isForward ? flow.operand : flow.result,
                            isForward ? getFrom(flow, option) : getTo(flow, option));
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

LayoutMap ProgramLayouts::getFrom(const Flow &flow, uint32_t option) const {
  if (flow.from == nodes.size())
    return LayoutMap();
  ArrayRef<StoredKernel> kernels = nodes[flow.from].options[option].kernels;
  return kernels[option == 0 ? flow.fromKernel : 0].stores.outputs[flow.result];
}

LayoutMap ProgramLayouts::getTo(const Flow &flow, uint32_t option) const {
  if (flow.to == nodes.size())
    return LayoutMap();
  ArrayRef<StoredKernel> kernels = nodes[flow.to].options[option].kernels;
  return kernels[option == 0 ? flow.toKernel : 0].stores.inputs[flow.operand];
}

double ProgramLayouts::getSeconds(size_t node, uint32_t option, const ProgramTimes &times) const {
  double seconds = 0;
  for (const StoredKernel &kernel : nodes[node].options[option].kernels)
    seconds += kernel.calls * times.kernel(kernel.task);
  return seconds;
}

static std::string getConversionName(RankedTensorType type, const LayoutMap &from,
                                     const LayoutMap &to) {
  std::string name;
  llvm::raw_string_ostream(name) << type << ' ' << from << ' ' << to;
  return name;
}

const std::optional<search::Task> *ProgramLayouts::findConversion(RankedTensorType type,
                                                                  const LayoutMap &from,
                                                                  const LayoutMap &to) const {
  auto found = conversions.find(getConversionName(type, from, to));
  return found == conversions.end() ? nullptr : &found->second;
}

std::optional<search::Task>
ProgramLayouts::getConversion(RankedTensorType type, const LayoutMap &from, const LayoutMap &to) {
  auto [found, isNew] = conversions.try_emplace(getConversionName(type, from, to));
  if (!isNew)
    return found->second;
  auto ignore = [](const Twine &) {};
  auto fromLayout = layout::getLayout(from, type, ignore),
       toLayout = layout::getLayout(to, type, ignore);
  if (failed(fromLayout) || failed(toLayout) || *fromLayout == *toLayout)
    return std::nullopt;
  SmallVector<int64_t> shape;
  for (AffineExpr size : fromLayout->getPhysicalShape())
    shape.push_back(cast<AffineConstantExpr>(size).getValue());
  Location location = module.getLoc();
  OwningOpRef<ModuleOp> small = ModuleOp::create(location);
  layout::setMachineModel(*small, machine);
  OpBuilder builder = OpBuilder::atBlockEnd(small->getBody());
  Type stored = RankedTensorType::get(shape, type.getElementType());
  auto main = func::FuncOp::create(builder, location, "main", builder.getFunctionType(stored, {}));
  Block *body = main.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  auto end = func::ReturnOp::create(builder, location);
  SymbolTable symbols(*small);
  layout::Conversions made(symbols);
  Value result = made.convert(body->getArgument(0), *fromLayout, *toLayout);
  end->setOperands(result);
  main.setFunctionType(builder.getFunctionType(stored, result.getType()));
  made.outline();
  PassManager manager(small->getContext());
  manager.addPass(layout::createDropCopies());
  if (failed(manager.run(*small)))
    return std::nullopt;
  for (const KernelTask &task : findTasks(*small)) {
    std::string text = getTaskText(task.kernel, task.constants);
    found->second = search::Task{getTaskKey(text), text};
  }
  return found->second;
}

/// Returns the seconds of the conversion of one call, if the options need one.
double ProgramLayouts::getSeconds(const Flow &flow, uint32_t from, uint32_t to,
                                  const ProgramTimes &times) const {
  LayoutMap before = getFrom(flow, from), after = getTo(flow, to);
  return before == after ? 0 : times.conversion(flow.type, before, after);
}

double ProgramLayouts::getFixedConversions(size_t node, uint32_t option,
                                           const ProgramTimes &times) const {
  auto isFixed = [&](size_t other) { return other == nodes.size() || !open[other]; };
  double seconds = 0;
  for (const Flow &flow : flows)
    if (flow.from == node && isFixed(flow.to))
      seconds += flow.calls * getSeconds(flow, option, 0, times);
    else if (flow.to == node && isFixed(flow.from))
      seconds += flow.calls * getSeconds(flow, 0, option, times);
  return seconds;
}

Expected<search::ChoiceGraph> ProgramLayouts::makeGraph(const ProgramTimes &times) const {
  search::ChoiceGraph graph;
  for (size_t node = 0; node < nodes.size(); ++node) {
    std::vector<double> seconds;
    for (uint32_t option = 0; option < nodes[node].options.size(); ++option)
      seconds.push_back(getSeconds(node, option, times));
    if (auto number = graph.addNode(std::move(seconds)); !number)
      return number.takeError();
  }
  if (auto outside = graph.addNode({0}); !outside)
    return outside.takeError();
  for (const Flow &flow : flows) {
    std::vector<double> seconds;
    for (uint32_t from = 0; from < graph.countOptions(flow.from); ++from)
      for (uint32_t to = 0; to < graph.countOptions(flow.to); ++to)
        seconds.push_back(flow.calls * getSeconds(flow, from, to, times));
    if (Error error = graph.addEdge(flow.from, flow.to, std::move(seconds)))
      return std::move(error);
  }
  return graph;
}

std::vector<uint32_t> ProgramLayouts::getTunedNodes() const {
  std::vector<uint32_t> tuned;
  for (auto [number, node] : llvm::enumerate(nodes))
    if (open[number] &&
        llvm::expectedToOptional(StoreSpace::create(node.kernel, node.constants)))
      tuned.push_back(number);
  return tuned;
}

std::vector<search::Task> ProgramLayouts::getTasks(ArrayRef<uint32_t> options) {
  std::vector<search::Task> tasks;
  for (auto [number, node] : llvm::enumerate(nodes))
    for (const StoredKernel &kernel : node.options[options[number]].kernels)
      tasks.push_back(kernel.task);
  auto get = [&](size_t node) { return node < nodes.size() ? options[node] : 0; };
  for (const Flow &flow : flows) {
    LayoutMap before = getFrom(flow, get(flow.from)), after = getTo(flow, get(flow.to));
    if (before == after)
      continue;
    if (std::optional<search::Task> task = getConversion(flow.type, before, after))
      tasks.push_back(std::move(*task));
  }
  return tasks;
}

std::vector<size_t> ProgramLayouts::findChanged(ArrayRef<uint32_t> options) const {
  std::vector<bool> isChanged(nodes.size() + 1), isNear(nodes.size() + 1);
  for (size_t node = 0; node < nodes.size(); ++node)
    isChanged[node] = isNear[node] = options[node] != 0;
  for (const Flow &flow : flows)
    if (isChanged[flow.from] || isChanged[flow.to])
      isNear[flow.from] = isNear[flow.to] = true;
  std::vector<size_t> found;
  for (size_t node = 0; node < nodes.size(); ++node)
    if (isNear[node] && open[node])
      found.push_back(node);
  return found;
}

OwningOpRef<te::KernelOp> ProgramLayouts::getStored(size_t node, uint32_t option) const {
  return store(nodes[node], nodes[node].options[option].kernels[0].stores);
}

OwningOpRef<ModuleOp> ProgramLayouts::write(ArrayRef<uint32_t> options) const {
  OwningOpRef<ModuleOp> copy = ModuleOp(module).clone();
  SymbolTable symbols(*copy);
  for (size_t node : findChanged(options))
    if (const KernelOption &option = nodes[node].options[options[node]]; option.kernels.size() == 1)
      writeStores(symbols.lookup<te::KernelOp>(te::KernelOp(nodes[node].kernel).getSymName()),
                  nodes[node].constants, option.kernels[0].stores);
  return copy;
}
