//===- WorkerServer.cpp - the main loop of a worker -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForkedBuilds.h"
#include "ObjectStore.h"
#include "Protocol.h"
#include "WorkerExit.h"
#include "WorkerFaults.h"
#include "tssa/Pipeline/Records.h"
#include "tssa/Pipeline/Stages.h"
#include "tssa/Runtime/ThreadPool.h"
#include "tssa/Tuner/Bench.h"
#include "tssa/Tuner/TaskKernel.h"
#include "tssa/Tuner/Worker.h"
#include "llvm/Support/ErrorHandling.h"

#include <iostream>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

using namespace tssa;
using namespace tssa::tuner;
using llvm::Error;
using llvm::Expected;
using search::TrialStatus;

[[noreturn]] static void endOutOfMemory() { _exit(exitOutOfMemory); }

static void limitProcess(uint64_t memoryLimit) {
  rlimit noCore{0, 0}, data{memoryLimit, memoryLimit};
  setrlimit(RLIMIT_CORE, &noCore);
  setrlimit(RLIMIT_DATA, &data);
  std::set_new_handler(endOutOfMemory);
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { endOutOfMemory(); });
}

static void answer(const Answer &answer) {
  std::cout << print(answer) << std::endl; // flushes: the tuner waits for the line
}

static Expected<WorkerHost> describeHost() {
  Expected<cpu::Machine> machine = cpu::resolveMachine("native");
  if (!machine)
    return machine.takeError();
  return WorkerHost{cpu::printMachine(*machine), getEpoch().str(),
                    measureRoof(machine->vectorBytes), *machine};
}

namespace {
/// Serves the requests of one task after the other.
class Server {
public:
  explicit Server(const CandidateFault *fault) : fault(fault) { registerAllDialects(registry); }

  /// Serves a line. Writes answers that come before the last one, which is returned.
  Answer serve(llvm::StringRef line);

private:
  Error open(const llvm::json::Object &body);
  Expected<std::vector<Outcome>> measure(const MeasureRequest &request);
  Expected<std::vector<Outcome>> compare(const MeasureRequest &request);
  /// Builds the program of a point, with the fault unless the point is the default.
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> makeModule(const std::string &point, bool &isFaulty);
  Expected<KernelObject> compile(const std::string &point, bool &isFaulty);
  /// Builds those of `points` that have no code. Returns for each what came of it, and the code.
  Expected<std::vector<std::pair<Outcome, ObjectStore::Object>>>
  build(llvm::ArrayRef<std::string> points);
  bool injects(const std::string &point) const { return hasFault && point != defaultPoint; }

  const CandidateFault *fault;
  bool hasFault = false; ///< whether candidates get it now: those of finals do not
  mlir::DialectRegistry registry;
  std::unique_ptr<mlir::MLIRContext> context;
  OpenRequest task;
  cpu::Machine machine;
  std::string defaultPoint;
  std::unique_ptr<TaskKernel> kernel;
  std::unique_ptr<Bench> bench;
  ObjectStore objects{/*mostBytes=*/size_t(256) << 20};
};
} // namespace

Answer Server::serve(llvm::StringRef line) {
  Answer result;
  auto fail = [&](Error error) {
    result.error = llvm::toString(std::move(error));
    return result;
  };
  Expected<llvm::json::Value> value = parseShallow(line);
  if (!value)
    return fail(value.takeError());
  const llvm::json::Object *object = value->getAsObject();
  if (!object || object->size() != 1 || !object->begin()->second.getAsObject())
    return fail(llvm::createStringError("a request is an object with one object"));
  llvm::StringRef name = object->begin()->first;
  const llvm::json::Object &body = *object->begin()->second.getAsObject();
  if (name == "hello") {
    auto host = describeHost();
    if (!host)
      return fail(host.takeError());
    result.host = std::move(*host);
    return result;
  }
  if (name == "open") {
    if (Error error = open(body))
      return fail(std::move(error));
    result.isReady = true;
    return result;
  }
  if (name != "measure" && name != "compare")
    return fail(llvm::createStringError("there is no request '" + name + "'"));
  Expected<MeasureRequest> request = parseMeasure(body, name == "compare");
  if (!request)
    return fail(request.takeError());
  if (!bench)
    return fail(llvm::createStringError("no task is open"));
  hasFault = fault && !request->compares;
  auto outcomes = request->compares ? compare(*request) : measure(*request);
  if (!outcomes)
    return fail(outcomes.takeError());
  result.outcomes = std::move(*outcomes);
  return result;
}

Error Server::open(const llvm::json::Object &body) {
  Expected<OpenRequest> request = parseOpen(body);
  if (!request)
    return request.takeError();
  Expected<cpu::Machine> read = cpu::readMachine(request->machine);
  if (!read)
    return read.takeError();
  bench = nullptr;
  kernel = nullptr;
  task = std::move(*request);
  machine = std::move(*read);
  context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  auto created = TaskKernel::create(task.text, *context, machine.model);
  if (!created)
    return created.takeError();
  kernel = std::move(*created);
  kernel->fillConstants(task.seed);
  defaultPoint = task.point;
  hasFault = false;
  auto built = build(defaultPoint);
  if (!built)
    return built.takeError();
  auto &[outcome, object] = built->front();
  if (!object)
    return llvm::createStringError(outcome.error);
  bool isFaulty = false;
  auto module = makeModule(defaultPoint, isFaulty);
  if (!module)
    return module.takeError();
  BenchOptions options;
  options.threads = task.threads;
  options.seed = task.seed;
  options.rotatedBytes = task.rotatedBytes;
  options.onBuilt = [] { answer({/*isReady=*/false, /*isBuilt=*/true, {}, {}}); };
  auto made = Bench::create({**module, *object}, TaskKernel::name, machine, options);
  if (!made)
    return made.takeError();
  bench = std::move(*made);
  return Error::success();
}

Expected<mlir::OwningOpRef<mlir::ModuleOp>> Server::makeModule(const std::string &text,
                                                               bool &isFaulty) {
  Expected<KernelPoint> point = parseKernelPoint(text);
  if (!point)
    return point.takeError();
  if (std::string obstacle = kernel->findObstacle(*point); !obstacle.empty())
    return llvm::createStringError(obstacle);
  auto module = kernel->build(*point);
  if (module && injects(text) && fault->change)
    isFaulty |= fault->change(**module);
  return module;
}

Expected<KernelObject> Server::compile(const std::string &point, bool &isFaulty) {
  auto module = makeModule(point, isFaulty);
  if (!module)
    return module.takeError();
  return Bench::build(**module, TaskKernel::name, machine, [&](mlir::ModuleOp loops) {
    if (injects(point) && fault->changeLoops)
      isFaulty |= fault->changeLoops(loops);
  });
}

Expected<std::vector<std::pair<Outcome, ObjectStore::Object>>>
Server::build(llvm::ArrayRef<std::string> points) {
  std::vector<std::pair<Outcome, ObjectStore::Object>> result(points.size());
  std::vector<size_t> missing;
  for (auto [index, point] : llvm::enumerate(points)) {
    if (!injects(point))
      result[index].second = objects.lookup(task.text, point);
    if (!result[index].second)
      missing.push_back(index);
  }
  std::vector<Build> builds = buildInChildren(
      missing.size(), runtime::getDefaultThreadCount(), task.buildSeconds,
      [&](size_t number, bool &isFaulty) { return compile(points[missing[number]], isFaulty); });
  for (auto [index, build] : llvm::zip_equal(missing, builds)) {
    auto &[outcome, object] = result[index];
    outcome.status = build.status;
    outcome.error = build.error;
    outcome.buildSeconds = build.seconds;
    if (!build.hasCode())
      continue;
    object = std::make_shared<const KernelObject>(std::move(build.object));
    if (!injects(points[index]))
      objects.insert(task.text, points[index], object);
    else if (!build.isMarked)
      return llvm::createStringError("the fault does not apply to the kernel");
  }
  return result;
}

/// Answers for each point but the last one, for which it returns the outcome.
Expected<std::vector<Outcome>> Server::measure(const MeasureRequest &request) {
  auto built = build(request.points);
  if (!built)
    return built.takeError();
  std::vector<Outcome> last;
  for (auto [point, entry] : llvm::zip_equal(request.points, *built)) {
    if (!last.empty())
      answer({/*isReady=*/false, /*isBuilt=*/false, {}, std::move(last)});
    Outcome outcome = std::move(entry.first);
    if (entry.second) {
      bool isFaulty = false;
      auto module = makeModule(point, isFaulty);
      if (!module)
        return module.takeError();
      double seconds = outcome.buildSeconds;
      outcome = bench->measure({**module, *entry.second}, request.bestSeconds);
      outcome.buildSeconds += seconds;
      kernel->freeConstants(**module);
    }
    last = {std::move(outcome)};
    if (last.front().status == TrialStatus::Wrong)
      break;
  }
  return last;
}

Expected<std::vector<Outcome>> Server::compare(const MeasureRequest &request) {
  constexpr unsigned rounds = 11;
  auto built = build(request.points);
  if (!built)
    return built.takeError();
  std::vector<Outcome> outcomes;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  std::vector<BuiltCandidate> candidates;
  for (auto [point, entry] : llvm::zip_equal(request.points, *built)) {
    outcomes.push_back(std::move(entry.first));
    if (!entry.second)
      continue;
    bool isFaulty = false;
    auto module = makeModule(point, isFaulty);
    if (!module)
      return module.takeError();
    modules.push_back(std::move(*module));
    candidates.push_back({*modules.back(), *entry.second});
  }
  auto next = candidates.begin();
  std::vector<Outcome> timed = bench->compareInTurns(candidates, rounds);
  for (auto [outcome, entry] : llvm::zip_equal(outcomes, *built))
    if (entry.second)
      outcome = std::move(timed[next++ - candidates.begin()]);
  for (mlir::OwningOpRef<mlir::ModuleOp> &module : modules)
    kernel->freeConstants(*module);
  return outcomes;
}

int tuner::serveAsWorker(uint64_t memoryLimit, llvm::StringRef faultName) {
  const CandidateFault *fault = lookupCandidateFault(faultName);
  if (!fault && !faultName.empty())
    return exitCannotStart;
  limitProcess(memoryLimit);
  Server server(fault);
  std::string line;
  while (std::getline(std::cin, line))
    answer(server.serve(line));
  return 0;
}
