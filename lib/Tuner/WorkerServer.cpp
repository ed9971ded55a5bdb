//===- WorkerServer.cpp - the main loop of a worker -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Protocol.h"
#include "WorkerExit.h"
#include "WorkerFaults.h"
#include "tssa/Pipeline/Stages.h"
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
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { endOutOfMemory(); });
}

static void answer(const Answer &answer) {
  std::cout << print(answer) << std::endl; // flushes: the tuner waits for the line
}

namespace {
/// Serves the requests of one task after the other.
class Server {
public:
  explicit Server(const CandidateFault *fault) : fault(fault) { registerAllDialects(registry); }

  /// Serves a line and returns the answer.
  Answer serve(llvm::StringRef line);

private:
  Error open(const llvm::json::Object &body);
  Expected<std::vector<Outcome>> measure(const llvm::json::Object &body, bool compares);
  /// Builds the program of a point, with the fault unless the point is the default.
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> build(llvm::StringRef text);

  const CandidateFault *fault;
  mlir::DialectRegistry registry;
  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<TaskKernel> kernel;
  std::unique_ptr<Bench> bench;
  std::string defaultPoint;
  bool injects = false;    ///< whether the candidate that is measured gets the fault
  bool isInjected = false; ///< whether it has it
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
  if (name == "open") {
    if (Error error = open(body))
      return fail(std::move(error));
    result.isReady = true;
    return result;
  }
  if (name != "measure" && name != "compare")
    return fail(llvm::createStringError("there is no request '" + name + "'"));
  auto outcomes = measure(body, name == "compare");
  if (!outcomes)
    return fail(outcomes.takeError());
  result.outcomes = std::move(*outcomes);
  return result;
}

Error Server::open(const llvm::json::Object &body) {
  Expected<OpenRequest> request = parseOpen(body);
  if (!request)
    return request.takeError();
  Expected<cpu::Machine> machine = cpu::readMachine(request->machine);
  if (!machine)
    return machine.takeError();
  bench = nullptr;
  kernel = nullptr;
  context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  auto created = TaskKernel::create(request->text, *context, machine->model);
  if (!created)
    return created.takeError();
  kernel = std::move(*created);
  kernel->fillConstants(request->seed);
  injects = false;
  auto candidate = build(request->point);
  if (!candidate)
    return candidate.takeError();
  BenchOptions options;
  options.threads = request->threads;
  options.seed = request->seed;
  options.rotatedBytes = request->rotatedBytes;
  options.onBuilt = [] { answer({/*isReady=*/false, /*isBuilt=*/true, {}, {}}); };
  options.afterLoops = [this](mlir::ModuleOp module) {
    if (injects && fault->changeLoops)
      isInjected |= fault->changeLoops(module);
  };
  auto made = Bench::create(**candidate, TaskKernel::name, *machine, options);
  if (!made)
    return made.takeError();
  bench = std::move(*made);
  defaultPoint = request->point;
  return Error::success();
}

Expected<mlir::OwningOpRef<mlir::ModuleOp>> Server::build(llvm::StringRef text) {
  Expected<KernelPoint> point = parseKernelPoint(text);
  if (!point)
    return point.takeError();
  if (std::string obstacle = kernel->findObstacle(*point); !obstacle.empty())
    return llvm::createStringError(obstacle);
  auto candidate = kernel->build(*point);
  if (candidate && injects && fault->change)
    isInjected |= fault->change(**candidate);
  return candidate;
}

Expected<std::vector<Outcome>> Server::measure(const llvm::json::Object &body, bool compares) {
  constexpr unsigned rounds = 11;
  Expected<MeasureRequest> request = parseMeasure(body, compares);
  if (!request)
    return request.takeError();
  if (!bench)
    return llvm::createStringError("no task is open");
  injects = !compares && fault && request->points.front() != defaultPoint;
  isInjected = false;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> candidates;
  std::vector<mlir::ModuleOp> modules;
  for (llvm::StringRef point : request->points) {
    auto candidate = build(point);
    if (!candidate)
      return candidate.takeError();
    candidates.push_back(std::move(*candidate));
    modules.push_back(*candidates.back());
  }
  std::vector<Outcome> outcomes;
  if (compares)
    outcomes = bench->compareInTurns(modules, rounds);
  else
    outcomes.push_back(bench->measure(modules.front(), request->bestSeconds));
  for (mlir::ModuleOp module : modules)
    kernel->freeConstants(module);
  if (injects && !isInjected)
    return llvm::createStringError("the fault does not apply to the kernel");
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
