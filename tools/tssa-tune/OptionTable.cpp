//===- OptionTable.cpp - the options of tssa-tune
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptionTable.h"

namespace tssa::tune {

static tools::About makeAbout() {
  tools::About about;
  about.name = "tssa-tune";
  about.summary = "searches fast loops and layouts for the kernels of a model, and records them";
  about.details =
      "Ctrl-C ends the search and records what was found; a second one ends at once, and "
      "the next run goes on where it was. Kernels that have a record are not searched "
      "again, unless --continue says so. The CPU should have nothing else to do.";
  about.operand = "MODEL.onnx|MODEL.mlir|PROGRAM.json";
  about.noun = "model";
  about.examples = {
      {"tssa-tune model.onnx --db tuned --time 5m", ""},
      {"tssa-compile model.onnx --tuned=tuned", "compiles with what was found"},
      {"tssa-tune model.onnx --db tuned --sizes batch=1,8", "for these sizes of an open dim"},
      {"tssa-tune --db tuned --report=session.html", "writes a page about the last session"},
      {"tssa-tune --db tuned --explain k3_contract", "prints a kernel's space and its best points"},
      {"tssa-tune --db tuned --export=records", "copies the records for another folder"},
      {"tssa-tune --db tuned --replay 1", "derives the proposals of session 1 again"}};
  about.exitCodes =
      "0 ok, 1 error in the model or the database, 2 usage, 3 unsupported, 4 a replay "
      "differs, 5 limit, 70 internal, 130 interrupted";
  about.version = "tssa-tune " TSSA_VERSION;
  return about;
}

CommandLine::CommandLine() : tools::CommandLine(makeAbout()) {
  bindOperand(input);
  addSearch();
  addActions();
  addWorker();
}

void CommandLine::addSearch() {
  add("db", folder, "DIR", "Folder of the database and of the records");
  add("trials", trials, "N",
      "Trials of all kernels together, with those that the database has; by default 64 for each "
      "kernel");
  add("time", time, "T", "Stop searching after this time, such as 300, 5m, 2h");
  add("threads", threads, "T", "Threads that run the kernels (1)");
  add("seed", seed, "S", "Seed of the search and of inputs (1)");
  add("sampler", sampler, "S", "evolution (default), random, coordinates or ppo");
  add("ranking", ranking, "R",
      "Who ranks points: the cost model (model, default), the draft alone (draft), or nobody "
      "(none)");
  add("judge", judge,
      "Search the points that the database has of each task, without measuring, and compare the "
      "rankings");
  add("cache", cache, "STATE",
      "Weights come from where they are in this model (model, default), from memory "
      "(cold-weights), or stay in the caches (warm)");
  add("joint", joint, "SHARE",
      "The share of the budget in which layouts of tensors are searched with the loops, from 0 to "
      "1 (0.5)");
  add("loops-only", loopsOnly,
      "Leave the layouts of tensors as the compiler chooses them: --joint 0");
  add("graph", graph, "RULE",
      "How the layouts of all kernels are chosen from what was measured: together (pbqp, default), "
      "or each for itself, with conversions between (alt)");
  add("sizes", tunedSizes, "NAME=N,N",
      "Tune for these sizes of an open dim, such as batch=1,8 (1); repeatable, for all "
      "combinations");
  add("continue", goesOn, "Search on for kernels that have a record");
  add("worker-command", workerCommands, "COMMAND",
      "Measure by a worker that this command starts, such as 'ssh host tssa-tune'; repeatable, all "
      "on machines of one kind, which is that of the records");
  add("untrusted", untrusted,
      "Refuse what a hostile model could abuse, as tssa-compile does, but without limits on time "
      "and "
      "memory; also refuse --worker-command");
}

void CommandLine::addActions() {
  add("replay", replay, "SESSION", "Derive the proposals of a recorded session again");
  add("report", report, "FILE.html", "Write a page about a session");
  add("session", session, "N", "The session of the page (the last one)");
  add("explain", explained, "TASK",
      "Print a kernel's space and trials; a key, its beginning, or a name");
  add("export", exported, "FOLDER", "Write the records of this machine to a folder");
  add("import", imported, "FOLDER", "Take over the records of a folder");
  add("dim", sizes.dims, "NAME=N", "Fix the size of a named dim; repeatable");
  add("input-shape", sizes.shapes, "NAME=1x3x224x224",
      "Fix the shape of an input, or name its dims, as in [N,3,?,?], where ? is any size; "
      "repeatable");
  add("precision", precision, "TYPE",
      "Tune the kernels of tssa-compile --precision: f32 (default), f16, bf16, tf32 or fast");
  add("operators", operators, "FILE.mlir",
      "Operators of the model, as for tssa-compile; repeatable");
  add("const", sizes.constants, "NAME=VALUE",
      "Make an input of an ONNX model a constant: a number, true, false, or a list such as "
      "[1,3,224,224]; repeatable");
}

void CommandLine::addWorker() {
  add("worker", worker, "Measure for another process").hide();
  add("watched", watched, "End when standard input does").hide();
  add("memory-limit", memoryLimit, "N", "Bytes of data that a worker may have").hide();
  add("build-limit", buildLimit, "SECONDS", "Seconds to build a candidate, for tests").hide();
  add("run-limit", runLimit, "SECONDS", "Seconds to run a candidate, for tests").hide();
  add("inject-fault", fault, "NAME", "Make a fault, for tests").hide();
}

} // namespace tssa::tune
