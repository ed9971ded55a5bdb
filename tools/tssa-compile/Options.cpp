//===- Options.cpp - the command line of tssa-compile --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "ListOperators.h"
#include "UnknownOption.h"
#include "tools/common/ModelSizes.h"
#include "tssa/Pipeline/Compile.h"
#include "tssa/Pipeline/VerifyFaults.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tssa::compile {
namespace {

cl::OptionCategory category("Options");

/// The options of the tool. LLVM's own options are hidden.
struct CommandLine {
  cl::opt<std::string> input{cl::Positional, cl::desc("MODEL.onnx|MODEL.mlir|PROGRAM.json"),
                             cl::cat(category)};
  cl::opt<std::string> output{"o",
                              cl::desc("Output file; by default MODEL.so in the current directory"),
                              cl::value_desc("FILE"), cl::cat(category)};
  cl::opt<std::string> depFile{
      "depfile", cl::desc("Write which files the output depends on, for make and Ninja"),
      cl::value_desc("FILE"), cl::cat(category)};
  cl::opt<std::string> target{"target",
                              cl::desc("What to make code for: cpu (default), cuda:sm_90 and "
                                       "others, cuda-emu, or a list"),
                              cl::value_desc("TARGET,..."), cl::init("cpu"), cl::cat(category)};
  cl::opt<std::string> mcpu{"mcpu", cl::desc("CPU, such as native (default), x86-64-v3, x86-64-v4"),
                            cl::value_desc("CPU"), cl::init("native"), cl::cat(category)};
  cl::opt<std::string> machine{
      "machine",
      cl::desc("Machine, as --emit=machine and tssa-run --inspect write it, "
               "instead of --mcpu"),
      cl::value_desc("FILE"), cl::cat(category)};
  cl::opt<std::string> effort{"O",
                              cl::Prefix,
                              cl::desc("-O1: quick to compile, -O2: quick to run (default)"),
                              cl::value_desc("1|2"),
                              cl::init("2"),
                              cl::cat(category)};
  cl::list<std::string> dims{"dim", cl::desc("Fix the size of a named dim; repeatable"),
                             cl::value_desc("NAME=N"), cl::cat(category)};
  cl::list<std::string> shapes{"input-shape", cl::desc("Fix the shape of an input; repeatable"),
                               cl::value_desc("NAME=1x3x224x224"), cl::cat(category)};
  cl::opt<std::string> lastStage{
      "compile-to", cl::desc("Stop after import, functional, te, layout, buffers, loops or target"),
      cl::value_desc("STAGE"), cl::cat(category)};
  cl::opt<std::string> emit{"emit",
                            cl::desc("Write llvm, ptx, asm, obj, so (default), schedule or "
                                     "machine, which needs no model"),
                            cl::value_desc("KIND"), cl::init("so"), cl::cat(category)};
  cl::opt<unsigned> point{"point",
                          cl::desc("Take the loops that the draft model ranks N-th, not first (0)"),
                          cl::value_desc("N"), cl::cat(category)};
  cl::opt<std::string> schedule{"schedule",
                                cl::desc("Schedules of kernels, as --emit=schedule writes them"),
                                cl::value_desc("FILE"), cl::cat(category)};
  cl::opt<std::string> tuned{"tuned",
                             cl::desc("Give kernels the loops that a tuner has recorded in DIR"),
                             cl::value_desc("DIR"), cl::cat(category)};
  cl::opt<std::string> dumpDir{"dump-dir", cl::desc("Write the module after every stage"),
                               cl::value_desc("DIR"), cl::cat(category)};
  cl::opt<std::string> cacheDir{
      "cache-dir",
      cl::desc("Keep the code of kernels in DIR, and take what is kept there. Serves --emit=so "
               "only, without --remarks, --dump-dir and --verify-each-stage"),
      cl::value_desc("DIR"), cl::cat(category)};
  cl::opt<bool> verify{"verify-each-stage",
                       cl::desc("Run the model after every stage and name the first wrong one"),
                       cl::cat(category)};
  cl::opt<std::string> injectFault{"inject-fault", cl::desc("Make a fault, for tests"), cl::Hidden,
                                   cl::cat(category)};
  cl::opt<bool> noMerge{"no-merge", cl::desc("Make each op a kernel of its own, for comparisons"),
                        cl::Hidden, cl::cat(category)};
  cl::list<std::string> force{"force", cl::desc("Apply a transformation wherever it is legal"),
                              cl::Hidden, cl::cat(category)};
  cl::list<std::string> without{"without", cl::desc("Leave a transformation out"), cl::Hidden,
                                cl::cat(category)};
  cl::opt<bool> bisect{"bisect",
                       cl::desc("Run the model and name the first node whose value is wrong"),
                       cl::cat(category)};
  cl::opt<std::string> inputs{"inputs", cl::desc("Inputs for --bisect; by default random ones"),
                              cl::value_desc("IN.npz"), cl::cat(category)};
  cl::opt<std::string> reference{
      "reference",
      cl::desc("Reference values for --bisect, by tensor name; by default the evaluator's"),
      cl::value_desc("REF.npz"), cl::cat(category)};
  cl::opt<uint64_t> seed{"random", cl::desc("Seed of random inputs for --bisect (1)"),
                         cl::value_desc("SEED"), cl::init(1), cl::cat(category)};
  cl::opt<double> rtol{
      "rtol", cl::desc("Allowed error for --bisect, relative to the largest magnitude (1e-3)"),
      cl::value_desc("R"), cl::init(1e-3), cl::cat(category)};
  cl::opt<double> atol{"atol", cl::desc("Allowed error of an element for --bisect (1e-5)"),
                       cl::value_desc("A"), cl::init(1e-5), cl::cat(category)};
  cl::opt<std::string> sanitize{"sanitize",
                                cl::desc("address: code for a process with AddressSanitizer"),
                                cl::Hidden, cl::cat(category)};
  cl::opt<bool> listOperators{"list-operators", cl::desc("Print the table of operators as JSON"),
                              cl::Hidden, cl::cat(category)};
  cl::opt<bool> explain{"explain",
                        cl::desc("Only print what each launch computes and moves, and why its "
                                 "results are stored"),
                        cl::cat(category)};
  cl::opt<bool> printPartition{
      "print-partition",
      cl::desc("Only print which expressions become one launch, and what that costs; with -o "
               "FILE.dot or FILE.svg as a graph"),
      cl::cat(category)};
  cl::opt<bool> timing{"timing", cl::desc("Print the time of every stage"), cl::cat(category)};
  cl::opt<std::string> remarks{"remarks",
                               cl::desc("Print what passes decided and why; with REGEX, those "
                                        "passes whose names match"),
                               cl::value_desc("REGEX"), cl::ValueOptional, cl::cat(category)};
  cl::opt<bool> untrusted{
      "untrusted",
      cl::desc("Refuse what a hostile model could abuse; sets --timeout=300 and "
               "--memory-limit=16G unless they are given"),
      cl::cat(category)};
  cl::opt<bool> check{"check", cl::desc("Only list what is not supported in the model"),
                      cl::cat(category)};
  cl::opt<bool> json{"json", cl::desc("With --check: answer in JSON"), cl::cat(category)};
  cl::opt<std::string> timeout{"timeout", cl::desc("Give up after this many seconds"),
                               cl::value_desc("SECONDS"), cl::cat(category)};
  cl::opt<std::string> threads{"threads",
                               cl::desc("Threads that compile; by default one on each CPU. The "
                                        "output does not depend on it"),
                               cl::value_desc("N"), cl::cat(category)};
  cl::opt<std::string> memoryLimit{"memory-limit",
                                   cl::desc("Give up when more memory is needed; K, M and G are "
                                            "powers of 1024"),
                                   cl::value_desc("BYTES"), cl::cat(category)};
};

constexpr const char *overview =
    "compiles a model to one binary that tssa-run and libtssart run\n\n"
    "EXAMPLES:\n"
    "  tssa-compile model.onnx                      writes model.so for this CPU\n"
    "  tssa-compile model.onnx -o m.so --mcpu=x86-64-v3 --dim batch=1\n"
    "  tssa-compile model.onnx --target=cpu,cuda:sm_90    runs on either\n"
    "  tssa-compile model.onnx --check              lists all that is not supported\n"
    "  tssa-compile model.onnx --explain            says what each kernel does, and why\n"
    "  tssa-compile model.onnx --print-partition -o groups.svg\n"
    "  tssa-compile model.onnx --compile-to=te      prints the module after stage te\n"
    "  tssa-compile model.onnx --emit=schedule -o s.mlir\n"
    "  tssa-compile --emit=machine -o here.txt      for --machine=here.txt on another host\n"
    "  tssa-compile program.json                    a PyTorch program, as the Python package "
    "tssa writes it\n\n"
    "EXIT CODES: 0 ok, 1 error in the model, 2 usage, 3 unsupported, 4 mismatch,\n"
    "  5 limit or timeout, 70 internal\n";

int reportUsage(const Twine &message) {
  errs() << "tssa-compile: error: " << message << "\ntry: tssa-compile --help\n";
  return UsageError;
}

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
  if (line.remarks.getNumOccurrences() == 0)
    return std::nullopt;
  options.remarks = line.remarks.empty() ? ".*" : line.remarks.getValue();
  std::string error;
  if (!Regex(*options.remarks).isValid(error))
    return reportUsage("expected a regular expression for --remarks, got '" + line.remarks +
                       "': " + error);
  return std::nullopt;
}

/// Takes what says how to compile, and not what.
std::optional<int> takeResources(const CommandLine &line, Options &options) {
  options.cacheDir = line.cacheDir;
  if (line.untrusted && line.cacheDir.getNumOccurrences())
    return reportUsage("--cache-dir and --untrusted exclude each other");
  if (line.effort != "1" && line.effort != "2")
    return reportUsage("expected -O1 (quick to compile) or -O2 (quick to run), got '-O" +
                       line.effort + "'");
  options.effort = line.effort == "1" ? cpu::Effort::Short : cpu::Effort::Full;
  constexpr unsigned mostThreads = 1024;
  if (line.threads.getNumOccurrences() &&
      (StringRef(line.threads).getAsInteger(10, options.threads) || options.threads == 0 ||
       options.threads > mostThreads))
    return reportUsage("expected a number from 1 to 1024 for --threads, got '" + line.threads +
                       "'");
  return std::nullopt;
}

std::optional<int> takeLimits(const CommandLine &line, Options &options) {
  options.untrusted = line.untrusted;
  options.timeout = line.untrusted ? untrustedSeconds : 0;
  options.timeoutText = line.untrusted ? std::to_string(int(untrustedSeconds)) : "";
  options.memoryLimit = line.untrusted ? untrustedBytes : 0;
  if (line.timeout.getNumOccurrences()) {
    options.timeoutText = line.timeout;
    if (StringRef(line.timeout).getAsDouble(options.timeout) || !(options.timeout > 0) ||
        options.timeout > 1e9)
      return reportUsage("expected a number of seconds for --timeout, got '" + line.timeout + "'");
  }
  if (line.memoryLimit.getNumOccurrences()) {
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
  if (options.json && !options.check)
    return reportUsage("--json is for --check");
  if (isModelFile(options.input))
    return std::nullopt;
  if (options.check)
    return reportUsage("--check is for ONNX models, got '" + options.input + "'");
  if (!line.shapes.empty() || (!line.dims.empty() && !options.verifyEachStage))
    return reportUsage((line.shapes.empty() ? "--dim" : "--input-shape") +
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
  if (line.machine.getNumOccurrences() && line.mcpu.getNumOccurrences())
    return reportUsage("--machine and --mcpu exclude each other");
  return std::nullopt;
}

/// Takes --no-merge, --force and --without.
std::optional<int> takeTransforms(const CommandLine &line, Options &options) {
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
  const cl::Option *parts[] = {&line.inputs, &line.reference, &line.seed, &line.rtol, &line.atol};
  for (const cl::Option *part : parts)
    if (part->getNumOccurrences() && !options.bisect)
      return reportUsage("--" + part->ArgStr + " needs --bisect");
  if (options.bisect && sys::path::extension(line.input) != ".onnx")
    return reportUsage("--bisect needs a MODEL.onnx, got '" + line.input + "'");
  if (options.bisect && line.verify)
    return reportUsage("--bisect and --verify-each-stage exclude each other");
  return std::nullopt;
}

/// Refuses the `others` beside `option`.
std::optional<int> refuseBeside(const cl::Option &option, ArrayRef<const cl::Option *> others) {
  for (const cl::Option *other : others)
    if (other->getNumOccurrences())
      return reportUsage("--" + option.ArgStr + (other->ArgStr.size() == 1 ? " and -" : " and --") +
                         other->ArgStr + " exclude each other");
  return std::nullopt;
}

/// Takes --explain and --print-partition.
std::optional<int> takeReports(const CommandLine &line, Options &options) {
  options.explain = line.explain;
  if (line.explain) {
    options.lastStage = "te";
    return refuseBeside(line.explain, {&line.output, &line.emit, &line.lastStage, &line.remarks,
                                       &line.check, &line.bisect, &line.printPartition});
  }
  if (line.printPartition) {
    options.lastStage = "functional";
    options.emit = Emit::Partition;
    return refuseBeside(line.printPartition,
                        {&line.emit, &line.lastStage, &line.check, &line.bisect, &line.noMerge});
  }
  return std::nullopt;
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
  if (line.lastStage.getNumOccurrences() == 0)
    return std::nullopt;
  if (line.emit.getNumOccurrences() != 0)
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

/// Reads the targets. Only an artifact may have more than one target.
std::optional<int> takeTargets(const CommandLine &line, Options &options) {
  Expected<std::vector<Target>> targets = parseTargets(line.target);
  if (!targets)
    return reportUsage("--target: " + toString(targets.takeError()));
  options.targets = std::move(*targets);
  if (options.targets.size() > 1 && options.emit != Emit::SharedObject)
    return reportUsage(
        (line.lastStage.getNumOccurrences() ? "--compile-to" : "--emit=" + line.emit) +
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

/// Removes the options from LLVM's table, because the linker, which runs as a library, has options
/// with the same names.
void removeOptions(CommandLine &line) {
  SmallVector<cl::Option *> own = {&line.input}; // has no name
  for (auto &entry : cl::getRegisteredOptions())
    if (is_contained(entry.second->Categories, &category))
      own.push_back(entry.second);
  for (cl::Option *option : own)
    option->removeArgument();
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

/// Removes an option of LLVM's libraries that has the name of one of ours.
static void removeForeign(StringRef name) {
  if (cl::Option *option = cl::getRegisteredOptions().lookup(name))
    option->removeArgument();
}

/// Fills `line` and removes its options from LLVM's table.
static std::optional<int> parseArguments(int argc, char **argv, CommandLine &line) {
  std::optional<std::string> unknown =
      findUnknownOption(ArrayRef(argv, argc).drop_front(), category);
  std::string messages;
  raw_string_ostream stream(messages);
  bool parsed = !unknown && cl::ParseCommandLineOptions(argc, argv, overview, &stream);
  removeOptions(line);
  if (unknown)
    return reportUsage(*unknown);
  if (parsed)
    return std::nullopt;
  StringRef text = messages;
  text.consume_front(sys::path::filename(argv[0]).str() + ": ");
  errs() << "tssa-compile: error: " << text;
  return UsageError;
}

std::optional<int> parseOptions(int argc, char **argv, Options &options) {
  removeForeign("threads");
  removeForeign("cache-dir");
  CommandLine line;
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter([](raw_ostream &stream) {
    stream << getToolBuild() << "\n  onnx " << TSSA_ONNX_VERSION << ", manifest ABI "
           << TSSA_ABI_VERSION << ", build " << TSSA_BUILD_ID << "\n";
  });
  if (std::optional<int> code = parseArguments(argc, argv, line))
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
  options.timing = line.timing;
  if (std::optional<int> code = takeRemarks(line, options))
    return code;
  if (std::optional<int> code = takeLimits(line, options))
    return code;
  if (std::optional<int> code = checkInput(line, options))
    return code;
  std::vector<std::string> dims(line.dims.begin(), line.dims.end());
  std::vector<std::string> shapes(line.shapes.begin(), line.shapes.end());
  if (std::string wrong = readModelSizes(dims, shapes, options.dims, options.inputShapes);
      !wrong.empty())
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
