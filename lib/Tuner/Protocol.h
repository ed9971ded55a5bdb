//===- Protocol.h - what the tuner and its worker say -----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A worker reads requests from its standard input and answers on its standard output, one line of
/// JSON each:
///
///     {"hello": {}}
///         {"hello": {"machine": .., "epoch": .., "flops_per_second": .., "bandwidths": [[..,
///         ..]]}}
///     {"open": {"text": .., "point": .., "machine": .., "threads": 1, "seed": 1, "rotated": 0,
///               "build_limit": 30}}
///         {"ok": true} or {"error": ".."}
///     {"measure": {"points": ["..", ".."], "best": 1.2e-05}}     best may be absent
///         for each point in order: {"built": true} when its code is run, unless it cannot be
///         built, then {"outcomes": [{"status": 0, ..}]}. A wrong one is the last.
///     {"compare": {"points": ["..", ".."]}}
///         {"built": true} for each point, then {"outcomes": [.., ..]}
///
/// A request that cannot be served is answered by an error.
///
//===----------------------------------------------------------------------===//
#ifndef LIB_TUNER_PROTOCOL_H
#define LIB_TUNER_PROTOCOL_H

#include "tssa/Tuner/Outcome.h"
#include "tssa/Tuner/Worker.h"
#include "llvm/Support/JSON.h"

#include <vector>

namespace tssa::tuner {

/// The first request for a task.
struct OpenRequest {
  std::string text;    ///< of the task
  std::string point;   ///< the default
  std::string machine; ///< as cpu::printMachine writes it
  unsigned threads = 1;
  uint64_t seed = 1;
  uint64_t rotatedBytes = 0;
  double buildSeconds = 30; ///< that building a candidate may take
};

/// The other requests.
struct MeasureRequest {
  std::vector<std::string> points;
  std::optional<double> bestSeconds;
  bool compares = false;
};

/// An answer: one of these.
struct Answer {
  bool isReady = false; ///< to the first request
  bool isBuilt = false; ///< more follows
  std::string error;
  std::vector<Outcome> outcomes;
  std::optional<WorkerHost> host = std::nullopt; ///< without `machine`
};

std::string printHello();
std::string print(const OpenRequest &request);
std::string print(const MeasureRequest &request);
std::string print(const Answer &answer);

/// Parses JSON of little depth, such as all of ours: LLVM's parser recurses, and deep text would
/// overflow the stack.
llvm::Expected<llvm::json::Value> parseShallow(llvm::StringRef text);

/// A roof, as members of an object. Fails if they are not there.
void printRoof(const Roof &roof, llvm::json::Object &object);
llvm::Expected<Roof> parseRoof(const llvm::json::Object &object);

/// Parses a line. Fails with a sentence if it is none of the above.
llvm::Expected<Answer> parseAnswer(llvm::StringRef line);
llvm::Expected<OpenRequest> parseOpen(const llvm::json::Object &object);
llvm::Expected<MeasureRequest> parseMeasure(const llvm::json::Object &object, bool compares);

} // namespace tssa::tuner

#endif // LIB_TUNER_PROTOCOL_H
