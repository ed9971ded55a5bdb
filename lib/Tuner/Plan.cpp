//===- Plan.cpp - the text of a plan --------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Protocol.h"
#include "tssa/Tuner/Session.h"
#include "llvm/Support/JSON.h"

using namespace tssa;
using namespace tssa::tuner;
namespace json = llvm::json;

std::string Plan::print() const {
  json::Array list;
  for (const PlannedTask &task : tasks)
    list.push_back(json::Object{{"key", task.task.key},
                                {"name", task.name},
                                {"calls", task.calls},
                                {"nodes", task.nodes},
                                {"types", task.types},
                                {"earlier", static_cast<int64_t>(task.earlier)}});
  json::Object object{{"model", model},
                      {"seed", std::to_string(search.seed)},
                      {"sampler", search.sampler},
                      {"ranking", static_cast<int64_t>(search.ranking)},
                      {"trials", static_cast<int64_t>(trials)},
                      {"trials_of_task", static_cast<int64_t>(trialsOfTask)},
                      {"threads", static_cast<int64_t>(threads)},
                      {"machine", machine},
                      {"machine_text", machineText},
                      {"epoch", epoch},
                      {"last_trial", lastTrial},
                      {"ranker", ranker},
                      {"tasks", std::move(list)}};
  printRoof(roof, object);
  return llvm::formatv("{0}", json::Value(std::move(object))).str();
}

namespace {
/// The fields of a task, as JSON has them.
bool read(const json::Value &value, PlannedTask &task, json::Path path) {
  json::ObjectMapper map(value, path);
  int64_t earlier = 0;
  bool ok = map && map.map("key", task.task.key) && map.map("name", task.name) &&
            map.map("calls", task.calls) && map.mapOptional("nodes", task.nodes) &&
            map.mapOptional("types", task.types) && map.map("earlier", earlier) && earlier >= 0;
  task.earlier = static_cast<uint64_t>(earlier);
  return ok;
}

/// Reads the numbers of a plan, and checks their ranges.
bool readNumbers(json::ObjectMapper &map, Plan &plan) {
  std::string seed;
  int64_t ranking = 0, trials = 0, trialsOfTask = 0, threads = 0;
  if (!map.map("seed", seed) || !map.map("sampler", plan.search.sampler) ||
      !map.map("ranking", ranking) || !map.map("trials", trials) || !map.map("threads", threads) ||
      !map.map("machine", plan.machine) || !map.map("epoch", plan.epoch) ||
      !map.map("machine_text", plan.machineText) ||
      !map.mapOptional("last_trial", plan.lastTrial) || !map.mapOptional("ranker", plan.ranker) ||
      !map.mapOptional("model", plan.model) || !map.mapOptional("trials_of_task", trialsOfTask))
    return false;
  if (llvm::StringRef(seed).getAsInteger(10, plan.search.seed) || ranking < 0 ||
      ranking > SearchOptions::None || trials < 0 || trialsOfTask < 0 || threads < 1 ||
      threads > UINT16_MAX)
    return false;
  plan.search.ranking = static_cast<SearchOptions::Ranking>(ranking);
  plan.trials = static_cast<uint64_t>(trials);
  plan.trialsOfTask = static_cast<uint64_t>(trialsOfTask);
  plan.threads = static_cast<unsigned>(threads);
  return true;
}
} // namespace

llvm::Expected<Plan> Plan::parse(llvm::StringRef text) {
  auto fail = [] { return llvm::createStringError("the plan of the session is damaged"); };
  llvm::Expected<json::Value> value = parseShallow(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return fail();
  }
  Plan plan;
  json::Path::Root root;
  json::ObjectMapper map(*value, root);
  if (!map || !readNumbers(map, plan))
    return fail();
  const json::Array *tasks = value->getAsObject()->getArray("tasks");
  llvm::Expected<Roof> roof = parseRoof(*value->getAsObject());
  if (!roof) {
    llvm::consumeError(roof.takeError());
    return fail();
  }
  if (!tasks)
    return fail();
  plan.roof = std::move(*roof);
  for (const json::Value &entry : *tasks)
    if (!read(entry, plan.tasks.emplace_back(), root))
      return fail();
  return plan;
}
