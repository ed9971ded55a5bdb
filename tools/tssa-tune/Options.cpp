//===- Options.cpp - the command line of tssa-tune ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "OptionTable.h"
#include "tools/common/ModelSizes.h"
#include "tools/common/ReadModel.h"
#include "tssa/Pipeline/Records.h"
#include "tssa/Search/CostModel.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tssa::tune {
namespace {

int reportUsage(const Twine &message) { return tools::reportUsage("tssa-tune", message.str()); }

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
  if (line.isGiven("trials")) {
    if (StringRef(line.trials).getAsInteger(10, trials) || trials > uint64_t(INT64_MAX))
      return reportUsage("expected a number for --trials, got '" + line.trials + "'");
    options.trials = trials;
  }
  if (line.isGiven("time")) {
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
  if (*ranking == tuner::SearchOptions::Model && line.isGiven("ranking"))
    if (auto library = search::CostModel::getLibrary(); !library)
      return reportUsage("--ranking=model needs XGBoost: " + toString(library.takeError()));
  options.judges = line.judge;
  if (line.cache == "warm")
    options.rotatedBytes = 0;
  else if (line.cache == "cold-weights")
    options.rotatedBytes = UINT64_MAX / 2;
  else if (line.cache != "model")
    return reportUsage("expected model, cold-weights or warm for --cache, got '" + line.cache +
                       "'");
  int64_t session = 0;
  if (line.isGiven("replay")) {
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
  const std::pair<const char *, const std::string &> all[] = {{"replay", line.replay},
                                                              {"report", line.report},
                                                              {"explain", line.explained},
                                                              {"export", line.exported},
                                                              {"import", line.imported}};
  std::string chosen;
  for (auto &[name, value] : all) {
    if (!line.isGiven(name))
      continue;
    std::string dashed = std::string("--") + name;
    if (value.empty())
      return reportUsage("expected a value for " + dashed);
    if (!chosen.empty())
      return reportUsage(chosen + " and " + dashed + " exclude each other");
    chosen = dashed;
  }
  if (!line.input.empty() && !chosen.empty() && chosen != "--report")
    return reportUsage(chosen + " needs no model");
  if (line.input.empty() && chosen.empty())
    return reportUsage("expected a model, MODEL.onnx, MODEL.mlir or PROGRAM.json");
  int64_t session = 0;
  if (line.isGiven("session")) {
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

std::optional<int> takeLayouts(const CommandLine &line, Options &options) {
  if (line.isGiven("joint") && (StringRef(line.joint).getAsDouble(options.joint) ||
                                !(options.joint >= 0) || options.joint > 1))
    return reportUsage("expected a share from 0 to 1 for --joint, got '" + line.joint + "'");
  if (line.loopsOnly && line.isGiven("joint"))
    return reportUsage("--loops-only and --joint exclude each other");
  if (line.loopsOnly)
    options.joint = 0;
  if (line.graph != "pbqp" && line.graph != "alt")
    return reportUsage("expected pbqp or alt for --graph, got '" + line.graph + "'");
  options.choosesAsALT = line.graph == "alt";
  return std::nullopt;
}

/// Takes the sizes for which a model is tuned.
std::optional<int> takeTunedSizes(const CommandLine &line, Options &options) {
  for (const std::string &text : line.tunedSizes) {
    auto [name, list] = StringRef(text).rsplit('=');
    SmallVector<StringRef> parts;
    list.split(parts, ',');
    std::vector<int64_t> sizes;
    for (StringRef part : parts)
      if (part.getAsInteger(10, sizes.emplace_back()) || sizes.back() < 0 || sizes.back() > maxSize)
        name = "";
    if (name.empty())
      return reportUsage("expected NAME=N,N for --sizes, such as batch=1,8, got '" + text + "'");
    if (!options.sizes.insert({name.str(), std::move(sizes)}).second)
      return reportUsage("--sizes gives '" + name + "' twice");
  }
  if (!options.sizes.empty() && line.input.empty())
    return reportUsage("--sizes needs a model");
  return std::nullopt;
}

std::optional<int> takeWorkers(const CommandLine &line, Options &options) {
  options.workerCommands = line.workerCommands;
  if (line.workerCommands.empty())
    return std::nullopt;
  if (line.untrusted)
    return reportUsage("--worker-command and --untrusted exclude each other");
  if (line.input.empty())
    return reportUsage("--worker-command needs a model");
  for (const std::string &command : line.workerCommands)
    if (StringRef(command).trim().empty())
      return reportUsage("expected a command for --worker-command, got '" + command + "'");
  return std::nullopt;
}

std::optional<int> takeModel(const CommandLine &line, Options &options) {
  options.input = line.input;
  options.folder = line.folder;
  if (std::optional<int> code = takeLayouts(line, options))
    return code;
  options.goesOn = line.goesOn;
  if (line.folder.empty())
    return reportUsage("expected --db DIR");
  if (std::optional<int> code = takeActions(line, options))
    return code;
  if (std::optional<int> code = takeWorkers(line, options))
    return code;
  if (std::optional<int> code = takeTunedSizes(line, options))
    return code;
  std::optional<PrecisionOption> precision = PrecisionOption::parse(line.precision);
  if (!precision)
    return reportUsage("expected " + PrecisionOption::getExpected().str() +
                       " for --precision, got '" + line.precision + "'");
  options.precision = *precision;
  options.import.untrusted = line.untrusted;
  if (std::string wrong = takeOperatorFiles(line.operators, line.untrusted, options.import);
      !wrong.empty())
    return reportUsage(wrong);
  if (std::string wrong = readModelSizes(line.sizes, options.import); !wrong.empty())
    return reportUsage(wrong);
  return std::nullopt;
}

/// Returns the path of the tuner: of this program, or of the one beside it that makes it the tuner
/// (cmake/static).
std::string findTuner(const char *name) {
  std::string self = sys::fs::getMainExecutable(name, reinterpret_cast<void *>(&parseOptions));
  SmallString<128> path = sys::path::parent_path(self);
  sys::path::append(path, "tssa-tune");
  return std::string(path);
}

} // namespace

std::optional<int> parseOptions(int argc, char **argv, Options &options) {
  CommandLine line;
  if (std::optional<int> code = line.parse(argc, argv))
    return code;
  options.program = findTuner(argv[0]);
  options.isWorker = line.worker;
  options.isWatched = line.watched;
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
