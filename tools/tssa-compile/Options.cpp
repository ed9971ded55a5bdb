//===- Options.cpp - the command line of tssa-compile --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "ListOperators.h"
#include "OptionTable.h"
#include "tools/common/ModelSizes.h"
#include "tools/common/ReadModel.h"
#include "tssa/Pipeline/Compile.h"
#include "tssa/Pipeline/VerifyFaults.h"
#include "tssa/Runtime/DeviceCheck.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>

using namespace llvm;

namespace tssa::compile {
namespace {

int reportUsage(const Twine &message) { return tools::reportUsage("tssa-compile", message.str()); }

constexpr double untrustedSeconds = 300;
constexpr uint64_t untrustedBytes = uint64_t(16) << 30;

/// Parses a number of bytes such as 4G.
std::optional<uint64_t> parseBytes(StringRef text) {
  unsigned shift = 0;
  for (auto [unit, bits] : {std::pair("K", 10), {"M", 20}, {"G", 30}})
    if (text.consume_back(unit)) {
      shift = bits;
      break;
    }
  uint64_t number;
  if (text.getAsInteger(10, number) || number == 0 || number > (uint64_t(1) << 62) >> shift)
    return std::nullopt;
  return number << shift;
}

std::optional<int> takeRemarks(const CommandLine &line, Options &options) {
  if (!line.isGiven("remarks"))
    return std::nullopt;
  options.remarks = line.remarks.empty() ? ".*" : line.remarks;
  std::string error;
  if (!Regex(*options.remarks).isValid(error))
    return reportUsage("expected a regular expression for --remarks, got '" + line.remarks +
                       "': " + error);
  return std::nullopt;
}

std::optional<int> takeProgress(const CommandLine &line, Options &options) {
  options.verbose = line.verbose;
  if (!line.isGiven("progress-fd"))
    return std::nullopt;
  if (StringRef(line.progressFile).getAsInteger(10, options.progressFile) ||
      options.progressFile < 0)
    return reportUsage("expected the number of a file descriptor for --progress-fd, got '" +
                       line.progressFile + "'");
  int mode = ::fcntl(options.progressFile, F_GETFL);
  if (mode < 0 || (mode & O_ACCMODE) == O_RDONLY)
    return reportUsage("--progress-fd: descriptor " + line.progressFile +
                       " is not open for writing");
  return std::nullopt;
}

/// Takes what says how to compile, and not what.
std::optional<int> takeResources(const CommandLine &line, Options &options) {
  options.cacheDir = line.cacheDir;
  if (line.untrusted && line.isGiven("cache-dir"))
    return reportUsage("--cache-dir and --untrusted exclude each other");
  constexpr unsigned mostThreads = 1024;
  if (line.isGiven("threads") && (StringRef(line.threads).getAsInteger(10, options.threads) ||
                                  options.threads == 0 || options.threads > mostThreads))
    return reportUsage("expected a number from 1 to 1024 for --threads, got '" + line.threads +
                       "'");
  return takeProgress(line, options);
}

std::optional<int> takeLimits(const CommandLine &line, Options &options) {
  options.untrusted = line.untrusted;
  options.timeout = line.untrusted ? untrustedSeconds : 0;
  options.timeoutText = line.untrusted ? std::to_string(int(untrustedSeconds)) : "";
  options.memoryLimit = line.untrusted ? untrustedBytes : 0;
  if (line.isGiven("timeout")) {
    options.timeoutText = line.timeout;
    if (StringRef(line.timeout).getAsDouble(options.timeout) || !(options.timeout > 0) ||
        options.timeout > 1e9)
      return reportUsage("expected a number of seconds for --timeout, got '" + line.timeout + "'");
  }
  if (line.isGiven("memory-limit")) {
    std::optional<uint64_t> bytes = parseBytes(line.memoryLimit);
    if (!bytes)
      return reportUsage("expected a number of bytes such as 4G for --memory-limit, got '" +
                         line.memoryLimit + "'");
    options.memoryLimit = *bytes;
  }
  return takeResources(line, options);
}

bool isModelFile(StringRef path) {
  StringRef extension = sys::path::extension(path);
  return extension != ".mlir" && extension != ".json";
}

/// Checks the options that are allowed only for ONNX models.
std::optional<int> checkInput(const CommandLine &line, Options &options) {
  options.check = line.check;
  options.json = line.json;
  if (std::string wrong = takeOperatorFiles(line.operators, line.untrusted, options.import);
      !wrong.empty())
    return reportUsage(wrong);
  if (options.json && !options.check && !line.explain)
    return reportUsage("--json is for --check and --explain");
  if (isModelFile(options.input))
    return std::nullopt;
  if (options.check)
    return reportUsage("--check is for ONNX models, got '" + options.input + "'");
  if (!options.import.operatorFiles.empty())
    return reportUsage("--operators is for ONNX models, got '" + options.input + "'");
  if (!line.sizes.constants.empty())
    return reportUsage("--const fixes an input of an ONNX model, got '" + options.input + "'");
  if (!line.sizes.shapes.empty() || (!line.sizes.dims.empty() && !options.verifyEachStage))
    return reportUsage((line.sizes.shapes.empty() ? "--dim" : "--input-shape") +
                       Twine(" fixes sizes of an ONNX model, got '") + options.input + "'");
  return std::nullopt;
}

/// Takes the model and the machine.
std::optional<int> takeModel(const CommandLine &line, Options &options) {
  if (line.input.empty() && line.emit != "machine")
    return reportUsage("expected a model, MODEL.onnx, MODEL.mlir or PROGRAM.json");
  options.input = line.input;
  options.mcpu = line.mcpu;
  options.machine = line.machine;
  if (line.isGiven("machine") && line.isGiven("mcpu"))
    return reportUsage("--machine and --mcpu exclude each other");
  if (line.atom != "native" && line.atom != "emulate")
    return reportUsage("expected native or emulate for --atom, got '" + line.atom + "'");
  options.emulatesAtoms = line.atom == "emulate";
  return std::nullopt;
}

/// Takes --precision, --no-merge, --force and --without.
std::optional<int> takeTransforms(const CommandLine &line, Options &options) {
  std::optional<PrecisionOption> precision = PrecisionOption::parse(line.precision);
  if (!precision)
    return reportUsage("expected " + PrecisionOption::getExpected().str() +
                       " for --precision, got '" + line.precision + "'");
  options.precision = *precision;
  options.merges = !line.noMerge;
  for (auto [names, apply] : {std::pair(&line.force, Apply::Always), {&line.without, Apply::Never}})
    for (const std::string &name : *names) {
      Apply *transform = options.transforms.find(name);
      if (!transform)
        return reportUsage("no transformation has the name '" + name + "': expected one of " +
                           Transforms::listNames());
      *transform = apply;
    }
  return std::nullopt;
}

std::optional<int> takeBisect(const CommandLine &line, Options &options) {
  options.bisect = line.bisect;
  options.inputs = line.inputs;
  options.reference = line.reference;
  options.seed = line.seed;
  options.relativeTolerance = line.rtol;
  options.absoluteTolerance = line.atol;
  if (!(line.rtol >= 0) || !(line.atol >= 0))
    return reportUsage("expected --rtol and --atol of 0 or more");
  for (const char *part : {"inputs", "reference", "random", "rtol", "atol"})
    if (line.isGiven(part) && !options.bisect)
      return reportUsage(Twine("--") + part + " needs --bisect");
  if (options.bisect && sys::path::extension(line.input) != ".onnx")
    return reportUsage("--bisect needs a MODEL.onnx, got '" + line.input + "'");
  if (options.bisect && line.verify)
    return reportUsage("--bisect and --verify-each-stage exclude each other");
  return std::nullopt;
}

/// Refuses the `others` beside `option`.
std::optional<int> refuseBeside(const CommandLine &line, StringRef option,
                                ArrayRef<StringRef> others) {
  for (StringRef other : others)
    if (line.isGiven(other))
      return reportUsage("--" + option + (other.size() == 1 ? " and -" : " and --") + other +
                         " exclude each other");
  return std::nullopt;
}

/// Takes what describes the launches of a program instead of compiling it.
std::optional<int> takeReports(const CommandLine &line, Options &options) {
  options.explain = line.explain;
  options.times = line.times;
  bool annotates = line.isGiven("annotate");
  if (line.isGiven("times") && !line.explain && !line.printPartition && !annotates)
    return reportUsage("--times is for --explain, --print-partition and --annotate");
  if (line.explain || line.printPartition || annotates)
    options.lastStage = "buffers";
  if (line.explain)
    return refuseBeside(line, "explain",
                        {"o", "emit", "compile-to", "remarks", "check", "bisect", "print-partition",
                         "annotate", "verify-each-stage"});
  if (line.printPartition) {
    options.emit = Emit::Partition;
    return refuseBeside(line, "print-partition",
                        {"emit", "compile-to", "check", "bisect", "annotate", "verify-each-stage"});
  }
  if (!annotates)
    return std::nullopt;
  options.emit = Emit::Annotated;
  options.output = line.annotate;
  if (!isModelFile(options.input))
    return reportUsage("--annotate is for ONNX models, got '" + options.input + "'");
  return refuseBeside(line, "annotate",
                      {"o", "emit", "compile-to", "check", "bisect", "verify-each-stage"});
}

std::optional<int> takeStage(const CommandLine &line, Options &options) {
  std::optional<Emit> emit = StringSwitch<std::optional<Emit>>(line.emit)
                                 .Case("machine", Emit::Machine)
                                 .Case("schedule", Emit::Schedule)
                                 .Case("llvm", Emit::LLVM)
                                 .Case("ptx", Emit::PTX)
                                 .Case("asm", Emit::Assembly)
                                 .Case("obj", Emit::Object)
                                 .Case("so", Emit::SharedObject)
                                 .Default(std::nullopt);
  if (!emit)
    return reportUsage("expected llvm, ptx, asm, obj, so, schedule or machine for --emit, got '" +
                       line.emit + "'");
  options.emit = *emit;
  options.lastStage = options.emit == Emit::Schedule ? "layout" : "target";
  if (!line.isGiven("compile-to"))
    return std::nullopt;
  if (line.isGiven("emit"))
    return reportUsage("--compile-to and --emit exclude each other");
  if (!lookupStage(line.lastStage)) {
    std::string names;
    for (const Stage &stage : getStages())
      names += (names.empty() ? "" : ", ") + stage.name.str();
    return reportUsage("expected a stage (" + names + ") for --compile-to, got '" + line.lastStage +
                       "'");
  }
  options.lastStage = line.lastStage;
  options.emit = Emit::Module;
  return std::nullopt;
}

/// Replaces cuda and gpu in a list of targets by the target for the first GPU of this machine.
Expected<std::string> resolveDevices(StringRef list) {
  std::vector<std::string> names;
  for (StringRef name : split(list, ',')) {
    std::string target = name.str();
    if (name == "cuda" || name == "gpu")
      if (runtime::Status status = runtime::findTarget("cuda:0", target); !status.ok())
        return createStringError(
            "'" + name + "' is the GPU of this machine: " + status.message +
            "; to compile for another one name its architecture, such as cuda:sm_90, which "
            "'nvidia-smi --query-gpu=compute_cap --format=csv' prints there as 9.0");
    names.push_back(std::move(target));
  }
  return join(names, ",");
}

/// Refuses a list of CPUs where there is only one program.
std::optional<int> checkCPUs(const CommandLine &line, const Options &options) {
  if (!StringRef(line.mcpu).contains(','))
    return std::nullopt;
  if (options.emit != Emit::SharedObject || options.bisect || options.explain)
    return reportUsage("a list of CPUs is for artifacts, got --mcpu=" + line.mcpu);
  if (!options.schedule.empty())
    return reportUsage("--schedule needs a single --mcpu, got '" + line.mcpu + "'");
  return std::nullopt;
}

/// Reads the targets. Only an artifact may have more than one target.
std::optional<int> takeTargets(const CommandLine &line, Options &options) {
  Expected<std::string> resolved = resolveDevices(line.target);
  if (!resolved)
    return reportUsage("--target: " + toString(resolved.takeError()));
  Expected<std::vector<Target>> targets = parseTargets(*resolved);
  if (!targets)
    return reportUsage("--target: " + toString(targets.takeError()));
  options.targets = std::move(*targets);
  if (std::optional<int> code = checkCPUs(line, options))
    return code;
  if (options.targets.size() > 1 && options.emit != Emit::SharedObject)
    return reportUsage((line.isGiven("compile-to") ? "--compile-to" : "--emit=" + line.emit) +
                       " needs a single --target, got '" + line.target + "'");
  if (options.targets.size() > 1 && !options.schedule.empty())
    return reportUsage("--schedule needs a single --target, got '" + line.target + "'");
  auto isDevice = [](const Target &target) { return target.isDevice(); };
  if (!options.tuned.empty() && llvm::any_of(options.targets, isDevice))
    return reportUsage("--tuned needs --target=cpu, got '" + line.target + "'");
  if (options.sanitize && llvm::any_of(options.targets, isDevice))
    return reportUsage("--sanitize: only with --target=cpu");
  if (options.emit == Emit::PTX && options.targets.front().kind != Target::CUDA)
    return reportUsage("--emit=ptx needs a --target such as cuda:sm_90, got '" + line.target + "'");
  return std::nullopt;
}

void chooseOutput(Options &options) {
  if (!options.output.empty())
    return;
  StringRef stem = sys::path::stem(options.input);
  switch (options.emit) {
  case Emit::SharedObject:
    options.output = (stem + ".so").str();
    break;
  case Emit::Object:
    options.output = (stem + ".o").str();
    break;
  default:
    options.output = "-";
  }
}

void takeSchedules(const CommandLine &line, Options &options) {
  options.schedule = line.schedule;
  options.tuned = line.tuned;
  options.point = line.point;
}

} // namespace

std::optional<int> parseOptions(int argc, char **argv, Options &options) {
  CommandLine line;
  if (std::optional<int> code = line.parse(argc, argv))
    return code;
  if (line.listOperators) {
    listOperators(outs());
    return Success;
  }
  options.output = line.output;
  if (std::optional<int> code = takeModel(line, options))
    return code;
  takeSchedules(line, options);
  options.dumpDir = line.dumpDir;
  options.verifyEachStage = line.verify;
  options.injectFault = line.injectFault;
  if (std::optional<int> code = takeTransforms(line, options))
    return code;
  if (std::optional<int> code = takeBisect(line, options))
    return code;
  if (!options.injectFault.empty() && !lookupFault(options.injectFault))
    return reportUsage("no fault has the name '" + options.injectFault + "'");
  options.sanitize = !line.sanitize.empty();
  if (options.sanitize && line.sanitize != "address")
    return reportUsage("--sanitize: expected address, got '" + line.sanitize + "'");
  if (std::optional<int> code = takeRemarks(line, options))
    return code;
  if (std::optional<int> code = takeLimits(line, options))
    return code;
  if (std::optional<int> code = checkInput(line, options))
    return code;
  if (std::string wrong = readModelSizes(line.sizes, options.import); !wrong.empty())
    return reportUsage(wrong);
  if (std::optional<int> code = takeStage(line, options))
    return code;
  if (std::optional<int> code = takeReports(line, options))
    return code;
  if (std::optional<int> code = takeTargets(line, options))
    return code;
  chooseOutput(options);
  options.depFile = line.depFile;
  if (!options.depFile.empty() && options.output == "-")
    return reportUsage("--depfile needs an output file: -o FILE");
  return std::nullopt;
}

} // namespace tssa::compile
