//===- Main.cpp - the program tssa-tune -----------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Main.h"
#include "Look.h"
#include "Options.h"
#include "Rankings.h"
#include "Tune.h"
#include "tssa/Pipeline/CheckText.h"
#include "tssa/Tuner/Worker.h"
#include "llvm/Support/InitLLVM.h"

#include <csignal>

using namespace tssa;
using namespace tssa::tune;

int tssa::tune::tuneMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  std::signal(SIGXFSZ, SIG_IGN); // so that a write beyond the limit of file sizes fails
  Options options;
  if (std::optional<int> code = parseOptions(argc, argv, options))
    return *code;
  return runWithDeepStack([&] {
    auto serve = [&] { return tuner::serveAsWorker(options.memoryLimit, options.fault); };
    if (options.isWorker)
      return options.isWatched ? tuner::runUntilInputEnds(serve) : serve();
    if (options.judges)
      return judgeRankings(options);
    if (options.replayed)
      return replaySession(options);
    if (!options.explained.empty())
      return explainTask(options);
    if (!options.exported.empty())
      return exportRecords(options);
    if (!options.imported.empty())
      return importRecords(options);
    int code = options.input.empty() ? Success : tuneModel(options);
    if (code != Success && code != Interrupted)
      return code;
    int reported = options.report.empty() ? Success : reportSession(options);
    return reported ? reported : code;
  });
}
