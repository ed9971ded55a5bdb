//===- Bench.cpp - measures candidates of one kernel ----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/Bench.h"
#include "BatchTimer.h"
#include "Canary.h"
#include "Program.h"
#include "ReferenceResults.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "tssa/Pipeline/Compile.h"

#include <chrono>

using namespace tssa;
using namespace tssa::tuner;
using namespace tssa::reference;
namespace te = mlir::tssa::te;
using llvm::Error;
using llvm::Expected;
using search::TrialStatus;

static constexpr unsigned leastBatches = 5, mostBatches = 12;
/// A candidate whose time is this many times the best is not timed longer than for `fewBatches`.
static constexpr double farFromBest = 1.5;
static constexpr unsigned fewBatches = 3;
/// Slow kernels are not timed for longer than this, in seconds, beyond `fewBatches`.
static constexpr double longTiming = 0.25;
/// The half-width of the interval at which a time is exact enough.
static constexpr double exactEnough = 0.01;
static constexpr uint64_t maxRotatedBytes = 256 << 20;

namespace {
/// Keeps the text of errors at operations instead of printing them.
class ErrorText {
public:
  explicit ErrorText(mlir::MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
            text += ": " + diagnostic.str();
        }) {}
  /// Returns `error` with the text.
  Error append(Error error) const {
    std::error_code code;
    std::string message;
    llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase &info) {
      code = info.convertToErrorCode();
      message = info.message();
    });
    return llvm::createStringError(code, message + text);
  }

private:
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

using Clock = std::chrono::steady_clock;

/// Adds the wall time of its scope to a number of seconds.
class StopWatch {
public:
  explicit StopWatch(double &seconds) : seconds(seconds) {}
  ~StopWatch() { seconds += std::chrono::duration<double>(Clock::now() - start).count(); }

private:
  double &seconds;
  Clock::time_point start = Clock::now();
};
} // namespace

/// Makes `outcome` one that failed: for want of memory, or else with `status`.
static void fail(Outcome &outcome, TrialStatus status, Error error) {
  llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase &info) {
    bool lacksMemory = info.convertToErrorCode() == std::errc::not_enough_memory;
    outcome.status = lacksMemory ? TrialStatus::OutOfMemory : status;
    outcome.error = info.message();
  });
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Bench::Bench(llvm::StringRef kernel, const cpu::Machine &machine, const BenchOptions &options)
    : kernel(kernel), machine(machine), options(options),
      pool(runtime::ThreadPool::getShared(options.threads, /*pin=*/false)),
      canary(std::make_unique<Canary>(machine.vectorBytes)) {}

Bench::~Bench() = default;

Expected<KernelObject> Bench::build(mlir::ModuleOp candidate, llvm::StringRef kernel,
                                    const cpu::Machine &machine,
                                    llvm::function_ref<void(mlir::ModuleOp)> afterLoops) {
  ErrorText errors(candidate.getContext());
  if (failed(mlir::verify(candidate)))
    return errors.append(llvm::createStringError("the module is not valid"));
  auto op = candidate.lookupSymbol<te::KernelOp>(kernel);
  if (!op)
    return llvm::createStringError("the module has no kernel '" + kernel + "'");
  auto object = KernelRunner::compile(op, machine, verifiesPassesByDefault, afterLoops);
  if (!object)
    return errors.append(object.takeError());
  return object;
}

Expected<std::unique_ptr<Program>> Bench::load(const Candidate &candidate,
                                               const KernelObject &object) const {
  int64_t rotated = std::min<uint64_t>(
      {options.rotatedBytes, uint64_t(2 * machine.model.l3Bytes), maxRotatedBytes});
  return Program::create(candidate, object, rotated);
}

Error Bench::prepareReference(const BuiltCandidate &given) {
  Expected<Candidate> candidate = Candidate::read(given.module, kernel, options.memoryLimit);
  if (!candidate)
    return candidate.takeError();
  if (Error error = candidate->evaluateOperands(options.seed))
    return error;
  Expected<std::unique_ptr<Program>> program = load(*candidate, given.object);
  if (!program)
    return program.takeError();
  Expected<std::vector<HostTensor>> got = (*program)->run();
  if (!got)
    return got.takeError();
  auto expected = ReferenceResults::create(candidate->launch, (*program)->getInputs(), *got,
                                           options.maxElements, options.seed);
  if (!expected)
    return expected.takeError();
  for (LaunchOperand &operand : candidate->operands)
    if (operand.isConstant)
      operand.value = HostValue();
  candidate->launch = {};
  reference = std::make_unique<Candidate>(std::move(*candidate));
  results = std::make_unique<ReferenceResults>(std::move(*expected));
  return Error::success();
}

Expected<std::unique_ptr<Bench>> Bench::create(const BuiltCandidate &defaultCandidate,
                                               llvm::StringRef kernel, const cpu::Machine &machine,
                                               const BenchOptions &options) {
  if (options.threads == 0)
    return llvm::createStringError("expected at least 1 thread, got 0");
  std::unique_ptr<Bench> bench(new Bench(kernel, machine, options));
  if (Error error = bench->prepareReference(defaultCandidate))
    return error;
  return bench;
}

std::unique_ptr<Program> Bench::prepare(const BuiltCandidate &given, Outcome &outcome) const {
  StopWatch watch(outcome.checkSeconds);
  auto open = [&]() -> Expected<std::unique_ptr<Program>> {
    Expected<Candidate> candidate = Candidate::read(given.module, kernel, options.memoryLimit);
    if (!candidate)
      return candidate.takeError();
    if (Error error = candidate->takeOperands(*reference))
      return error;
    return load(*candidate, given.object);
  };
  Expected<std::unique_ptr<Program>> program = open();
  if (!program) {
    fail(outcome, TrialStatus::BuildFailed, program.takeError());
    return nullptr;
  }
  if (options.onBuilt)
    options.onBuilt();
  Expected<std::vector<HostTensor>> got = (*program)->run();
  Error error = got ? results->compare(*got) : got.takeError();
  if (!error)
    return std::move(*program);
  fail(outcome, TrialStatus::Wrong, std::move(error));
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Timing
//===----------------------------------------------------------------------===//

static BatchTimer makeTimer(Program &program, runtime::ThreadPool &pool, unsigned repeats) {
  return BatchTimer([&] { program.call(pool); }, pool.getThreadCount(), repeats);
}

void Bench::conclude(Program &program, const BatchTimer &timer, Outcome &outcome) const {
  StopWatch watch(outcome.checkSeconds);
  // Iterations that run at the same time may disturb each other, and a kernel may leave out what
  // earlier calls have left in its results.
  program.clearResults();
  program.call(*pool);
  Expected<std::vector<HostTensor>> got = program.checkResults();
  if (Error error = got ? results->compare(*got) : got.takeError())
    return fail(outcome, TrialStatus::Wrong, std::move(error));
  outcome.seconds = timer.getMedian();
  outcome.minSeconds = timer.getLeast();
  outcome.halfWidth = timer.getHalfWidth();
  outcome.cpuOverWall = timer.getCPUOverWall();
}

Outcome Bench::measure(const BuiltCandidate &candidate, std::optional<double> bestSeconds) {
  Outcome outcome;
  std::unique_ptr<Program> program = prepare(candidate, outcome);
  if (!program)
    return outcome;
  BatchTimer timer = makeTimer(*program, *pool, mostBatches);
  {
    StopWatch watch(outcome.timingSeconds);
    outcome.canary = canary->wait();
    Clock::time_point start = Clock::now();
    runtime::ThreadPool::Run run(pool.get());
    timer.calibrate();
    for (unsigned count = 1; count <= mostBatches; ++count) {
      timer.run();
      bool isFar = bestSeconds && timer.getMedian() > farFromBest * *bestSeconds;
      bool isLong = std::chrono::duration<double>(Clock::now() - start).count() > longTiming;
      if ((count >= fewBatches && (isFar || isLong)) ||
          (count >= leastBatches && timer.getHalfWidth() < exactEnough))
        break;
    }
  }
  conclude(*program, timer, outcome);
  return outcome;
}

std::vector<Outcome> Bench::compareInTurns(llvm::ArrayRef<BuiltCandidate> candidates,
                                           unsigned rounds) {
  struct Turn {
    unsigned index;
    std::unique_ptr<Program> program;
    BatchTimer timer;
  };
  std::vector<Outcome> outcomes(candidates.size());
  std::vector<Turn> turns;
  for (auto [index, candidate] : llvm::enumerate(candidates))
    if (std::unique_ptr<Program> program = prepare(candidate, outcomes[index])) {
      BatchTimer timer = makeTimer(*program, *pool, rounds);
      turns.push_back({unsigned(index), std::move(program), std::move(timer)});
    }
  double share = canary->wait();
  for (Outcome &outcome : outcomes)
    outcome.canary = share;
  runtime::ThreadPool::Run run(pool.get());
  auto give = [&](Turn &turn, bool isFirst) {
    StopWatch watch(outcomes[turn.index].timingSeconds);
    if (isFirst)
      turn.timer.calibrate();
    turn.program->call(*pool); // takes the caches back from the others
    turn.timer.run();
  };
  for (unsigned round = 0; round < std::max(rounds, 1u); ++round) {
    for (Turn &turn : turns)
      give(turn, round == 0);
    std::reverse(turns.begin(), turns.end());
  }
  for (Turn &turn : turns)
    conclude(*turn.program, turn.timer, outcomes[turn.index]);
  return outcomes;
}
