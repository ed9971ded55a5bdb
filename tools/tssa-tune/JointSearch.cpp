//===- JointSearch.cpp - layouts and loops searched together --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JointSearch.h"
#include "Interrupt.h"
#include "dialects/te/IR/ElementBytes.h"
#include "tssa/Pipeline/Records.h"
#include "tssa/Search/Batch.h"
#include "tssa/Search/Graph.h"
#include "tssa/Tuner/Report.h"
#include "tssa/Tuner/StoreSpace.h"

#include <set>

using namespace llvm;
using namespace tssa::tuner;
namespace te = mlir::tssa::te;

namespace tssa::tune {

/// The trials of a layout after each step of the race, and the share of the layouts that are left
/// for the next step.
struct Step {
  uint64_t trials;
  double left;
};
static constexpr Step steps[] = {{8, 3.0 / 8}, {24, 1.0 / 8}, {56, 0}};

/// Returns what a layout that starts costs on average until the end of step `last`, in trials.
static constexpr double countTrials(size_t last) {
  double count = 0, racing = 1;
  uint64_t before = 0;
  for (size_t step = 0; step <= last; ++step) {
    count += racing * static_cast<double>(steps[step].trials - before);
    racing = steps[step].left;
    before = steps[step].trials;
  }
  return count;
}
static constexpr double trialsOfRunner = countTrials(std::size(steps) - 1);
static constexpr size_t mostRunners = 16;
/// Of a kernel, with those that follow its neighbours.
static constexpr size_t mostOptions = 32;
/// Neighbours follow layouts that take at most so many times the least time of their kernel.
static constexpr double mostOfLeader = 1.3;
/// How many layouts of a kernel the draft ranks.
static constexpr uint64_t mostDrafted = 48;
/// Layouts are taken if they gain more: times of different sessions differ by some percent.
static constexpr double leastGain = 0.01;

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

std::optional<double> JointSearch::predict(const search::Task &task) {
  auto [found, isNew] = predictions.try_emplace(task.key);
  if (isNew) {
    auto search = TaskSearch::create(task, *module->getContext(), machine.model, {});
    if (search)
      found->second = (*search)->getSpace().getCycles((*search)->getSpace().getDefault());
    else
      consumeError(search.takeError());
  }
  return found->second;
}

std::optional<double> JointSearch::getMeasured(const search::Task &task) {
  auto [found, isNew] = measured.try_emplace(task.key);
  if (isNew) {
    auto seconds = runner.getBestSeconds(task.key);
    if (seconds)
      found->second = *seconds;
    else
      consumeError(seconds.takeError()); // a damaged row is no time
  }
  return found->second;
}

std::optional<double> JointSearch::getMeasured(const KernelOption &option) {
  double seconds = 0;
  for (const StoredKernel &kernel : option.kernels) {
    std::optional<double> own = getMeasured(kernel.task);
    if (!own)
      return std::nullopt;
    seconds += kernel.calls * *own;
  }
  return seconds;
}

double JointSearch::predict(const KernelOption &option) {
  double cycles = 0;
  for (const StoredKernel &kernel : option.kernels)
    cycles += kernel.calls * predict(kernel.task).value_or(0);
  return cycles;
}

double JointSearch::getSeconds(const search::Task &task) {
  if (std::optional<double> seconds = getMeasured(task))
    return *seconds;
  return predict(task).value_or(0) * secondsPerCycle;
}

std::optional<double> JointSearch::getMeasured(mlir::RankedTensorType type,
                                               const mlir::tssa::layout::LayoutMap &from,
                                               const mlir::tssa::layout::LayoutMap &to) {
  const std::optional<search::Task> *known = layouts->findConversion(type, from, to);
  if (!known)
    return std::nullopt;
  return *known ? getMeasured(**known) : 0; // 0 if both are the same in memory
}

double JointSearch::getSeconds(mlir::RankedTensorType type,
                               const mlir::tssa::layout::LayoutMap &from,
                               const mlir::tssa::layout::LayoutMap &to) {
  if (std::optional<double> seconds = getMeasured(type, from, to))
    return *seconds;
  // A conversion reaches half of the bandwidth of memory.
  double bytes =
      2.0 * static_cast<double>(type.getNumElements()) * te::getElementBytes(type.getElementType());
  return 2 * runner.getRoof().getSeconds(/*flops=*/0, bytes, options.threads);
}

/// Calls `use` with the times of the program.
template <typename Use> auto JointSearch::withTimes(Use use) {
  auto kernel = [this](const search::Task &task) { return getSeconds(task); };
  auto conversion = [this](mlir::RankedTensorType type, const mlir::tssa::layout::LayoutMap &from,
                           const mlir::tssa::layout::LayoutMap &to) {
    return getSeconds(type, from, to);
  };
  return use(ProgramTimes{kernel, conversion});
}

Expected<search::ChoiceGraph> JointSearch::makeGraph(bool onlyMeasured) {
  if (!onlyMeasured)
    return withTimes([&](const ProgramTimes &times) { return layouts->makeGraph(times); });
  // What has no loops to search takes no time that a layout would change.
  auto kernel = [this](const search::Task &task) {
    return predict(task) ? getMeasured(task).value_or(HUGE_VAL) : 0;
  };
  auto conversion = [this](mlir::RankedTensorType type, const auto &from, const auto &to) {
    // The rule of the paper does not look for conversions that were measured.
    std::optional<double> seconds = getMeasured(type, from, to);
    return seconds || !options.choosesAsALT ? seconds.value_or(HUGE_VAL)
                                            : getSeconds(type, from, to);
  };
  return layouts->makeGraph({kernel, conversion});
}

/// Finds out what a predicted cycle takes: the mean over what was measured.
void JointSearch::calibrate() {
  double logs = 0;
  unsigned count = 0;
  for (const KernelNode &node : layouts->getNodes())
    for (const KernelOption &option : node.options) {
      for (const StoredKernel &kernel : option.kernels) {
        std::optional<double> seconds = getMeasured(kernel.task), cycles;
        if (seconds && (cycles = predict(kernel.task)) && *cycles > 0) {
          logs += std::log(*seconds / *cycles);
          ++count;
        }
      }
    }
  secondsPerCycle = count ? std::exp(logs / count) : 1e-9;
}

//===----------------------------------------------------------------------===//
// The race
//===----------------------------------------------------------------------===//

/// Returns random points of a space, together with `usual` ones at most so many as the draft ranks.
/// Half have no tiles of the image, which few readers take.
static std::vector<search::Point> drawPoints(const StoreSpace &space, ArrayRef<search::Point> usual,
                                             search::Random &random) {
  std::vector<search::Point> points;
  auto score = [](ArrayRef<search::Point> points) { return std::vector<double>(points.size(), 0); };
  for (const search::Candidate &candidate :
       search::createRandomSampler()
           ->propose(space.getSpace(), {}, 4 * mostDrafted, score, random)
           .candidates) {
    size_t count = usual.size() + points.size();
    bool isFull = count >= mostDrafted / 2 && space.hasTiles(candidate.point);
    if (count < mostDrafted && !isFull && !is_contained(usual, candidate.point))
      points.push_back(candidate.point);
  }
  return points;
}

/// Adds up to `count` layouts of a kernel to the race: the compiler's, usual ones, and of others
/// some that the draft ranks first and that lie far apart.
void JointSearch::addRunners(size_t node, size_t count) {
  const KernelNode &known = layouts->getNodes()[node];
  auto space = StoreSpace::create(known.kernel, known.constants);
  if (!space)
    return consumeError(space.takeError());
  const search::Task &first = known.options[0].kernels[0].task;
  search::Random random(options.search.seed, search::hashBytes(first.key), 0);
  runners.push_back({node, 0});
  size_t end = runners.size() - 1 + count;
  auto add = [&](const search::Point &point) {
    auto option = layouts->addOption(node, (*space)->getStores(point), (*space)->describe(point));
    if (option && *option > 0 && runners.size() < end)
      runners.push_back({node, *option});
  };
  std::vector<search::Point> usual = (*space)->getUsualPoints(machine.model.lanes);
  for (const search::Point &point : usual)
    add(point);
  std::vector<search::Candidate> candidates;
  for (const search::Point &point : drawPoints(**space, usual, random))
    if (auto task = layouts->makeTask(node, (*space)->getStores(point)))
      if (std::optional<double> cycles = predict(*task))
        candidates.push_back({point, -*cycles});
  sortByScore(candidates);
  search::BatchOptions choice;
  choice.count = end - runners.size();
  choice.extras = 0;
  for (size_t position : search::chooseBatch(candidates, choice, random))
    add(candidates[position].point);
}

/// Chooses which layouts start: of as many kernels as the budget allows, those that are predicted
/// to take the longest.
void JointSearch::chooseRunners(const Budget &budget) {
  std::vector<std::pair<double, size_t>> order;
  for (auto [number, node] : enumerate(layouts->getNodes())) {
    if (!layouts->isOpen(number))
      continue;
    auto space = StoreSpace::create(node.kernel, node.constants);
    if (space)
      order.push_back({-predict(node.options[0]), number});
    else
      consumeError(space.takeError());
  }
  sort(order);
  auto starts = static_cast<uint64_t>(static_cast<double>(budget.trials) / trialsOfRunner);
  size_t kernels = std::min<uint64_t>(order.size(), starts / 2);
  if (kernels == 0)
    return;
  size_t each = std::min<uint64_t>(starts / kernels, mostRunners);
  for (auto [cycles, node] : ArrayRef(order).take_front(kernels))
    addRunners(node, each);
}

std::string JointSearch::getName(StringRef key) const {
  for (const KernelNode &node : layouts->getNodes())
    for (const KernelOption &option : node.options)
      if (any_of(option.kernels,
                 [&](const StoredKernel &kernel) { return kernel.task.key == key; })) {
        te::KernelOp kernel = node.kernel;
        return (kernel.getSymName() + " " + option.name).str();
      }
  return "conversion";
}

Error JointSearch::measure(std::vector<search::Task> tasks, uint64_t trials,
                           std::optional<Clock::time_point> deadline) {
  std::vector<PlannedTask> planned;
  std::set<std::string> seen;
  for (search::Task &task : tasks)
    if (std::string name = getName(task.key); seen.insert(task.key).second)
      planned.push_back({std::move(task), std::move(name)});
  auto open = runner.findOpen(planned);
  if (!open)
    return open.takeError();
  if (open->empty() || isInterrupted() || (deadline && Clock::now() >= *deadline))
    return Error::success();
  Budget own{trials * open->size(), deadline, trials, /*decides=*/false};
  Error error = runner.run(*module.getContext(), std::move(*open), own);
  measured.clear();
  return error;
}

/// Keeps the fastest layouts of each kernel, and the compiler's.
void JointSearch::dropSlow(double share) {
  std::map<size_t, std::vector<std::pair<double, uint32_t>>> byNode;
  std::vector<Runner> left;
  std::map<size_t, size_t> counts;
  for (const Runner &entry : runners) {
    ++counts[entry.node];
    std::optional<double> own = getMeasured(layouts->getNodes()[entry.node].options[entry.option]);
    if (entry.option == 0)
      left.push_back(entry);
    else if (own)
      byNode[entry.node].push_back({*own + withTimes([&](const ProgramTimes &times) {
                                      return layouts->getFixedConversions(entry.node, entry.option,
                                                                          times);
                                    }),
                                    entry.option});
  }
  for (auto &[node, times] : byNode) {
    sort(times);
    auto kept = static_cast<size_t>(std::ceil(share * static_cast<double>(counts[node])));
    for (auto [seconds, option] : ArrayRef(times).take_front(kept))
      left.push_back({node, option});
  }
  runners = std::move(left);
}

/// Returns when a share of the time from `start` to the deadline is over, if there is one.
static std::optional<Clock::time_point> getPart(Clock::time_point start, const Budget &budget,
                                                double share) {
  if (!budget.deadline)
    return std::nullopt;
  return start + std::chrono::duration_cast<Clock::duration>((*budget.deadline - start) * share);
}

Error JointSearch::race(const Budget &budget) {
  Clock::time_point start = Clock::now();
  for (auto [number, step] : enumerate(steps)) {
    std::vector<search::Task> tasks;
    for (const Runner &entry : runners)
      for (const StoredKernel &kernel :
           layouts->getNodes()[entry.node].options[entry.option].kernels)
        tasks.push_back(kernel.task);
    // Of the time, each step gets what it needs of the trials.
    auto deadline = getPart(start, budget, countTrials(number) / trialsOfRunner);
    if (Error error = measure(std::move(tasks), step.trials, deadline))
      return error;
    calibrate();
    dropSlow(step.left);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// Returns whether others follow a layout: it is fast, or follows another one itself.
bool JointSearch::leads(size_t node, uint32_t option) {
  const KernelNode &known = layouts->getNodes()[node];
  std::optional<double> own = getMeasured(known.options[option]);
  double best = HUGE_VAL;
  for (const KernelOption &other : known.options)
    best = std::min(best, getMeasured(other).value_or(HUGE_VAL));
  return !own || *own <= mostOfLeader * best;
}

Expected<search::Choice> JointSearch::choose(bool onlyMeasured) {
  auto graph = makeGraph(onlyMeasured);
  if (!graph)
    return graph.takeError();
  return options.choosesAsALT ? search::solveInOrder(*graph, layouts->getTunedNodes())
                              : search::solve(*graph);
}

std::vector<search::Task> JointSearch::findUnmeasured(const search::Choice &choice) {
  std::vector<search::Task> tasks;
  for (search::Task &task : layouts->getTasks(choice.options))
    if (!getMeasured(task) && predict(task))
      tasks.push_back(std::move(task));
  return tasks;
}

/// Chooses until all that is chosen was measured, or the time is over. Then only what was measured
/// can be chosen. Says why if nothing can.
Expected<std::optional<search::Choice>> JointSearch::chooseMeasured(const Budget &budget) {
  constexpr unsigned mostTurns = 6;
  auto get = [](Expected<search::Choice> choice) -> std::optional<search::Choice> {
    if (choice)
      return std::move(*choice);
    outs() << "the compiler's layouts stay: " << toString(choice.takeError()) << '\n';
    return std::nullopt;
  };
  for (unsigned turn = 0; turn < mostTurns; ++turn) {
    std::optional<search::Choice> choice = get(choose(/*onlyMeasured=*/false));
    if (!choice)
      return choice;
    std::vector<search::Task> tasks = findUnmeasured(*choice);
    if (tasks.empty())
      return choice;
    if (budget.deadline && Clock::now() >= *budget.deadline)
      break;
    if (Error error = measure(std::move(tasks), steps[0].trials, budget.deadline))
      return std::move(error);
  }
  return get(choose(/*onlyMeasured=*/true));
}

void JointSearch::describe(size_t node) {
  const KernelNode &known = layouts->getNodes()[node];
  te::KernelOp kernel = known.kernel;
  std::vector<std::pair<double, std::string>> times;
  for (const KernelOption &option : known.options)
    if (std::optional<double> seconds = getMeasured(option))
      times.push_back({*seconds / known.calls, option.name});
  sort(times);
  outs() << kernel.getSymName() << ":";
  for (auto &[seconds, name] : times)
    outs() << (name == times.front().second ? " " : "; ") << name << ' ' << printTime(seconds);
  outs() << '\n';
}

/// Returns a record of ends for each kernel whose layouts are not the compiler's, and for those
/// that such a kernel exchanges tensors with.
std::vector<std::string> JointSearch::makeRecords(const search::Choice &choice) {
  std::vector<std::string> records;
  for (size_t node : layouts->findChanged(choice.options)) {
    const KernelNode &known = layouts->getNodes()[node];
    const KernelOption &option = known.options[choice.options[node]];
    RecordInfo info{getMachineId(machine), getEpoch().str(), options.threads,
                    getMeasured(option).value_or(0) / known.calls,
                    getMeasured(known.options[0]).value_or(0) / known.calls};
    if (option.kernels.size() == 1 && info.seconds > 0 && info.defaultSeconds > 0)
      records.push_back(printRecord(*layouts->getStored(node, choice.options[node]),
                                    known.constants, info, RecordKind::Ends));
  }
  return records;
}

Expected<JointResult> JointSearch::run(const Budget &budget) {
  auto created = ProgramLayouts::create(module, machine.model);
  if (!created)
    return created.takeError();
  layouts = std::move(*created);
  chooseRunners(budget);
  if (runners.empty())
    return JointResult();
  // What the compiler chooses is compared as it was measured, too.
  search::Choice asIs{std::vector<uint32_t>(layouts->getNodes().size() + 1, 0), 0, false};
  if (Error error = measure(findUnmeasured(asIs), steps[0].trials, budget.deadline))
    return std::move(error);
  // The rest of the time is for what is chosen then.
  constexpr double shareOfRace = 0.7;
  Budget ofRace = budget;
  ofRace.deadline = getPart(Clock::now(), budget, shareOfRace);
  if (Error error = race(ofRace))
    return std::move(error);
  if (isInterrupted())
    return JointResult();
  std::set<size_t> raced;
  for (const Runner &entry : runners)
    raced.insert(entry.node);
  layouts->addFollowers([this](size_t node, uint32_t option) { return leads(node, option); },
                        mostOptions);
  if (!findUnmeasured(asIs).empty()) {
    outs() << "no time is left for layouts: the compiler's stay\n";
    return JointResult();
  }
  auto choice = chooseMeasured(budget);
  if (!choice)
    return choice.takeError();
  for (size_t node : raced)
    describe(node);
  if (!*choice)
    return JointResult();
  auto graph = makeGraph(/*onlyMeasured=*/true);
  if (!graph)
    return graph.takeError();
  double before = graph->getCost(asIs.options), after = graph->getCost((*choice)->options);
  bool gains = after < before * (1 - leastGain);
  outs() << "layouts of " << layouts->findChanged((*choice)->options).size()
         << " kernels: " << printTime(before) << " -> " << printTime(after)
         << (gains ? ", searched on\n" : ", left\n");
  if (!gains)
    return JointResult();
  return JointResult{layouts->write((*choice)->options), makeRecords(**choice)};
}

} // namespace tssa::tune
