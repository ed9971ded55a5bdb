//===- Workers.cpp - the hosts that measure -------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Workers.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;
using namespace tssa::tuner;

namespace tssa::tune {

WorkerOptions getWorkerOptions(const Options &options) {
  WorkerOptions worker;
  worker.command = {options.program, "--worker"};
  if (!options.fault.empty())
    worker.command.push_back("--inject-fault=" + options.fault);
  worker.threads = options.threads;
  worker.seed = options.search.seed;
  worker.memoryLimit = options.memoryLimit;
  worker.buildSeconds = options.buildLimit;
  worker.runSeconds = options.runLimit;
  return worker;
}

/// Splits a command as a shell does, and adds what makes the program that it runs a worker.
static Expected<WorkerCommand> readCommand(const std::string &text, ArrayRef<std::string> own) {
  BumpPtrAllocator allocator;
  StringSaver saver(allocator);
  SmallVector<const char *> words;
  cl::TokenizeGNUCommandLine(text, saver, words);
  WorkerCommand command{text, std::vector<std::string>(words.begin(), words.end())};
  if (words.empty())
    return createStringError("the command of a worker is empty");
  ErrorOr<std::string> program = sys::findProgramByName(words.front());
  if (!program)
    return createStringError("the worker '" + text + "' cannot be used: there is no program '" +
                             words.front() + "'");
  command.words.front() = *program;
  llvm::append_range(command.words, own);
  command.words.push_back("--watched");
  return command;
}

Expected<Workers> startWorkers(const Options &options) {
  Workers workers;
  if (options.workerCommands.empty()) {
    Expected<cpu::Machine> machine = cpu::resolveMachine("native");
    if (!machine)
      return machine.takeError();
    workers.machine = std::move(*machine);
    return workers;
  }
  WorkerOptions common = getWorkerOptions(options);
  std::vector<WorkerCommand> commands;
  for (const std::string &text : options.workerCommands) {
    auto command = readCommand(text, ArrayRef(common.command).drop_front());
    if (!command)
      return command.takeError();
    commands.push_back(std::move(*command));
  }
  auto warn = [](const std::string &text) { errs() << "tssa-tune: warning: " << text << '\n'; };
  auto pool = createWorkerPool(common, commands, warn);
  if (!pool)
    return pool.takeError();
  workers.pool = std::move(*pool);
  workers.machine = workers.pool->getHost().machine;
  return workers;
}

} // namespace tssa::tune
