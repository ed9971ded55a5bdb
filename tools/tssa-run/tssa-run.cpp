//===- tssa-run.cpp - runs a compiled model ------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bisect.h"
#include "CompileCache.h"
#include "Inputs.h"
#include "Inspect.h"
#include "Interrupt.h"
#include "Options.h"
#include "RunPage.h"

#include "lib/Runtime/File.h"
#include "tools/common/ProgressLine.h"
#include "tssa/Runtime/DeviceCheck.h"
#include "tssa/Runtime/NearName.h"
#include "tssa/Runtime/ParentProcess.h"
#include "tssa/Runtime/Trace.h"

#include <csignal>
#include <cstdio>
#include <ctime>
#include <exception>
#include <new>

using namespace tssa::run;
using namespace tssa::runtime;

/// Events of a trace: 48 MB, of which only what is used takes memory.
static constexpr size_t maxTraceEvents = 1 << 20;

static int report(const Status &status) {
  tssa::tools::eraseProgressLine();
  std::fprintf(stderr, "tssa-run: error: %s\n", status.message.c_str());
  switch (status.code) {
  case TSSA_OUT_OF_MEMORY:
  case TSSA_CANCELLED:
    return LimitReached;
  case TSSA_INTERNAL:
    return InternalError;
  default:
    return ModelError;
  }
}

static bool print(const std::string &text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

static VerifyWeights verification(const Options &options) {
  return options.noVerify ? VerifyWeights::Never : VerifyWeights::Always;
}

/// Reads the inputs from a file or makes them from a seed.
static Status gatherInputs(const Options &options, const Manifest &manifest,
                           std::vector<NpzEntry> &inputs) {
  if (options.inputs)
    return readNpz(*options.inputs, inputs);
  std::vector<int64_t> sizes;
  std::vector<std::string> assumed;
  if (Status status = chooseSizes(manifest, options.dims, sizes, assumed); !status.ok())
    return status;
  if (!options.inputSeed && !manifest.inputs.empty())
    std::fputs("tssa-run: no --inputs: running on random inputs (--random 0)\n", stderr);
  for (const std::string &name : assumed)
    for (size_t i = 0; i < sizes.size(); ++i)
      if (manifest.symbols[i].name == name)
        std::fprintf(stderr,
                     "tssa-run: size %s = %lld (choose with --dim "
                     "%s=SIZE)\n",
                     printable(name).c_str(), (long long)sizes[i], printable(name).c_str());
  return makeRandomInputs(manifest, sizes, options.inputSeed.value_or(0),
                          {options.timeoutSeconds, options.memoryLimit}, inputs);
}

/// Compares the outputs with the tensors of the reference file. Each tensor of the file must have
/// the name of an output.
static Status compareAll(const Options &options, const Manifest &manifest,
                         const std::vector<Tensor> &outputs, std::vector<Difference> &differences) {
  std::vector<NpzEntry> references;
  if (Status status = readNpz(*options.expect, references); !status.ok())
    return status;
  if (references.empty())
    return makeError(TSSA_INVALID_ARGUMENT,
                     "'" + *options.expect + "': it has no reference values");
  std::vector<std::string> names;
  for (const Port &port : manifest.outputs)
    names.push_back(port.name);
  for (const NpzEntry &reference : references) {
    size_t i = 0;
    while (i < names.size() && names[i] != reference.name)
      ++i;
    if (i == names.size())
      return makeError(TSSA_INVALID_ARGUMENT,
                       "'" + *options.expect + "': the model has no output '" +
                           printable(reference.name) + "'" + suggestName(reference.name, names));
    differences.push_back(
        compare(names[i], outputs[i], reference.tensor, options.rtol, options.atol));
  }
  return Status::success();
}

static Status writeOutputs(const std::string &path, const Manifest &manifest,
                           const std::vector<Tensor> &outputs) {
  std::vector<NpzEntry> entries(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    entries[i].name = manifest.outputs[i].name;
    entries[i].tensor.dtype = outputs[i].dtype;
    entries[i].tensor.shape = outputs[i].shape;
    entries[i].tensor.data = outputs[i].data;
  }
  std::unique_lock<std::mutex> hold = holdInterrupts();
  return writeNpz(path, entries);
}

/// Adds the target for the device to the options of the compiler, unless a target is given.
static Status chooseTarget(Options &options) {
  for (const std::string &option : options.compileOptions)
    if (option.compare(0, 8, "--target") == 0)
      return Status::success();
  std::string target;
  if (!isSource(options.model))
    return Status::success();
  if (Status status = findTarget(options.device, target); !status.ok())
    return status;
  if (!target.empty())
    options.compileOptions.push_back("--target=" + target);
  return Status::success();
}

/// Finds the compiled form of a source in the cache or compiles it; with `again`, always compiles
/// it. Returns the exit code.
static int compile(const Options &options, CompiledModel &compiled, bool again = false) {
  int exitCode = 0;
  if (Status status = compiled.prepare(options, again, exitCode); !status.ok()) {
    // With --compile, the compiler's messages and its exit code are all that is to be said.
    if (options.compileOnly && exitCode && exitCode != InternalError)
      return exitCode;
    int own = report(status);
    return exitCode ? exitCode : own;
  }
  return Success;
}

/// Returns whether an artifact from the cache, whose error is `status`, is damaged. An intact one
/// that does not fit this machine or the chosen device would be made again as it is.
static bool isDamaged(const std::string &path, const Status &status) {
  if (status.code != TSSA_INCOMPATIBLE)
    return status.code == TSSA_CORRUPT;
  std::unique_ptr<Artifact> artifact;
  return !Artifact::open(path, artifact).ok();
}

/// Loads the model. If it is a source, compiles it first.
static int load(const Options &options, CompiledModel &compiled,
                std::unique_ptr<Session> &session) {
  SessionOptions sessionOptions;
  sessionOptions.threads = options.threads;
  sessionOptions.pinThreads = options.pin;
  sessionOptions.verifyWeights = verification(options);
  sessionOptions.memoryLimit = options.memoryLimit;
  sessionOptions.device = options.device;
  sessionOptions.seed = options.randomSeed;
  if (!isSource(options.model)) {
    Status status = Session::load(options.model, sessionOptions, session);
    return status.ok() ? Success : report(status);
  }
  for (bool again : {false, true}) {
    if (int code = compile(options, compiled, again))
      return code;
    Status status = Session::load(compiled.getPath(), sessionOptions, session);
    if (status.ok())
      return Success;
    if (compiled.wasCompiled() || !isDamaged(compiled.getPath(), status))
      return report(status);
  }
  return InternalError;
}

/// Compiles a source and prints the path of its compiled form.
static int compileOnly(const Options &options) {
  CompiledModel compiled;
  if (!isSource(options.model))
    return report(makeError(TSSA_INVALID_ARGUMENT,
                            "'" + printable(options.model) + "' is no source to compile"));
  if (int code = compile(options, compiled))
    return code;
  return print(compiled.getPath() + "\n") ? Success : InternalError;
}

static int inspect(const Options &options) {
  CompiledModel compiled;
  std::string path = options.model;
  if (isSource(path)) {
    if (int code = compile(options, compiled))
      return code;
    path = compiled.getPath();
  }
  std::unique_ptr<Artifact> artifact;
  if (Status status = Artifact::open(path, artifact); !status.ok())
    return report(status);
  const Manifest &manifest = artifact->getManifest();
  for (size_t i = 0; i < manifest.variants.size(); ++i)
    if (Status status = artifact->mapWeights(i, verification(options)); !status.ok())
      return report(status);
  if (!print(options.json ? inspectJson(manifest) + "\n" : inspectText(manifest)))
    return report(makeError(TSSA_IO, "cannot write to stdout"));
  return Success;
}

/// Runs the model, and measures what the options ask for.
static Status measure(const Options &options, Session &session, tssa::tools::ProgressLine &line,
                      const std::vector<NamedTensor> &inputs, Trace *trace,
                      std::vector<Tensor> &outputs, Report &result) {
  RunOptions run;
  run.timeoutSeconds = options.timeoutSeconds;
  run.trace = trace;
  if (options.profile || options.report)
    run.profile = &result.profile;
  line.show({"run"});
  bool isTimed = options.bench || options.report;
  if (!isTimed && !options.runs)
    return session.run(inputs, {}, run, outputs);
  BenchOptions timing{options.runs, options.warmUps, options.clock.value_or(Clock::Wall), {}};
  if (!isTimed)
    timing.warmUps = 0;
  if (line.isShown())
    timing.beforeRun = [&](uint64_t i) { line.show({"run " + std::to_string(i + 1)}); };
  BenchResult times;
  Status status = bench(session, inputs, run, timing, outputs, times);
  result.profiledRuns = times.sorted.size();
  if (isTimed)
    result.bench = std::move(times);
  return status;
}

static Status writeText(const std::string &path, const std::string &text) {
  std::unique_lock<std::mutex> hold = holdInterrupts();
  PendingFile file;
  Status status = file.create(path);
  if (status.ok())
    status = file.writeAt(0, text.data(), text.size());
  return status.ok() ? file.commit() : status;
}

/// Writes the files that the options ask for.
static Status writeFiles(const Options &options, const Report &result,
                         const std::vector<NamedTensor> &inputs, const Trace *trace) {
  const Manifest &manifest = *result.manifest;
  if (options.outputs)
    if (Status status = writeOutputs(*options.outputs, manifest, *result.outputs); !status.ok())
      return status;
  if (options.trace)
    if (Status status =
            writeText(*options.trace, writeTrace(*trace, manifest, *result.variant, {}) + "\n");
        !status.ok())
      return status;
  if (options.report)
    return writeText(*options.report, printPage({result, *trace, inputs, measureRoof(result),
                                                 int64_t(std::time(nullptr))}));
  return Status::success();
}

static int runModel(const Options &options) {
  CompiledModel compiled;
  std::unique_ptr<Session> session;
  if (int code = load(options, compiled, session))
    return code;
  const Manifest &manifest = session->getManifest();
  tssa::tools::ProgressLine line("tssa-run");
  line.show({"inputs"});
  std::vector<NpzEntry> entries;
  if (Status status = gatherInputs(options, manifest, entries); !status.ok())
    return report(status);
  std::vector<NamedTensor> inputs;
  for (NpzEntry &entry : entries)
    inputs.push_back({entry.name, entry.tensor.asABI()});

  std::vector<Tensor> outputs;
  Report result;
  result.manifest = &manifest;
  result.variant = &session->getVariant();
  result.outputs = &outputs;
  result.threads = session->getThreadCount();
  result.device = session->getDeviceName();
  std::optional<Trace> trace;
  if (options.trace || options.report)
    trace.emplace(maxTraceEvents);
  Trace *events = trace ? &*trace : nullptr;
  Status status = measure(options, *session, line, inputs, events, outputs, result);
  if (!status.ok())
    return report(status);
  line.show({"outputs"});
  if (status = writeFiles(options, result, inputs, events); !status.ok())
    return report(status);
  if (!options.profile)
    result.profile.clear(); // the page has it
  if (options.expect)
    if (status = compareAll(options, manifest, outputs, result.differences); !status.ok())
      return report(status);

  line.end();
  if (!print(options.json ? reportJson(result) + "\n" : reportText(result)))
    return report(makeError(TSSA_IO, "cannot write to stdout"));
  for (const Difference &difference : result.differences)
    if (!difference.matches())
      return Mismatch;
  return Success;
}

int main(int argc, char **argv) {
  endWithParent();
  std::signal(SIGXFSZ, SIG_IGN); // so that a write beyond the limit of file sizes fails
  try {
    watchInterrupts();
    Options options;
    if (std::optional<int> code = parseOptions(argc, argv, options))
      return *code;
    if (Status status = chooseTarget(options); !status.ok())
      return report(status);
    if (options.bisect)
      return report(bisect(options)); // bisect returns only on failure
    if (options.compileOnly)
      return compileOnly(options);
    return options.inspect ? inspect(options) : runModel(options);
  } catch (const std::bad_alloc &) {
    return report(makeError(TSSA_OUT_OF_MEMORY, "out of memory"));
  } catch (const std::exception &error) {
    return report(makeError(TSSA_INTERNAL, error.what()));
  }
}
