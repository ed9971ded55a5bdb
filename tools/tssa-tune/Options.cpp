//===- Options.cpp - the command line of tssa-tune ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "tools/common/ModelSizes.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tssa::tune {
namespace {

cl::OptionCategory category("Options");

/// The options of the tool. LLVM's own options are hidden.
struct CommandLine {
  cl::opt<std::string> input{cl::Positional, cl::desc("MODEL.onnx|MODEL.mlir|PROGRAM.json"),
                             cl::cat(category)};
  cl::opt<std::string> folder{"db", cl::desc("Folder of the database and of the records"),
                              cl::value_desc("DIR"), cl::cat(category)};
  cl::opt<std::string> trials{"trials",
                              cl::desc("Trials of all kernels together, with those that the "
                                       "database has; by default 64 for each kernel"),
                              cl::value_desc("N"), cl::cat(category)};
  cl::opt<std::string> time{"time", cl::desc("Stop searching after this time, such as 300, 5m, 2h"),
                            cl::value_desc("T"), cl::cat(category)};
  cl::opt<std::string> threads{"threads", cl::desc("Threads that run the kernels (1)"),
                               cl::value_desc("T"), cl::init("1"), cl::cat(category)};
  cl::opt<std::string> seed{"seed", cl::desc("Seed of the search and of inputs (1)"),
                            cl::value_desc("S"), cl::init("1"), cl::cat(category)};
  cl::opt<std::string> sampler{"sampler", cl::desc("evolution (default), random or coordinates"),
                               cl::value_desc("S"), cl::init("evolution"), cl::cat(category)};
  cl::opt<std::string> ranking{"ranking",
                               cl::desc("Who ranks points: the cost model (model, default), the "
                                        "draft alone (draft), or nobody (none)"),
                               cl::value_desc("R"), cl::init("model"), cl::cat(category)};
  cl::opt<bool> judge{"judge",
                      cl::desc("Search the points that the database has of each task, without "
                               "measuring, and compare the rankings"),
                      cl::cat(category)};
  cl::opt<std::string> cache{"cache",
                             cl::desc("Weights come from where they are in this model (model, "
                                      "default), from memory (cold-weights), or stay in the "
                                      "caches (warm)"),
                             cl::value_desc("STATE"), cl::init("model"), cl::cat(category)};
  cl::opt<bool> loopsOnly{"loops-only",
                          cl::desc("Leave the layouts of tensors as the compiler chooses them"),
                          cl::cat(category)};
  cl::opt<bool> goesOn{"continue", cl::desc("Search on for kernels that have a record"),
                       cl::cat(category)};
  cl::opt<std::string> replay{"replay",
                              cl::desc("Derive the proposals of a recorded session again"),
                              cl::value_desc("SESSION"), cl::cat(category)};
  cl::opt<std::string> report{"report", cl::desc("Write a page about a session"),
                              cl::value_desc("FILE.html"), cl::cat(category)};
  cl::opt<std::string> session{"session", cl::desc("The session of the page (the last one)"),
                               cl::value_desc("N"), cl::cat(category)};
  cl::opt<std::string> explained{
      "explain", cl::desc("Print a kernel's space and trials; a key, its beginning, or a name"),
      cl::value_desc("TASK"), cl::cat(category)};
  cl::opt<std::string> exported{"export", cl::desc("Write the records of this machine to a folder"),
                                cl::value_desc("FOLDER"), cl::cat(category)};
  cl::opt<std::string> imported{"import", cl::desc("Take over the records of a folder"),
                                cl::value_desc("FOLDER"), cl::cat(category)};
  cl::list<std::string> dims{"dim", cl::desc("Fix the size of a named dim; repeatable"),
                             cl::value_desc("NAME=N"), cl::cat(category)};
  cl::list<std::string> shapes{"input-shape", cl::desc("Fix the shape of an input; repeatable"),
                               cl::value_desc("NAME=1x3x224x224"), cl::cat(category)};
  cl::opt<bool> worker{"worker", cl::desc("Measure for another process"), cl::Hidden,
                       cl::cat(category)};
  cl::opt<uint64_t> memoryLimit{"memory-limit", cl::desc("Bytes of data that a worker may have"),
                                cl::init(uint64_t(8) << 30), cl::Hidden, cl::cat(category)};
  cl::opt<double> buildLimit{"build-limit", cl::desc("Seconds to build a candidate, for tests"),
                             cl::init(30), cl::Hidden, cl::cat(category)};
  cl::opt<double> runLimit{"run-limit", cl::desc("Seconds to run a candidate, for tests"),
                           cl::init(10), cl::Hidden, cl::cat(category)};
  cl::opt<std::string> fault{"inject-fault", cl::desc("Make a fault, for tests"), cl::Hidden,
                             cl::cat(category)};
};

constexpr const char *overview =
    "searches fast loops for the kernels of a model, and records them\n\n"
    "EXAMPLES:\n"
    "  tssa-tune model.onnx --db tuned --time 5m\n"
    "  tssa-compile model.onnx --tuned=tuned        compiles with what was found\n"
    "  tssa-tune --db tuned --report=session.html   writes a page about the last session\n"
    "  tssa-tune --db tuned --explain k3_contract   prints a kernel's space and its best points\n"
    "  tssa-tune --db tuned --export=records        copies the records for another folder\n"
    "  tssa-tune --db tuned --replay 1              derives the proposals of session 1 again\n\n"
    "A run that was interrupted goes on where it was. Kernels that have a record are not searched\n"
    "again. The CPU should have nothing else to do.\n\n"
    "EXIT CODES: 0 ok, 1 error in the model or the database, 2 usage, 3 unsupported,\n"
    "  4 a replay differs, 5 limit, 70 internal\n";

int reportUsage(const Twine &message) {
  errs() << "tssa-tune: error: " << message << "\ntry: tssa-tune --help\n";
  return UsageError;
}

/// Parses a time such as 90, 90s, 5m or 2h, in seconds.
std::optional<double> parseTime(StringRef text) {
  double unit = 1, number;
  for (auto [suffix, seconds] : {std::pair("s", 1.0), {"m", 60.0}, {"h", 3600.0}})
    if (text.consume_back(suffix)) {
      unit = seconds;
      break;
    }
  if (text.getAsDouble(number) || !(number >= 0) || number > 1e9)
    return std::nullopt;
  return number * unit;
}

std::optional<int> takeBudget(const CommandLine &line, Options &options) {
  uint64_t trials = 0;
  if (line.trials.getNumOccurrences()) {
    if (StringRef(line.trials).getAsInteger(10, trials) || trials > uint64_t(INT64_MAX))
      return reportUsage("expected a number for --trials, got '" + line.trials + "'");
    options.trials = trials;
  }
  if (line.time.getNumOccurrences()) {
    options.seconds = parseTime(line.time);
    if (!options.seconds)
      return reportUsage("expected a time such as 300, 5m or 2h for --time, got '" + line.time +
                         "'");
  }
  return std::nullopt;
}

std::optional<int> takeSearch(const CommandLine &line, Options &options) {
  constexpr unsigned mostThreads = 1024;
  if (StringRef(line.threads).getAsInteger(10, options.threads) || options.threads == 0 ||
      options.threads > mostThreads)
    return reportUsage("expected a number from 1 to 1024 for --threads, got '" + line.threads +
                       "'");
  if (StringRef(line.seed).getAsInteger(10, options.search.seed))
    return reportUsage("expected a number for --seed, got '" + line.seed + "'");
  options.search.sampler = line.sampler;
  if (auto sampler = search::createSampler(line.sampler); !sampler)
    return reportUsage(toString(sampler.takeError()) + " for --sampler");
  auto ranking = StringSwitch<std::optional<tuner::SearchOptions::Ranking>>(line.ranking)
                     .Case("model", tuner::SearchOptions::Model)
                     .Case("draft", tuner::SearchOptions::DraftOnly)
                     .Case("none", tuner::SearchOptions::None)
                     .Default(std::nullopt);
  if (!ranking)
    return reportUsage("expected model, draft or none for --ranking, got '" + line.ranking + "'");
  options.search.ranking = *ranking;
  options.judges = line.judge;
  if (line.cache == "warm")
    options.rotatedBytes = 0;
  else if (line.cache == "cold-weights")
    options.rotatedBytes = UINT64_MAX / 2;
  else if (line.cache != "model")
    return reportUsage("expected model, cold-weights or warm for --cache, got '" + line.cache +
                       "'");
  int64_t session = 0;
  if (line.replay.getNumOccurrences()) {
    if (StringRef(line.replay).getAsInteger(10, session) || session < 0)
      return reportUsage("expected the number of a session for --replay, got '" + line.replay +
                         "'");
    options.replayed = session;
  }
  return std::nullopt;
}

/// Takes what is done with the database. At most one of it and of a model is possible, but a page
/// may follow a model's session.
std::optional<int> takeActions(const CommandLine &line, Options &options) {
  const std::pair<StringRef, const cl::opt<std::string> &> all[] = {{"--replay", line.replay},
                                                                    {"--report", line.report},
                                                                    {"--explain", line.explained},
                                                                    {"--export", line.exported},
                                                                    {"--import", line.imported}};
  StringRef chosen;
  for (auto &[name, option] : all) {
    if (!option.getNumOccurrences())
      continue;
    if (option.empty())
      return reportUsage("expected a value for " + name);
    if (!chosen.empty())
      return reportUsage(chosen + " and " + name + " exclude each other");
    chosen = name;
  }
  if (!line.input.empty() && !chosen.empty() && chosen != "--report")
    return reportUsage(chosen + " needs no model");
  if (line.input.empty() && chosen.empty())
    return reportUsage("expected a model, MODEL.onnx, MODEL.mlir or PROGRAM.json");
  int64_t session = 0;
  if (line.session.getNumOccurrences()) {
    if (chosen != "--report" || !line.input.empty())
      return reportUsage("--session needs --report, and no model");
    if (StringRef(line.session).getAsInteger(10, session) || session < 0)
      return reportUsage("expected the number of a session for --session, got '" + line.session +
                         "'");
    options.session = session;
  }
  options.report = line.report;
  options.explained = line.explained;
  options.exported = line.exported;
  options.imported = line.imported;
  return std::nullopt;
}

std::optional<int> takeModel(const CommandLine &line, Options &options) {
  options.input = line.input;
  options.folder = line.folder;
  options.loopsOnly = line.loopsOnly;
  options.goesOn = line.goesOn;
  if (line.folder.empty())
    return reportUsage("expected --db DIR");
  if (std::optional<int> code = takeActions(line, options))
    return code;
  std::vector<std::string> dims(line.dims.begin(), line.dims.end());
  std::vector<std::string> shapes(line.shapes.begin(), line.shapes.end());
  if (std::string wrong =
          readModelSizes(dims, shapes, options.import.dims, options.import.inputShapes);
      !wrong.empty())
    return reportUsage(wrong);
  return std::nullopt;
}

/// Removes the options of LLVM's libraries that have names of ours.
void removeForeign() {
  for (StringRef name : {"threads", "cache-dir"})
    if (cl::Option *option = cl::getRegisteredOptions().lookup(name))
      option->removeArgument();
}

} // namespace

std::optional<int> parseOptions(int argc, char **argv, Options &options) {
  removeForeign();
  static CommandLine line;
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter([](raw_ostream &stream) { stream << "tssa-tune " TSSA_VERSION "\n"; });
  std::string message;
  raw_string_ostream stream(message);
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &stream)) {
    StringRef text = message;
    text.consume_front(sys::path::filename(argv[0]).str() + ": ");
    errs() << "tssa-tune: error: " << text;
    return UsageError;
  }
  options.program = sys::fs::getMainExecutable(argv[0], reinterpret_cast<void *>(&parseOptions));
  options.isWorker = line.worker;
  options.memoryLimit = line.memoryLimit;
  options.fault = line.fault;
  options.goesOn = line.goesOn;
  options.buildLimit = line.buildLimit;
  options.runLimit = line.runLimit;
  if (options.isWorker)
    return std::nullopt;
  if (std::optional<int> code = takeBudget(line, options))
    return code;
  if (std::optional<int> code = takeSearch(line, options))
    return code;
  return takeModel(line, options);
}

} // namespace tssa::tune
