//===- Main.cpp - the program tssa-compile --------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Main.h"
#include "Annotation.h"
#include "Bisect.h"
#include "Check.h"
#include "Diagnostics.h"
#include "Explanation.h"
#include "Guard.h"
#include "Machines.h"
#include "Options.h"
#include "PartitionReport.h"
#include "Progress.h"
#include "Verification.h"
#include "dialects/te/IR/TEOps.h"
#include "tools/common/ReadModel.h"
#include "tools/common/WriteFile.h"
#include "tssa/Pipeline/CheckText.h"
#include "tssa/Pipeline/Compile.h"
#include "tssa/Pipeline/Records.h"
#include "tssa/Pipeline/Stages.h"
#include "tssa/Pipeline/Threads.h"
#include "tssa/Runtime/Cache.h"
#include "tssa/Runtime/ParentProcess.h"
#include "tssa/Target/CUDA.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/Threading.h"

#include <csignal>
#include <unistd.h>

using namespace llvm;
using namespace tssa;
using namespace tssa::compile;

static int report(const Options &options, const Twine &message, int code) {
  errs() << options.input << ": error: " << message << '\n';
  return code;
}

static int report(const Options &options, Error error, int code) {
  return report(options, toString(std::move(error)), code);
}

//===----------------------------------------------------------------------===//
// Input
//===----------------------------------------------------------------------===//

static ImportOptions getImportOptions(const Options &options) {
  ImportOptions import = options.import;
  import.untrusted = options.untrusted;
  return import;
}

/// Returns the module at the import stage. On failure, reports an error, sets `code` and returns
/// null.
static mlir::OwningOpRef<mlir::ModuleOp> readModel(mlir::MLIRContext &context,
                                                   const Options &options,
                                                   ImportReport &importReport, int &code) {
  auto module = tssa::readModel(context, options.input, getImportOptions(options), importReport);
  for (const std::string &warning : importReport.warnings)
    errs() << options.input << ": warning: " << warning << '\n';
  if (!module) {
    code = getExitCode(importReport.fault);
    if (!importReport.error.empty())
      report(options, importReport.error, code);
  }
  return module;
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

static int writeOutput(const Options &options, function_ref<Error(raw_pwrite_stream &)> write) {
  SmallString<0> bytes;
  raw_svector_ostream buffer(bytes);
  if (Error error = write(buffer))
    return report(options, std::move(error), InternalError);
  if (Error error = writeFile(options.output, bytes))
    return report(options, "cannot write '" + options.output + "': " + toString(std::move(error)),
                  ModelError);
  return Success;
}

static int writeModule(const Options &options, mlir::ModuleOp module) {
  return writeOutput(options, [&](raw_pwrite_stream &stream) {
    mlir::OpPrintingFlags flags;
    flags.elideLargeElementsAttrs(32).elideLargeResourceString(32).printNameLocAsPrefix();
    module.print(stream, flags);
    stream << '\n';
    return Error::success();
  });
}

/// Prints or writes what describes the launches of a program. `module` is at the end of stage
/// buffers.
static int describeLaunches(const Options &options, mlir::ModuleOp module, LaunchList &launches,
                            const std::optional<Explanation> &explanation) {
  if (Error error = launches.number(module))
    return report(options, std::move(error), InternalError);
  if (!options.times.empty()) {
    Expected<std::vector<LaunchTime>> times = readLaunchTimes(options.times);
    if (!times)
      return report(options, times.takeError(), ModelError);
    if (Error error = launches.setTimes(*times))
      return report(options, std::move(error), ModelError);
  }
  if (explanation) {
    options.json ? explanation->printJSON(launches, outs()) : explanation->print(launches, outs());
    return Success;
  }
  bool annotates = options.emit == Emit::Annotated;
  Expected<std::string> text = annotates ? annotateModel(options.input, options.output, launches)
                                         : describePartition(launches, options.output);
  if (!text)
    return report(options, text.takeError(), annotates ? ModelError : UsageError);
  return writeOutput(options, [&](raw_pwrite_stream &stream) {
    stream << *text;
    return Error::success();
  });
}

static int writeMachine(const Options &options, const Machines &machines) {
  return writeOutput(options, [&](raw_pwrite_stream &stream) {
    const tssa::Target &target = options.targets.front();
    if (target.isDevice())
      stream << cuda::printDevice(machines.device.value_or(cuda::getDevice(target.arch)));
    else
      stream << cpu::printMachine(machines.cpus.front());
    stream << '\n';
    return Error::success();
  });
}

static int writeSchedules(const Options &options, const Compilation &compilation) {
  return writeOutput(options, [&](raw_pwrite_stream &stream) {
    stream << compilation.getSchedules();
    return Error::success();
  });
}

/// Returns a file name as make reads it.
static std::string escapeForMake(StringRef name) {
  std::string text;
  for (char c : name) {
    if (c == ' ' || c == '#' || c == '\\')
      text += '\\';
    text += c == '$' ? std::string("$$") : std::string(1, c);
  }
  return text;
}

/// Writes the rule for make that says which files the output depends on. Without it, the output is
/// removed, since make would not know when it is out of date.
static int writeDependencies(const Options &options, ArrayRef<std::string> files) {
  std::string rule = escapeForMake(options.output) + ": " + escapeForMake(options.input);
  SmallVector<std::string> others(files);
  for (const std::string &file : {options.schedule, options.machine})
    if (!file.empty())
      others.push_back(file);
  for (const std::string &file : others)
    rule += " \\\n  " + escapeForMake(file);
  Error error = writeFile(options.depFile, rule + '\n');
  if (!error)
    return Success;
  sys::fs::remove(options.output);
  return report(options, "cannot write '" + options.depFile + "': " + toString(std::move(error)),
                ModelError);
}

/// Returns whether the operating system caused the error, for example because the disk is full.
static bool isOfSystem(Error &error) {
  bool found = false;
  error = handleErrors(std::move(error), [&](std::unique_ptr<StringError> info) {
    const std::error_category &category = info->convertToErrorCode().category();
    found = category == std::generic_category() || category == std::system_category();
    return Error(std::move(info));
  });
  return found;
}

static int writeArtifact(const Options &options, Compilation &compilation) {
  bool wasWriting = false;
  if (Error error = compilation.writeArtifact(options.output, wasWriting)) {
    // The environment variable means that the user has chosen the assembler.
    bool isChosen = error.isA<cuda::AssemblerError>() && sys::Process::GetEnv("TSSA_PTXAS");
    bool isOurs = !wasWriting && !isOfSystem(error);
    return report(options, std::move(error),
                  isChosen ? UsageError
                  : isOurs ? InternalError
                           : ModelError);
  }
  return Success;
}

/// Says how many kernels took records of --tuned, and what these promise.
static void describeTuned(const Options &options, const TunedUse &use) {
  std::string where = options.input + ": ", text = "tuned '" + options.tuned + "': ";
  if (use.recorded == 0 && use.versions == 0) {
    errs() << where << "warning: " << text;
    if (use.kernels > 0)
      errs() << "none of " << use.kernels << " kernels takes a record\n";
    else
      errs() << "no record has faster loops for sizes that only a run knows\n";
    return;
  }
  errs() << where << text;
  if (use.kernels > 0)
    errs() << use.recorded << " of " << use.kernels << " kernels take records";
  if (use.recorded > 0)
    errs() << format(", %.3g ms -> %.3g ms", use.defaultSeconds * 1e3, use.seconds * 1e3);
  if (use.versions > 0)
    errs() << (use.kernels > 0 ? ", " : "") << use.versions << " versions for sizes";
  errs() << '\n';
}

static int write(const Options &options, Compilation &compilation, mlir::ModuleOp module) {
  if (!options.tuned.empty())
    describeTuned(options, compilation.getTunedUse());
  switch (options.emit) {
  case Emit::Module:
    return writeModule(options, module);
  case Emit::Schedule:
    return writeSchedules(options, compilation);
  default:
    break;
  }
  if (Error error = compilation.translate())
    return report(options, std::move(error), InternalError);
  switch (options.emit) {
  case Emit::LLVM:
    return writeOutput(options,
                       [&](raw_pwrite_stream &stream) { return compilation.printLLVM(stream); });
  case Emit::PTX:
    return writeOutput(options, [&](raw_pwrite_stream &stream) -> Error {
      Expected<std::string> text = compilation.emitPTX();
      if (!text)
        return text.takeError();
      stream << *text;
      return Error::success();
    });
  case Emit::Assembly:
  case Emit::Object:
    return writeOutput(options, [&](raw_pwrite_stream &stream) {
      return compilation.emit(options.emit == Emit::Assembly, stream);
    });
  default:
    return writeArtifact(options, compilation);
  }
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

static CompileOptions getCompileOptions(const Options &options, const Machines &machines) {
  CompileOptions compile;
  for (const tssa::Target &target : options.targets)
    for (const cpu::Machine &machine : machines.cpus)
      if (target.kind == tssa::Target::CPU || &machine == &machines.cpus.front())
        compile.variants.push_back({target, machine});
  compile.device = machines.device;
  compile.merges = options.merges;
  compile.transforms = options.transforms;
  bool hasDevice = llvm::any_of(options.targets, [](auto &target) { return target.isDevice(); });
  compile.precision = options.precision.resolve(machines.cpus, hasDevice);
  compile.sanitize = options.sanitize;
  compile.lastStage = options.lastStage;
  compile.dumpDir = options.dumpDir;
  // What reports on kernels needs all of them.
  bool reports = options.remarks || !options.dumpDir.empty() || options.verifyEachStage ||
                 !options.injectFault.empty();
  if (options.emit == Emit::SharedObject && !reports)
    compile.cacheDir = options.cacheDir;
  compile.keepsModules =
      options.emit == Emit::LLVM || options.emit == Emit::Assembly || options.emit == Emit::Object;
  compile.scheduleFile = options.schedule;
  compile.tunedDir = options.tuned;
  compile.point = options.point;
  compile.verifiesPasses |= options.verifyEachStage;
  compile.keepsSchedules = options.emit == Emit::Schedule;
  for (const ForeignObject &object : options.import.foreignObjects)
    compile.foreignObjects.push_back(object.bytes);
  compile.modelName = sys::path::stem(options.input).str();
  return compile;
}

/// Returns the number of threads that compile. Each needs memory of its own.
static unsigned countThreads(const Options &options) {
  constexpr uint64_t bytesOfThread = uint64_t(256) << 20;
  unsigned count =
      options.threads ? options.threads : hardware_concurrency().compute_thread_count();
  if (options.memoryLimit)
    count = std::min<uint64_t>(count, std::max<uint64_t>(options.memoryLimit / bytesOfThread, 1));
  return count;
}

/// Makes the folder of --cache-dir and looks for that of --tuned, if they are given.
static int openFolders(const Options &options) {
  runtime::CacheFolderState state;
  if (!options.tuned.empty())
    if (Error error = checkRecordFolder(options.tuned))
      return report(options, std::move(error), ModelError);
  if (options.cacheDir.empty())
    return Success;
  runtime::Status status = runtime::openCacheFolder(options.cacheDir, state);
  return status.ok() ? Success : report(options, status.message, ModelError);
}

/// Checks what a compilation needs beside the model.
static int prepare(const Options &options) {
  if (options.output != "-" && sys::fs::equivalent(options.input, options.output)) {
    errs() << "tssa-compile: error: the output '" << options.output << "' is the input\n";
    return UsageError;
  }
  if (Expected<std::string> assembler = cuda::findAssembler(); !assembler) {
    errs() << "tssa-compile: error: " << toString(assembler.takeError()) << '\n';
    return UsageError;
  }
  return openFolders(options);
}

static bool describesLaunches(const Options &options) {
  return options.explain || options.emit == Emit::Partition || options.emit == Emit::Annotated;
}

static int compileModel(const Options &options) {
  Expected<Machines> machines = getMachines(options);
  if (!machines) {
    errs() << "tssa-compile: error: " << toString(machines.takeError()) << '\n';
    return UsageError;
  }
  if (options.emit == Emit::Machine)
    return writeMachine(options, *machines);
  if (int code = prepare(options))
    return code;
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  Threads threads(countThreads(options));
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  // Also for one thread: errors are then found in the same order as with more.
  context.setThreadPool(threads);
  DiagnosticPrinter printer(context, options.input, options.remarks);
  Progress progress(options);
  progress.show({"read"});
  if (options.check)
    return checkModel(context, options, getImportOptions(options));
  int code = Success;
  CompileOptions compile = getCompileOptions(options, *machines);
  compile.progress = progress.getFunction();
  // What fails in a program or a schedule that the user wrote as text is an error of that text.
  bool isText = sys::path::extension(options.input) == ".mlir" || !options.schedule.empty();
  Verification verification(options);
  verification.attach(compile);
  if (options.bisect)
    return bisect(context, options, getImportOptions(options), compile);
  std::optional<Explanation> explanation;
  if (options.explain)
    explanation.emplace(context);
  ImportReport importReport;
  mlir::OwningOpRef<mlir::ModuleOp> module = readModel(context, options, importReport, code);
  if (!module)
    return code;
  std::optional<LaunchList> launches;
  if (describesLaunches(options))
    compile.afterStage = [&](const Stage &stage, mlir::ModuleOp now, const VariantTarget &) {
      if (stage.name == "te" && explanation)
        explanation->keepReasons(now);
      if (stage.name == "layout" && !launches)
        launches.emplace(now);
      return mlir::success();
    };
  Compilation compilation(compile);
  if (failed(compilation.runStages(*module)))
    return verification.getExitCode().value_or(printer.sawUnsupported() ? Unsupported
                                               : isText                 ? ModelError
                                                                        : InternalError);
  if (launches)
    return describeLaunches(options, *module, *launches, explanation);
  code = write(options, compilation, *module);
  if (code == Success && options.emit == Emit::SharedObject)
    code = verification.checkArtifact();
  if (code == Success && !options.depFile.empty())
    code = writeDependencies(options, importReport.files);
  return code;
}

int tssa::compile::compileMain(int argc, char **argv) {
  InitLLVM init(argc, argv);
  runtime::endWithParent();
  std::signal(SIGXFSZ, SIG_IGN); // so that a write beyond the limit of file sizes fails
  Options options;
  if (std::optional<int> code = parseOptions(argc, argv, options))
    return *code;
  int code = runWithDeepStack([&] {
    // The limit begins here, so that it does not prevent the allocation of the deep stack.
    guardProcess(options);
    return compileModel(options);
  });
  outs().flush();
  if (outs().has_error()) {
    code = report(options, "cannot write: " + outs().error().message(), ModelError);
    outs().clear_error();
  }
  claimEnd();
  return code;
}
