//===- Look.cpp - what a database can be asked ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Look.h"
#include "Tune.h"
#include "tools/common/WriteFile.h"
#include "tssa/Pipeline/Records.h"
#include "tssa/Pipeline/Stages.h"
#include "tssa/Tuner/Explain.h"
#include "tssa/Tuner/Report.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tssa::tuner;

namespace tssa::tune {

std::unique_ptr<mlir::MLIRContext> createContext() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  auto context =
      std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

Expected<search::Database> openExisting(const Options &options) {
  if (!sys::fs::exists(options.folder + "/tune.db"))
    return createStringError("the folder '" + options.folder + "' has no database tune.db");
  return openDatabase(options);
}

static Error writeText(StringRef path, StringRef text) {
  Error error = writeFile(path, text);
  if (!error)
    return error;
  return createStringError("cannot write " + toString(std::move(error))); // names the path
}

static Error writeReport(const Options &options) {
  Expected<cpu::Machine> machine = cpu::resolveMachine("native");
  if (!machine)
    return machine.takeError();
  Expected<search::Database> database = openExisting(options);
  if (!database)
    return database.takeError();
  std::optional<int64_t> number = options.session;
  if (!number) {
    auto last = database->findLastSession();
    if (!last)
      return last.takeError();
    if (!*last)
      return createStringError("the database has no session");
    number = *last;
  }
  auto context = createContext();
  Expected<SessionReport> session = readReport(*database, *number, *context, *machine);
  if (!session)
    return session.takeError();
  if (Error error = writeText(options.report, printPage(*session)))
    return error;
  outs() << "the page of session " << *number << " is in " << options.report << '\n';
  return Error::success();
}

int reportSession(const Options &options) {
  Error error = writeReport(options);
  return error ? report("tssa-tune", std::move(error)) : Success;
}

/// Writes text of a database, which may be untrusted, to the terminal.
static void printSafely(StringRef text) {
  for (char c : text)
    outs() << (isPrint(c) || c == '\n' ? c : '?');
}

static Error writeExplanation(const Options &options) {
  Expected<cpu::Machine> machine = cpu::resolveMachine("native");
  if (!machine)
    return machine.takeError();
  Expected<search::Database> database = openExisting(options);
  if (!database)
    return database.takeError();
  Expected<NamedTask> named = findTask(*database, options.explained);
  if (!named)
    return named.takeError();
  auto trials = database->readTrials(named->task.key);
  if (!trials)
    return trials.takeError();
  Plan plan;
  plan.threads = options.threads;
  plan.machine = getMachineId(*machine) + "/t" + std::to_string(options.threads);
  plan.epoch = getEpoch().str();
  plan.roof = measureRoof(machine->vectorBytes);
  auto context = createContext();
  Expected<std::string> text = explain(*named, plan, trials->valid, *context, *machine);
  if (!text)
    return text.takeError();
  printSafely(*text);
  return Error::success();
}

int explainTask(const Options &options) {
  Error error = writeExplanation(options);
  return error ? report("tssa-tune", std::move(error)) : Success;
}

} // namespace tssa::tune
