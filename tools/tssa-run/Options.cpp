//===- Options.cpp -------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Options.h"

#include "tools/common/CommandLine.h"
#include "tssa/Runtime/NearName.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>

using namespace tssa::run;
using tssa::runtime::printable;
using tssa::tools::Fault;

namespace {

using Handler = std::function<Fault(Options &, const std::string &)>;

/// An option, which writes what it is given to `Options`.
struct OptionOfRun {
  const char *name;
  const char *value; ///< the value's name in the help; null for a flag
  const char *help;
  bool repeats;
  Handler handle;
};

} // namespace

template <typename T> static bool parseNumber(const std::string &text, T &value) {
  const char *end = text.data() + text.size();
  auto result = std::from_chars(text.data(), end, value);
  return !text.empty() && result.ec == std::errc() && result.ptr == end;
}

static std::string expected(const char *what, const std::string &got) {
  return std::string("expected ") + what + ", got '" + printable(got) + "'";
}

template <typename T> static Handler count(T Options::*field, uint64_t least) {
  return [=](Options &options, const std::string &text) -> Fault {
    uint64_t value;
    if (!parseNumber(text, value) || value < least || value > UINT32_MAX)
      return expected(least ? "a positive number" : "a number", text);
    options.*field = decltype(value)(value);
    return std::nullopt;
  };
}

static Handler real(double Options::*field) {
  return [=](Options &options, const std::string &text) -> Fault {
    double value;
    if (!parseNumber(text, value) || !std::isfinite(value) || value < 0)
      return expected("a number that is not negative", text);
    options.*field = value;
    return std::nullopt;
  };
}

static Handler text(std::optional<std::string> Options::*field) {
  return [=](Options &options, const std::string &text) -> Fault {
    if (text.empty())
      return "expected a file name, got nothing";
    options.*field = text;
    return std::nullopt;
  };
}

/// Takes the name of an .npz to write. An ending that stands for another format is refused.
static Fault parseOutputs(Options &options, const std::string &text) {
  if (text.empty())
    return "expected a file name, got nothing";
  for (const char *ending : {".csv", ".txt", ".json", ".npy", ".pt", ".h5", ".mat"})
    if (text.size() > std::strlen(ending) &&
        text.compare(text.size() - std::strlen(ending), std::string::npos, ending) == 0)
      return expected("a name that ends in .npz, the format of the outputs", text);
  options.outputs = text;
  return std::nullopt;
}

static Handler flag(bool Options::*field) {
  return [=](Options &options, const std::string &) -> Fault {
    options.*field = true;
    return std::nullopt;
  };
}

static Handler seed(std::optional<uint64_t> Options::*field) {
  return [=](Options &options, const std::string &text) -> Fault {
    uint64_t value;
    if (!parseNumber(text, value))
      return expected("a number", text);
    options.*field = value;
    return std::nullopt;
  };
}

static Fault parseDim(Options &options, const std::string &text) {
  size_t equals = text.rfind('=');
  int64_t size;
  if (equals == std::string::npos || equals == 0 || !parseNumber(text.substr(equals + 1), size) ||
      size < 0)
    return expected("NAME=SIZE", text);
  if (!options.dims.emplace(text.substr(0, equals), size).second)
    return "'" + printable(text.substr(0, equals)) + "' is given twice";
  return std::nullopt;
}

/// Returns a handler for a number of bytes, with an optional K, M or G.
static Handler bytes(uint64_t Options::*field) {
  return [=](Options &options, const std::string &text) -> Fault {
    std::string digits = text;
    unsigned shift = 0;
    size_t unit = digits.empty() ? std::string::npos : std::string("KMG").find(digits.back());
    if (unit != std::string::npos) {
      shift = 10 * unsigned(unit + 1);
      digits.pop_back();
    }
    uint64_t value;
    if (!parseNumber(digits, value) || value == 0 || value > UINT64_MAX >> shift)
      return expected("a size such as 512M", text);
    options.*field = value << shift;
    return std::nullopt;
  };
}

static Fault parseDevice(Options &options, const std::string &text) {
  if (text.empty())
    return expected("auto, cpu, cuda:<number> or cuda-emu", text);
  options.device = text;
  return std::nullopt;
}

static Fault parseClock(Options &options, const std::string &text) {
  if (text != "wall" && text != "cpu")
    return expected("wall or cpu", text);
  options.clock = text == "cpu" ? Clock::CPU : Clock::Wall;
  return std::nullopt;
}

static Fault addCompileOption(Options &options, const std::string &text) {
  if (text.empty() || text[0] != '-')
    return expected("an option of tssa-compile", text);
  options.compileOptions.push_back(text);
  return std::nullopt;
}

/// Options for what is computed, and what it is compared with.
static std::vector<OptionOfRun> getValueOptions() {
  return {
      {"inputs", "IN.npz", "Inputs under the model's names", false, text(&Options::inputs)},
      {"random", "SEED", "Make inputs: floats from N(0,1), integers 0 or 1", false,
       seed(&Options::inputSeed)},
      {"dim", "NAME=SIZE", "A size for random inputs (else 1)", true, parseDim},
      {"random-seed", "N", "Seed of the random numbers that the model draws (else one per run)",
       false, seed(&Options::randomSeed)},
      {"outputs", "OUT.npz", "Write all outputs", false, parseOutputs},
      {"expect", "REF.npz", "Compare the outputs; exit 4 if they differ", false,
       text(&Options::expect)},
      {"rtol", "R", "Allow |out - ref| <= atol + rtol * |ref| (1e-3)", false, real(&Options::rtol)},
      {"atol", "A", "See --rtol (1e-5)", false, real(&Options::atol)},
      {"bisect", nullptr, "Of a model.onnx: name the first node whose value is wrong; exit 4",
       false, flag(&Options::bisect)},
      {"reference", "REF.npz",
       "Reference values for --bisect, by tensor name (else the evaluator's)", false,
       text(&Options::reference)},
  };
}

/// Options for what is measured.
static std::vector<OptionOfRun> getMeasureOptions() {
  return {
      {"bench", nullptr, "Time the run", false, flag(&Options::bench)},
      {"runs", "N", "Timed runs (else about a second, at least 20)", false,
       count(&Options::runs, 1)},
      {"warm-up", "N", "Runs before the timed ones (else at least 3 and a fifth of a second)",
       false, count(&Options::warmUps, 0)},
      {"clock", "wall|cpu", "Wall-clock time (the default), or CPU time of all threads of tssa-run",
       false, parseClock},
      {"profile", nullptr, "Time each kernel launch", false, flag(&Options::profile)},
      {"trace", "FILE.json", "Write when launches ran on which threads, for Perfetto", false,
       text(&Options::trace)},
      {"report", "FILE.html", "Write a page on the times and the memory of the runs, as of --bench",
       false, text(&Options::report)},
  };
}

/// Options for how the model is loaded and run, and how the result is shown.
static std::vector<OptionOfRun> getRunOptions() {
  return {
      {"inspect", nullptr, "Describe the program and do not run it", false,
       flag(&Options::inspect)},
      {"json", nullptr, "Print JSON", false, flag(&Options::json)},
      {"device", "DEVICE",
       "auto, cpu, cuda:N or cuda-emu (auto: a CUDA device that the "
       "program is for, else the CPU; an uncompiled model: the CPU)",
       false, parseDevice},
      {"threads", "N", "Threads to use (else one per core)", false, count(&Options::threads, 1)},
      {"pin", nullptr, "Keep each worker on one core", false, flag(&Options::pin)},
      {"timeout", "SECONDS", "Stop a run that takes longer; exit 5", false,
       real(&Options::timeoutSeconds)},
      {"memory-limit", "SIZE", "Limit for one run, such as 512M; exit 5 if exceeded", false,
       bytes(&Options::memoryLimit)},
      {"verify", nullptr, "Check the weights' hash (the default)", false,
       flag(&Options::verifyWeights)},
      {"no-verify", nullptr, "Do not check the weights' hash", false, flag(&Options::noVerify)},
      {"cache-dir", "DIR", "For compiled models (else $XDG_CACHE_HOME/tssa)", false,
       text(&Options::cacheDir)},
      {"cache-limit", "SIZE",
       "Largest size of the cache (8G); the least recently used files go first", false,
       bytes(&Options::cacheLimit)},
      {"compile", nullptr, "Only compile, and print where in the cache the result is", false,
       flag(&Options::compileOnly)},
      {"compile-option", "OPTION", "An option to give to tssa-compile", true, addCompileOption},
      {"progress-fd", "N", "Where to tell of the compilation: see tssa-compile", false,
       seed(&Options::progressFile)},
  };
}

/// Returns all options, in the order of the help.
static const std::vector<OptionOfRun> &getOptions() {
  static const std::vector<OptionOfRun> options = [] {
    std::vector<OptionOfRun> all = getValueOptions();
    for (const auto &more : {getMeasureOptions(), getRunOptions()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return options;
}

/// Reports options that exclude each other.
static Fault checkTogether(const Options &options) {
  if (options.model.empty())
    return "no model given";
  if (options.inputs && options.inputSeed)
    return "--inputs and --random exclude each other";
  if (options.inputs && !options.dims.empty())
    return "--dim is for --random; with --inputs the sizes are the inputs'";
  if (options.reference && !options.bisect)
    return "--reference needs --bisect";
  if (options.bisect && !options.inputs && !options.inputSeed)
    return "--bisect needs --inputs or --random";
  if (options.bisect &&
      (options.bench || options.inspect || options.expect || options.outputs || options.profile ||
       options.trace || options.report || options.json || options.randomSeed))
    return "--bisect excludes --bench, --inspect, --expect, --outputs, --profile, --trace, "
           "--report, --json "
           "and --random-seed";
  if (options.compileOnly &&
      (options.inputs || options.inputSeed || options.bench || options.inspect || options.profile ||
       options.trace || options.report || options.json || options.randomSeed))
    return "--compile does not run the model: combine it only with --compile-option, "
           "--cache-dir and --cache-limit";
  if (options.inspect && (options.trace || options.report))
    return "--inspect does not run the model: it excludes --trace and --report";
  bool isTimed = options.bench || options.report;
  if (options.runs && !isTimed && !options.trace)
    return "--runs needs --bench, --trace or --report";
  if (options.warmUps && !isTimed)
    return "--warm-up needs --bench or --report";
  if (options.clock && !isTimed)
    return "--clock needs --bench or --report";
  if (options.verifyWeights && options.noVerify)
    return "--verify and --no-verify exclude each other";
  return std::nullopt;
}

static tssa::tools::About makeAbout() {
  tssa::tools::About about;
  about.name = "tssa-run";
  about.summary = "runs a compiled model (.so)";
  about.details =
      "A model.onnx, model.mlir or program.json is compiled first, into a cache. Inputs come from "
      "a "
      ".npz or are random; npz keys are the model's names, and a bf16 tensor is stored as u16 "
      "under "
      "NAME:bf16, an i4 tensor as i8 under NAME:i4, an f8e4m3fn tensor as u8 under NAME:f8e4m3fn "
      "and so on, one element a byte.";
  about.operand = "MODEL";
  about.noun = "model";
  about.examples = {{"tssa-run model.so --inspect", ""},
                    {"tssa-run model.onnx --random 0 --dim N=8 --bench", ""},
                    {"tssa-run model.so --inputs in.npz --expect ref.npz --rtol 1e-3", ""},
                    {"tssa-run model.onnx --bisect --random 1", ""}};
  about.exitCodes =
      "0 ok, 1 error in the model or the run, 2 usage, 4 mismatch, 5 limit or timeout, "
      "70 internal";
  about.version = "tssa-run " TSSA_VERSION;
  return about;
}

std::optional<int> tssa::run::parseOptions(int argc, const char *const *argv, Options &options) {
  using Takes = tools::Option::Takes;
  tools::CommandLine line(makeAbout());
  line.bindOperand(options.model);
  for (const OptionOfRun &option : getOptions())
    line.add(option.value ? Takes::Value : Takes::Nothing, option.name,
             option.value ? option.value : "", option.help,
             [&](const std::string &text) { return option.handle(options, text); });
  if (std::optional<int> code = line.parse(argc, argv))
    return code;
  for (const OptionOfRun &option : getOptions())
    if (!option.repeats && line.getCount(option.name) > 1)
      return tools::reportUsage("tssa-run", std::string("--") + option.name + " is given twice");
  if (Fault fault = checkTogether(options))
    return tools::reportUsage("tssa-run", *fault);
  return std::nullopt;
}
