//===- ProgramRace.cpp - whole programs timed in turns --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramRace.h"
#include "tools/common/ReadModel.h"
#include "tools/tssa-run/Inputs.h"
#include "tssa/Pipeline/Compile.h"
#include "tssa/Runtime/Session.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <csignal>
#include <ctime>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace tssa::tune {

/// What the race may take, and what it takes if programs are fast, in seconds.
static constexpr int mostSeconds = 120; // for each point
static constexpr double enoughSeconds = 3;
static constexpr unsigned fewestTurns = 5, mostTurns = 101;

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static Error compileProgram(mlir::ModuleOp model, const Options &options,
                            const cpu::Machine &machine, const Program &program, StringRef path) {
  mlir::OwningOpRef<mlir::ModuleOp> module = model.clone();
  CompileOptions compile;
  compile.variants = {{Target(), machine}};
  compile.precision = options.precision.resolve({machine}, /*hasDevice=*/false);
  compile.tunedDir = program.records;
  compile.modelName = "model";
  for (const ForeignObject &object : options.import.foreignObjects)
    compile.foreignObjects.push_back(object.bytes);
  Compilation compilation(compile);
  if (failed(compilation.runStages(*module)))
    return createStringError("the model cannot be compiled " + program.name);
  if (Error error = compilation.translate())
    return error;
  bool wasWriting = false;
  return compilation.writeArtifact(path, wasWriting);
}

namespace {
/// A program that is loaded.
struct Loaded {
  std::unique_ptr<runtime::Session> session;
  std::vector<runtime::NpzEntry> entries;
  std::vector<runtime::NamedTensor> inputs;
  std::vector<double> times;
  std::map<std::string, std::vector<double>> kernels;
};
} // namespace

static runtime::Status load(const Options &options, const std::string &path,
                            const tuner::SizePoint &point, Loaded &loaded) {
  runtime::SessionOptions session;
  session.threads = options.threads;
  session.device = "cpu";
  session.seed = options.search.seed;
  if (runtime::Status status = runtime::Session::load(path, session, loaded.session); !status.ok())
    return status;
  const runtime::Manifest &manifest = loaded.session->getManifest();
  std::vector<int64_t> sizes;
  std::vector<std::string> assumed;
  if (runtime::Status status = run::chooseSizes(manifest, point, sizes, assumed); !status.ok())
    return status;
  if (runtime::Status status =
          run::makeRandomInputs(manifest, sizes, options.search.seed, {}, loaded.entries);
      !status.ok())
    return status;
  for (runtime::NpzEntry &entry : loaded.entries)
    loaded.inputs.push_back({entry.name, entry.tensor.asABI()});
  return runtime::Status::success();
}

//===----------------------------------------------------------------------===//
// The child
//===----------------------------------------------------------------------===//

static double getSeconds(bool ofThread) {
  timespec now{};
  clock_gettime(ofThread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Runs a program once, and adds what it takes.
static runtime::Status run(const Options &options, Loaded &program) {
  const runtime::Manifest &manifest = program.session->getManifest();
  const std::vector<runtime::Launch> &launches = manifest.variants.front().launches;
  std::vector<runtime::LaunchTime> profile(launches.size());
  std::vector<runtime::Tensor> results;
  runtime::RunOptions run;
  run.profile = &profile;
  double begin = getSeconds(options.threads == 1);
  if (runtime::Status status = program.session->run(program.inputs, {}, run, results); !status.ok())
    return status;
  program.times.push_back(getSeconds(options.threads == 1) - begin);
  std::map<std::string, double> kernels;
  for (auto [launch, time] : zip_equal(launches, profile))
    kernels[launch.kernel] += time.seconds;
  for (auto &[name, seconds] : kernels)
    program.kernels[name].push_back(seconds);
  return runtime::Status::success();
}

static double takeMedian(std::vector<double> &times) {
  llvm::sort(times);
  return times[times.size() / 2];
}

/// Runs all programs in turns at one point, and adds the medians of each.
static runtime::Status race(const Options &options, ArrayRef<std::string> paths,
                            const tuner::SizePoint &point, json::Array &medians) {
  std::vector<Loaded> programs(paths.size());
  std::vector<Loaded *> order;
  for (auto [path, program] : zip_equal(paths, programs)) {
    if (runtime::Status status = load(options, path, point, program); !status.ok())
      return status;
    if (runtime::Status status = run(options, program); !status.ok())
      return status;
    program.times.clear();
    program.kernels.clear();
    order.push_back(&program);
  }
  double start = getSeconds(/*ofThread=*/false);
  for (unsigned turn = 0; turn < mostTurns; ++turn) {
    if (turn >= fewestTurns && getSeconds(false) - start > enoughSeconds)
      break;
    for (Loaded *program : order)
      if (runtime::Status status = run(options, *program); !status.ok())
        return status;
    std::reverse(order.begin(), order.end());
  }
  for (Loaded &program : programs) {
    json::Object kernels;
    for (auto &[name, times] : program.kernels)
      kernels[name] = takeMedian(times);
    medians.push_back(
        json::Object{{"seconds", takeMedian(program.times)}, {"kernels", std::move(kernels)}});
  }
  return runtime::Status::success();
}

/// Writes the medians to `output`, point by point, or a sentence.
[[noreturn]] static void runChild(const Options &options, ArrayRef<std::string> paths,
                                  ArrayRef<tuner::SizePoint> points, int output, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1);
  json::Array medians;
  runtime::Status status = runtime::Status::success();
  for (const tuner::SizePoint &point : points)
    if (status.ok())
      status = race(options, paths, point, medians);
  std::string text = status.message;
  if (status.ok())
    raw_string_ostream(text) << json::Value(std::move(medians));
  bool isWritten = true;
  for (size_t begin = 0; isWritten && begin < text.size();) {
    ssize_t written = write(output, text.data() + begin, text.size() - begin);
    isWritten = written > 0;
    begin += isWritten ? static_cast<size_t>(written) : 0;
  }
  _exit(status.ok() && isWritten ? 0 : 1);
}

//===----------------------------------------------------------------------===//
// The parent
//===----------------------------------------------------------------------===//

/// Reads what a child writes until it ends or is late. Returns whether it has ended by itself.
static bool receive(int input, int64_t seconds, std::string &text) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                    end - std::chrono::steady_clock::now())
                    .count();
    pollfd entry{input, POLLIN, 0};
    if (left <= 0 || (poll(&entry, 1, static_cast<int>(left)) < 0 && errno != EINTR))
      return false;
    if (entry.revents == 0)
      continue;
    char bytes[4096];
    ssize_t count = read(input, bytes, sizeof(bytes));
    if (count <= 0)
      return count == 0;
    text.append(bytes, static_cast<size_t>(count));
  }
}

/// Takes the medians from what the child has written.
static Error readResults(StringRef text, size_t numPoints, std::vector<Program> &programs) {
  auto fail = [] { return createStringError("the times of the programs cannot be read"); };
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return value.takeError();
  const json::Array *medians = value->getAsArray();
  if (!medians || medians->size() != numPoints * programs.size())
    return fail();
  for (auto [number, median] : enumerate(*medians)) {
    const json::Object *object = median.getAsObject();
    const json::Object *kernels = object ? object->getObject("kernels") : nullptr;
    std::optional<double> seconds = object ? object->getNumber("seconds") : std::nullopt;
    if (!kernels || !seconds)
      return fail();
    RaceResult &result = programs[number % programs.size()].results.emplace_back();
    result.seconds = *seconds;
    for (auto &[name, time] : *kernels)
      result.kernels[name.str()] = time.getAsNumber().value_or(0);
  }
  return Error::success();
}

static Error raceInChild(const Options &options, ArrayRef<std::string> paths,
                         ArrayRef<tuner::SizePoint> points, std::vector<Program> &programs) {
  int ends[2];
  if (pipe(ends) != 0)
    return createStringError("the programs cannot be timed: no pipe");
  pid_t parent = getpid(), child = fork();
  if (child == 0)
    runChild(options, paths, points, ends[1], parent);
  close(ends[1]);
  std::string text;
  int64_t limit = mostSeconds * static_cast<int64_t>(points.size());
  bool isEnded = child > 0 && receive(ends[0], limit, text);
  close(ends[0]);
  if (child <= 0)
    return createStringError("the programs cannot be timed: no process");
  if (!isEnded)
    kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (!isEnded)
    return createStringError("the programs do not end in " + Twine(limit) + " seconds");
  if (WIFSIGNALED(status))
    return createStringError("a program ended by signal " + Twine(WTERMSIG(status)));
  return status == 0 ? readResults(text, points.size(), programs)
                     : createStringError("a program does not run: " + text);
}

Error raceProgram(mlir::MLIRContext &context, const Options &options, const cpu::Machine &machine,
                  ArrayRef<tuner::SizePoint> points, std::vector<Program> &programs) {
  ImportReport report;
  mlir::OwningOpRef<mlir::ModuleOp> model =
      readModel(context, options.input, options.import, report);
  if (!model)
    return createStringError("the model cannot be read again: " + report.error);
  SmallString<128> folder;
  if (std::error_code error = sys::fs::createUniqueDirectory("tssa-tune", folder))
    return createStringError(error, "no folder for programs: " + error.message());
  scope_exit remove([&] { sys::fs::remove_directories(folder); });
  std::vector<std::string> paths;
  for (auto [number, program] : enumerate(programs)) {
    SmallString<128> path = folder;
    sys::path::append(path, "program" + Twine(number) + ".so");
    paths.push_back(std::string(path));
    options.tell({"compile the program " + program.name});
    if (Error error = compileProgram(*model, options, machine, program, paths.back()))
      return error;
    if (std::error_code error = sys::fs::file_size(path, program.bytes))
      return createStringError(error, "no size of a program: " + error.message());
  }
  options.tell({"run the programs"});
  return raceInChild(options, paths, points, programs);
}

} // namespace tssa::tune
