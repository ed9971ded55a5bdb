//===- Protocol.cpp - what the tuner and its worker say -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Protocol.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace tssa;
using namespace tssa::tuner;
using llvm::Expected;
namespace json = llvm::json;

/// Returns an object of one member.
static std::string write(llvm::StringRef name, json::Value value) {
  json::Object object;
  object[name] = std::move(value);
  return llvm::formatv("{0}", json::Value(std::move(object))).str();
}

static llvm::Error fail() {
  return llvm::createStringError("the line is no message between the tuner and a worker");
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

std::string tuner::printHello() { return write("hello", json::Object{}); }

void tuner::printRoof(const Roof &roof, json::Object &object) {
  json::Array bandwidths;
  for (const Roof::Bandwidth &bandwidth : roof.bandwidths)
    bandwidths.push_back(json::Array{bandwidth.bytes, bandwidth.bytesPerSecond});
  object["flops_per_second"] = roof.flopsPerSecond;
  object["bandwidths"] = std::move(bandwidths);
}

static json::Object print(const WorkerHost &host) {
  json::Object object{{"machine", host.text}, {"epoch", host.epoch}};
  printRoof(host.roof, object);
  return object;
}

std::string tuner::print(const OpenRequest &request) {
  return write("open", json::Object{{"text", request.text},
                                    {"point", request.point},
                                    {"machine", request.machine},
                                    {"threads", static_cast<int64_t>(request.threads)},
                                    {"seed", std::to_string(request.seed)},
                                    {"rotated", static_cast<int64_t>(request.rotatedBytes)},
                                    {"build_limit", request.buildSeconds}});
}

std::string tuner::print(const MeasureRequest &request) {
  json::Object body{{"points", json::Array(request.points)}};
  if (request.bestSeconds)
    body["best"] = *request.bestSeconds;
  return write(request.compares ? "compare" : "measure", std::move(body));
}

static json::Object print(const Outcome &outcome) {
  return json::Object{{"status", static_cast<int64_t>(outcome.status)},
                      {"error", json::fixUTF8(outcome.error)},
                      {"seconds", outcome.seconds},
                      {"min", outcome.minSeconds},
                      {"half_width", outcome.halfWidth},
                      {"cpu_over_wall", outcome.cpuOverWall},
                      {"canary", outcome.canary},
                      {"build", outcome.buildSeconds},
                      {"check", outcome.checkSeconds},
                      {"timing", outcome.timingSeconds}};
}

std::string tuner::print(const Answer &answer) {
  if (!answer.error.empty())
    return write("error", json::fixUTF8(answer.error));
  if (answer.host)
    return write("hello", ::print(*answer.host));
  if (answer.isReady)
    return write("ok", true);
  if (answer.isBuilt)
    return write("built", true);
  json::Array outcomes;
  for (const Outcome &outcome : answer.outcomes)
    outcomes.push_back(::print(outcome));
  return write("outcomes", std::move(outcomes));
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

/// Returns whether brackets are nested less deeply than the parser, which recurses, can bear.
static bool isShallow(llvm::StringRef line) {
  constexpr unsigned mostDepth = 16;
  unsigned depth = 0;
  bool isInString = false;
  for (size_t i = 0; i < line.size() && depth <= mostDepth; ++i) {
    char c = line[i];
    if (isInString && c == '\\')
      ++i;
    else if (c == '"')
      isInString = !isInString;
    else if (!isInString && (c == '[' || c == '{'))
      ++depth;
    else if (!isInString && (c == ']' || c == '}') && depth > 0)
      --depth;
  }
  return depth <= mostDepth;
}

static bool parse(const json::Value &value, Outcome &outcome) {
  json::Path::Root root;
  json::ObjectMapper map(value, root);
  int64_t status = 0;
  if (!map || !map.map("status", status) || !map.map("error", outcome.error) ||
      !map.map("seconds", outcome.seconds) || !map.map("min", outcome.minSeconds) ||
      !map.map("half_width", outcome.halfWidth) || !map.map("cpu_over_wall", outcome.cpuOverWall) ||
      !map.map("canary", outcome.canary) || !map.map("build", outcome.buildSeconds) ||
      !map.map("check", outcome.checkSeconds) || !map.map("timing", outcome.timingSeconds))
    return false;
  if (status < 0 || status > static_cast<int64_t>(search::TrialStatus::OutOfMemory))
    return false;
  outcome.status = static_cast<search::TrialStatus>(status);
  return !outcome.isMeasured() || (outcome.seconds > 0 && std::isfinite(outcome.seconds));
}

Expected<json::Value> tuner::parseShallow(llvm::StringRef text) {
  if (!isShallow(text))
    return llvm::createStringError("brackets are nested too deeply");
  return json::parse(text);
}

Expected<Roof> tuner::parseRoof(const json::Object &object) {
  auto flops = object.getNumber("flops_per_second");
  const json::Array *bandwidths = object.getArray("bandwidths");
  if (!flops || !bandwidths)
    return fail();
  Roof roof;
  roof.flopsPerSecond = *flops;
  for (const json::Value &value : *bandwidths) {
    const json::Array *pair = value.getAsArray();
    if (!pair || pair->size() != 2 || !(*pair)[0].getAsNumber() || !(*pair)[1].getAsNumber())
      return fail();
    roof.bandwidths.push_back({*(*pair)[0].getAsNumber(), *(*pair)[1].getAsNumber()});
  }
  return roof;
}

static Expected<WorkerHost> parseHost(const json::Object &object) {
  auto machine = object.getString("machine"), epoch = object.getString("epoch");
  if (!machine || !epoch)
    return fail();
  Expected<Roof> roof = parseRoof(object);
  if (!roof)
    return roof.takeError();
  return WorkerHost{machine->str(), epoch->str(), std::move(*roof), {}};
}

Expected<Answer> tuner::parseAnswer(llvm::StringRef line) {
  Expected<json::Value> value = parseShallow(line);
  if (!value)
    return value.takeError();
  const json::Object *object = value->getAsObject();
  if (!object)
    return fail();
  Answer answer;
  answer.isReady = object->getBoolean("ok").value_or(false);
  answer.isBuilt = object->getBoolean("built").value_or(false);
  answer.error = object->getString("error").value_or("").str();
  if (const json::Object *said = object->getObject("hello")) {
    Expected<WorkerHost> host = parseHost(*said);
    if (!host)
      return host.takeError();
    answer.host = std::move(*host);
  } else if (const json::Array *outcomes = object->getArray("outcomes")) {
    for (const json::Value &outcome : *outcomes)
      if (!parse(outcome, answer.outcomes.emplace_back()))
        return fail();
  } else if (!answer.isReady && !answer.isBuilt && answer.error.empty()) {
    return fail();
  }
  return answer;
}

Expected<OpenRequest> tuner::parseOpen(const json::Object &object) {
  OpenRequest request;
  auto threads = object.getInteger("threads");
  auto rotated = object.getInteger("rotated");
  auto limit = object.getNumber("build_limit");
  for (auto [name, field] : {std::pair("text", &request.text), std::pair("point", &request.point),
                             std::pair("machine", &request.machine)}) {
    auto value = object.getString(name);
    if (!value)
      return fail();
    *field = value->str();
  }
  if (!threads || *threads < 1 || *threads > UINT16_MAX || !rotated || *rotated < 0 || !limit ||
      !(*limit > 0) || object.getString("seed").value_or("").getAsInteger(10, request.seed))
    return fail();
  request.threads = static_cast<unsigned>(*threads);
  request.rotatedBytes = static_cast<uint64_t>(*rotated);
  request.buildSeconds = *limit;
  return request;
}

Expected<MeasureRequest> tuner::parseMeasure(const json::Object &object, bool compares) {
  MeasureRequest request;
  request.compares = compares;
  if (auto best = object.getNumber("best"))
    request.bestSeconds = *best;
  if (const json::Array *points = object.getArray("points"))
    for (const json::Value &point : *points) {
      if (!point.getAsString())
        return fail();
      request.points.push_back(point.getAsString()->str());
    }
  if (request.points.empty())
    return fail();
  return request;
}
