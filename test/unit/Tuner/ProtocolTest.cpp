//===- ProtocolTest.cpp - messages that are read again, and garbage -------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Tuner/Protocol.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace tssa;
using namespace tssa::tuner;
namespace json = llvm::json;

/// Returns the object that is the only member of the message `line`, and its name.
static std::pair<std::string, json::Object> readRequest(llvm::StringRef line) {
  EXPECT_EQ(line.count('\n'), 0u);
  json::Value value = llvm::cantFail(json::parse(line));
  const json::Object &object = *value.getAsObject();
  EXPECT_EQ(object.size(), 1u);
  return {object.begin()->first.str(), *object.begin()->second.getAsObject()};
}

static void expectGarbage(llvm::StringRef line) {
  llvm::Expected<Answer> answer = parseAnswer(line);
  EXPECT_FALSE(static_cast<bool>(answer)) << line.take_front(80).str();
  if (!answer)
    EXPECT_NE(llvm::toString(answer.takeError()), "");
}

TEST(Protocol, OpenRequests) {
  OpenRequest request{"te.kernel @k {\n \"\\\t}", "vector d1", "{cpu = \"x\"}", 7, UINT64_MAX,
                      uint64_t(1) << 40,          2.5};
  auto [name, body] = readRequest(print(request));
  EXPECT_EQ(name, "open");
  OpenRequest read = llvm::cantFail(parseOpen(body));
  EXPECT_EQ(read.text, request.text);
  EXPECT_EQ(read.point, request.point);
  EXPECT_EQ(read.machine, request.machine);
  EXPECT_EQ(read.threads, 7u);
  EXPECT_EQ(read.seed, UINT64_MAX);
  EXPECT_EQ(read.rotatedBytes, uint64_t(1) << 40);
  EXPECT_EQ(read.buildSeconds, 2.5);
  auto expectRefused = [&, good = body](llvm::StringRef key, json::Value value) {
    json::Object bad = good;
    bad[key] = std::move(value);
    EXPECT_NE(llvm::toString(parseOpen(bad).takeError()), "") << key.str();
  };
  expectRefused("threads", 0);
  expectRefused("threads", -1);
  expectRefused("threads", 65536);
  expectRefused("threads", "1");
  expectRefused("seed", 1);
  expectRefused("seed", "-1");
  expectRefused("seed", "18446744073709551616");
  expectRefused("rotated", nullptr);
  expectRefused("rotated", -1);
  expectRefused("build_limit", 0);
  expectRefused("build_limit", "1");
  expectRefused("text", 3);
  expectRefused("machine", json::Array());
}

TEST(Protocol, Hosts) {
  EXPECT_EQ(readRequest(printHello()).first, "hello");
  Answer answer;
  answer.host = WorkerHost{"{cpu = \"x\"}", "0123", {1e12, {{24576, 2.5e11}, {65536, 1e10}}}, {}};
  Answer read = llvm::cantFail(parseAnswer(print(answer)));
  ASSERT_TRUE(read.host);
  EXPECT_EQ(read.host->text, answer.host->text);
  EXPECT_EQ(read.host->epoch, "0123");
  EXPECT_EQ(read.host->roof.flopsPerSecond, 1e12);
  ASSERT_EQ(read.host->roof.bandwidths.size(), 2u);
  EXPECT_EQ(read.host->roof.bandwidths[0].bytes, 24576);
  EXPECT_EQ(read.host->roof.bandwidths[1].bytesPerSecond, 1e10);
  for (llvm::StringRef bad :
       {"{}", R"({"machine": "m", "epoch": "e", "flops_per_second": 1})",
        R"({"machine": "m", "epoch": 1, "flops_per_second": 1, "bandwidths": []})",
        R"({"machine": "m", "epoch": "e", "flops_per_second": "1", "bandwidths": []})",
        R"({"machine": "m", "epoch": "e", "flops_per_second": 1, "bandwidths": [[1]]})",
        R"({"machine": "m", "epoch": "e", "flops_per_second": 1, "bandwidths": [[1, "2"]]})"})
    expectGarbage("{\"hello\": " + bad.str() + "}");
}

TEST(Protocol, MeasureRequests) {
  for (std::optional<double> best : {std::optional<double>(), std::optional(1.0 / 3)}) {
    auto [name, body] = readRequest(print(MeasureRequest{{"a \"point\"", "b"}, best, false}));
    EXPECT_EQ(name, "measure");
    MeasureRequest read = llvm::cantFail(parseMeasure(body, false));
    EXPECT_EQ(read.points, (std::vector<std::string>{"a \"point\"", "b"}));
    EXPECT_EQ(read.bestSeconds, best);
  }
  auto [name, body] = readRequest(print(MeasureRequest{{"a", "b"}, std::nullopt, true}));
  EXPECT_EQ(name, "compare");
  MeasureRequest read = llvm::cantFail(parseMeasure(body, true));
  EXPECT_EQ(read.points, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(read.compares);
  EXPECT_NE(llvm::toString(parseMeasure({}, true).takeError()), "");
  json::Object numbers{{"points", json::Array{1, 2}}};
  EXPECT_NE(llvm::toString(parseMeasure(numbers, true).takeError()), "");
}

TEST(Protocol, Answers) {
  Answer answer;
  answer.isReady = true;
  EXPECT_TRUE(llvm::cantFail(parseAnswer(print(answer))).isReady);
  answer = {};
  answer.isBuilt = true;
  EXPECT_TRUE(llvm::cantFail(parseAnswer(print(answer))).isBuilt);
  answer = {};
  answer.error = "a line\nand \xff bytes";
  EXPECT_EQ(llvm::cantFail(parseAnswer(print(answer))).error, "a line\nand \xEF\xBF\xBD bytes");
  answer = {};
  answer.outcomes.resize(2);
  answer.outcomes[0].seconds = 1.0 / 3;
  answer.outcomes[0].minSeconds = 0.25;
  answer.outcomes[0].timingSeconds = 7;
  answer.outcomes[1].status = search::TrialStatus::Wrong;
  answer.outcomes[1].error = "result 0 differs";
  Answer read = llvm::cantFail(parseAnswer(print(answer)));
  ASSERT_EQ(read.outcomes.size(), 2u);
  EXPECT_EQ(read.outcomes[0].seconds, 1.0 / 3);
  EXPECT_EQ(read.outcomes[0].minSeconds, 0.25);
  EXPECT_EQ(read.outcomes[0].timingSeconds, 7);
  EXPECT_TRUE(read.outcomes[0].isMeasured());
  EXPECT_EQ(read.outcomes[1].status, search::TrialStatus::Wrong);
  EXPECT_EQ(read.outcomes[1].error, "result 0 differs");
}

TEST(Protocol, GarbageIsNoAnswer) {
  for (const char *line :
       {"", "x", "[]", "3", "null", "{}", "{\"ok\": false}", "{\"error\": \"\"}", "{\"ok\": true",
        "{\"outcomes\": 3}", "{\"outcomes\": [{}]}", "{\"outcomes\": [3]}", "\xff\xfe"})
    expectGarbage(line);
  Answer answer;
  answer.outcomes.resize(1);
  auto expectNoOutcome = [&](search::TrialStatus status, double seconds) {
    answer.outcomes[0].status = status;
    answer.outcomes[0].seconds = seconds;
    expectGarbage(print(answer));
  };
  expectNoOutcome(search::TrialStatus::Measured, 0);
  expectNoOutcome(search::TrialStatus::Measured, -1);
  expectNoOutcome(static_cast<search::TrialStatus>(-1), 1);
  expectNoOutcome(static_cast<search::TrialStatus>(6), 1);
  answer.outcomes[0] = {};
  answer.outcomes[0].seconds = 0.125;
  std::string line = print(answer);
  EXPECT_TRUE(static_cast<bool>(parseAnswer(line)));
  line.replace(line.find("0.125"), 5, "1e999");
  expectGarbage(line);
}

TEST(Protocol, DeepGarbageIsNoAnswer) {
  for (const char *bracket : {"[", "{\"a\":"}) {
    std::string line;
    for (int i = 0; i < 500000; ++i)
      line += bracket;
    expectGarbage(line);
  }
  // Brackets in texts are none.
  Answer answer;
  answer.error = std::string(1000, '[') + "\\\"" + std::string(1000, '{');
  EXPECT_EQ(llvm::cantFail(parseAnswer(print(answer))).error, answer.error);
}
