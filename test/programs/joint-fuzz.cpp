//===- joint-fuzz.cpp - random layouts and loops, refused or right --------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes kernels from seeds and draws points of the joint space of layouts and loops that the tuner
/// searches (tssa/Tuner/StoreSpace.h, KernelSpace.h). What is drawn must be refused with a
/// sentence, or compute what the kernel says. Each seed has a process of its own: one that crashes
/// or never ends is named, with what was looked at. `--print` prints the program of a seed.
///
//===----------------------------------------------------------------------===//

#include "JointChecker.h"
#include "RandomKernels.h"
#include "tssa/Pipeline/Stages.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ::tssa::reference;

namespace {
struct Options {
  uint64_t seed = 1;
  unsigned count = 1;
  bool print = false, verbose = false;
  std::string cpu = "native";
  JointOptions joint;
};

/// What the process of a seed tells, in memory that it shares.
struct Shared {
  JointCounts counts;
  std::atomic<double> since; ///< when the last candidate began
  char text[1 << 16];        ///< of the last candidate

  void note(const std::string &what) {
    since = getSeconds();
    size_t size = std::min(what.size(), sizeof(text) - 1);
    std::memcpy(text, what.data(), size);
    text[size] = 0;
  }

  static double getSeconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

enum class End { Right, Fault, Late };
} // namespace

/// A candidate that takes longer than this counts as refused.
static constexpr double mostSeconds = 30;

/// lld is linked into this tool and resets LLVM's table of options, so they are copied.
static Options parseOptions(int argc, char **argv) {
  namespace cl = llvm::cl;
  cl::OptionCategory category("joint-fuzz");
  cl::opt<uint64_t> seed("seed", cl::desc("seed of the first kernel"), cl::init(1),
                         cl::cat(category));
  cl::opt<unsigned> count("count", cl::desc("number of kernels"), cl::init(1), cl::cat(category));
  cl::opt<unsigned> layouts("layouts", cl::desc("layouts of each kernel"), cl::init(2),
                            cl::cat(category));
  cl::opt<unsigned> loops("loops", cl::desc("loops for each layout"), cl::init(4),
                          cl::cat(category));
  cl::opt<bool> print("print", cl::desc("print each program"), cl::cat(category));
  cl::opt<bool> verbose("verbose", cl::desc("print why something is refused"), cl::cat(category));
  cl::opt<std::string> cpu("cpu", cl::desc("machine to compile for"), cl::init("native"),
                           cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "check random layouts and loops\n");
  Options options{seed, count, print, verbose, cpu, {layouts, loops}};
  for (cl::Option *option :
       std::initializer_list<cl::Option *>{&seed, &count, &layouts, &loops, &print, &verbose, &cpu})
    option->removeArgument();
  return options;
}

/// Checks a seed, in a process of its own. Returns its exit code.
static int runSeed(mlir::MLIRContext &context, const tssa::cpu::Machine &machine,
                   const Options &options, uint64_t seed, Shared &shared) {
  std::string program = makeRandomKernels(seed);
  if (options.print)
    llvm::outs() << program;
  shared.note(program);
  auto refuse = [&](const std::string &why) {
    if (options.verbose)
      llvm::outs() << "seed " << seed << " refused: " << why << "\n";
  };
  JointChecker checker(
      context, machine, options.joint, seed, shared.counts,
      [&](const std::string &what) { shared.note(what); }, refuse);
  llvm::Error error = checker.check(program);
  bool isWrong = static_cast<bool>(error);
  if (isWrong)
    llvm::outs() << "seed " << seed << ": " << toString(std::move(error)) << "\n";
  llvm::outs().flush();
  return isWrong ? 1 : 0;
}

/// Waits for the process of a seed, but not longer than a candidate may take.
static End wait(pid_t process, uint64_t seed, const Shared &shared) {
  constexpr unsigned interval = 2000; // microseconds
  int status = 0;
  bool isLate = false;
  while (waitpid(process, &status, WNOHANG) == 0) {
    isLate = Shared::getSeconds() - shared.since > mostSeconds;
    if (isLate) {
      kill(process, SIGKILL);
      waitpid(process, &status, 0);
      break;
    }
    usleep(interval);
  }
  if (isLate)
    llvm::outs() << "seed " << seed << ": a candidate takes too long\n" << shared.text << "\n";
  else if (WIFSIGNALED(status))
    llvm::outs() << "seed " << seed << ": " << strsignal(WTERMSIG(status)) << "\n"
                 << shared.text << "\n";
  else if (WEXITSTATUS(status) != 0)
    llvm::outs() << shared.text << "\n";
  llvm::outs().flush();
  return isLate ? End::Late : status == 0 ? End::Right : End::Fault;
}

int main(int argc, char **argv) {
  Options options = parseOptions(argc, argv);
  mlir::DialectRegistry registry;
  tssa::registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  llvm::Expected<tssa::cpu::Machine> machine = tssa::cpu::resolveMachine(options.cpu);
  if (!machine) {
    llvm::errs() << toString(machine.takeError()) << "\n";
    return 2;
  }
  void *memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                      /*fd=*/-1, /*offset=*/0);
  if (memory == MAP_FAILED)
    return 2;
  auto &shared = *new (memory) Shared();
  unsigned numLate = 0, numFaults = 0;
  for (uint64_t seed = options.seed; seed < options.seed + options.count; ++seed) {
    llvm::outs().flush();
    shared.note("");
    pid_t process = fork();
    if (process < 0)
      return 2;
    if (process == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      _exit(runSeed(context, *machine, options, seed, shared));
    }
    End end = wait(process, seed, shared);
    numLate += end == End::Late;
    numFaults += end == End::Fault;
  }
  const JointCounts &counts = shared.counts;
  llvm::outs() << counts.plain << " kernels without other layouts, " << counts.conversions
               << " conversions, " << numLate << " refused for their time\n"
               << options.count - numFaults << " of " << options.count << " kernels agree\n"
               << options.count << " kernels, " << counts.layouts << " layouts, " << counts.loops
               << " loops, " << counts.refused + numLate << " refused\n";
  return numFaults ? 1 : 0;
}
