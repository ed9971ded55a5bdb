//===- emulate-kernel.cpp - run one kernel under the emulator -------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// usage: emulate-kernel FILE --kernel=NAME --blocks=N [options] PARAMETER...
///
/// Compiles a kernel of the file's gpu.module, in the LLVM and NVVM dialects, for the emulator and
/// runs it. A parameter is a scalar TYPE=VALUE, a tensor of equal elements TYPE[COUNT]=VALUE, a
/// tensor of the numbers 0, 1, 2 ... TYPE[COUNT]=iota, or one of multiples of 1/64 between -2 and
/// 2, the same in every run, TYPE[COUNT]=random. The first `--elements` of the tensors are printed
/// at the end. `--fault=NAME:INDEX` makes a fault in the kernel first. `--faults` makes each
/// possible fault, one at a time, and prints which of them the emulator finds. Faults at ops that
/// the run does not reach do not count.
///
//===----------------------------------------------------------------------===//

#include "KernelFaults.h"
#include "dialects/te/IR/Program.h"
#include "dialects/te/IR/TEDialect.h"
#include "lib/Runtime/Emulator/Emulator.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "tssa/Target/CPU.h"
#include "tssa/Target/CUDA.h"
#include "tssa/Target/CUDA/Passes.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"

#include <cstring>
#include <random>

using namespace mlir;
using llvm::Error;
using llvm::Expected;
using ::tssa::runtime::Status;
namespace emulator = ::tssa::runtime::emulator;
namespace te = mlir::tssa::te;

namespace {
struct Options {
  std::string file, kernel, fault, cpu;
  int64_t blocks = 1, threads = 0, shared = -1, elements = 16;
  uint64_t seed = 0;
  bool faults = false, races = true, count = false;
  std::vector<std::string> parameters;
};

/// A parameter: a scalar, or a tensor in memory of its own.
struct Parameter {
  std::string type;
  bool isTensor = false;
  std::vector<uint8_t> bytes;
  void *address = nullptr;
  int64_t size = 0;
};
} // namespace

static Options parseOptions(int argc, char **argv) {
  namespace cl = llvm::cl;
  cl::OptionCategory category("emulate-kernel");
  cl::opt<std::string> file(cl::Positional, cl::Required, cl::desc("FILE"), cl::cat(category));
  cl::list<std::string> parameters(cl::Positional, cl::desc("PARAMETER..."), cl::cat(category));
  cl::opt<std::string> kernel("kernel", cl::Required, cl::desc("its name"), cl::cat(category));
  cl::opt<std::string> fault("fault", cl::desc("NAME:INDEX"), cl::cat(category));
  cl::opt<std::string> cpu("cpu", cl::desc("machine to compile for"), cl::init("native"),
                           cl::cat(category));
  cl::opt<int64_t> blocks("blocks", cl::desc("blocks"), cl::init(1), cl::cat(category));
  cl::opt<int64_t> threads("block-threads", cl::desc("of a block, when not the kernel's most"),
                           cl::init(0), cl::cat(category));
  cl::opt<int64_t> shared("shared-bytes", cl::desc("when not the kernel's"), cl::init(-1),
                          cl::cat(category));
  cl::opt<int64_t> elements("elements", cl::desc("of a tensor that are printed"), cl::init(16),
                            cl::cat(category));
  cl::opt<uint64_t> seed("seed", cl::desc("of the order"), cl::init(0), cl::cat(category));
  cl::opt<bool> faults("faults", cl::desc("make every fault"), cl::cat(category));
  cl::opt<bool> races("races", cl::desc("look for races"), cl::init(true), cl::cat(category));
  cl::opt<bool> count("count", cl::desc("count accesses"), cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "run one kernel under the emulator\n");
  return {file,
          kernel,
          fault,
          cpu,
          blocks,
          threads,
          shared,
          elements,
          seed,
          faults,
          races,
          count,
          {parameters.begin(), parameters.end()}};
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

static unsigned getWidth(const std::string &type) {
  if (type == "i8" || type == "i1")
    return 1;
  if (type == "f16")
    return 2;
  return type == "i64" || type == "f64" ? 8 : 4;
}

static void putElement(const std::string &type, double value, uint8_t *to) {
  auto put = [&](auto number) { std::memcpy(to, &number, sizeof(number)); };
  if (type == "f16")
    put(static_cast<_Float16>(value));
  else if (type == "f32")
    put(static_cast<float>(value));
  else if (type == "f64")
    put(value);
  else if (type == "i64")
    put(static_cast<int64_t>(value));
  else if (type == "i32")
    put(static_cast<int32_t>(value));
  else
    put(static_cast<int8_t>(value));
}

static double getElement(const std::string &type, const uint8_t *from) {
  auto get = [&](auto number) {
    std::memcpy(&number, from, sizeof(number));
    return static_cast<double>(number);
  };
  if (type == "f16")
    return get(_Float16());
  if (type == "f32")
    return get(0.0f);
  if (type == "f64")
    return get(0.0);
  if (type == "i64")
    return get(int64_t());
  return type == "i32" ? get(int32_t()) : get(int8_t());
}

static Expected<Parameter> parseParameter(llvm::StringRef text, std::minstd_rand &random) {
  auto [left, value] = text.split('=');
  auto [type, count] = left.split('[');
  Parameter parameter;
  parameter.type = type.str();
  parameter.isTensor = count.consume_back("]");
  uint64_t elements = 1;
  double number = 0;
  bool isIota = value == "iota", isRandom = value == "random";
  if ((parameter.isTensor && count.getAsInteger(10, elements)) ||
      (!isIota && !isRandom && value.getAsDouble(number)))
    return llvm::createStringError("not a parameter: '" + text + "'");
  unsigned width = getWidth(parameter.type);
  parameter.size = static_cast<int64_t>(elements * width);
  // Tensors are aligned as on a device, and other memory follows them.
  parameter.bytes.resize(parameter.size + 512);
  auto begin = reinterpret_cast<uintptr_t>(parameter.bytes.data());
  parameter.address = reinterpret_cast<void *>((begin + 255) / 256 * 256);
  for (uint64_t i = 0; i < elements; ++i) {
    if (isIota)
      number = static_cast<double>(i);
    if (isRandom)
      number = (static_cast<double>(random() % 257) - 128) / 64;
    putElement(parameter.type, number, static_cast<uint8_t *>(parameter.address) + i * width);
  }
  return parameter;
}

/// Prints the first elements of a tensor.
static void print(const Parameter &parameter, int64_t most) {
  int64_t width = getWidth(parameter.type), count = parameter.size / width;
  for (int64_t i = 0; i < std::min(count, most); ++i)
    llvm::outs() << " "
                 << llvm::formatv(
                        "{0}", getElement(parameter.type,
                                          static_cast<uint8_t *>(parameter.address) + i * width));
  llvm::outs() << (count > most ? " ...\n" : "\n");
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

namespace {
/// A kernel that was compiled and loaded into this process.
struct CompiledKernel {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  const tssa_emulated_kernel *kernel = nullptr;
};
} // namespace

/// Moves the contents of the gpu.module to a new module.
static OwningOpRef<ModuleOp> takeKernels(gpu::GPUModuleOp device) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(device.getLoc());
  for (Operation &op : llvm::make_early_inc_range(*device.getBody()))
    op.moveBefore(module->getBody(), module->getBody()->end());
  return module;
}

static Expected<CompiledKernel> compile(gpu::GPUModuleOp device, llvm::StringRef name,
                                        const ::tssa::cpu::Machine &machine) {
  PassManager manager(device.getContext(), gpu::GPUModuleOp::getOperationName());
  manager.addPass(::tssa::cuda::createEmulateKernels());
  if (failed(manager.run(device)))
    return llvm::createStringError("the kernel has no emulation");
  OwningOpRef<ModuleOp> module = takeKernels(device);
  auto target = ::tssa::cpu::createTargetMachine(machine);
  if (!target)
    return target.takeError();
  llvm::LLVMContext context;
  auto code = ::tssa::cpu::translate(*module, context, **target, machine);
  if (!code)
    return code.takeError();
  llvm::GlobalVariable *table =
      (*code)->getGlobalVariable((name + ".emulated").str(), /*AllowInternal=*/true);
  auto *type = llvm::FunctionType::get(llvm::PointerType::get(context, 0), false);
  auto *get = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "tssa_run", **code);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", get));
  builder.CreateRet(table);
  ::tssa::cpu::optimize(**code, **target, {});
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  if (Error error = ::tssa::cpu::emit(**code, **target, /*assembly=*/false, stream))
    return error;
  CompiledKernel result;
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  result.jit = std::move(*jit);
  if (Error error = result.jit->addObjectFile(
          llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(object.data(), object.size()))))
    return error;
  auto address = result.jit->lookup("tssa_run");
  if (!address)
    return address.takeError();
  result.kernel = address->toPtr<const tssa_emulated_kernel *(*)()>()();
  return result;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

namespace {
/// The results of a run.
struct Outcome {
  Status status;
  std::vector<Parameter> tensors;
  emulator::Counters counters;
};
} // namespace

static Expected<Outcome> run(const Options &options, const CompiledKernel &code, int64_t threads,
                             int64_t shared) {
  std::vector<Parameter> parameters;
  std::minstd_rand random(1);
  for (const std::string &text : options.parameters) {
    Expected<Parameter> parameter = parseParameter(text, random);
    if (!parameter)
      return parameter.takeError();
    parameters.push_back(std::move(*parameter));
  }
  if (parameters.size() != size_t(code.kernel->num_params))
    return llvm::createStringError("expected " + std::to_string(code.kernel->num_params) +
                                   " parameters, got " + std::to_string(parameters.size()));
  std::vector<void *> slots;
  for (Parameter &parameter : parameters)
    slots.push_back(parameter.isTensor ? &parameter.address : parameter.address);
  for (Parameter &parameter : parameters)
    slots.push_back(parameter.isTensor ? &parameter.size : nullptr);
  emulator::EmulatedLaunch launch;
  launch.kernel = code.kernel;
  launch.name = options.kernel;
  launch.blocks = options.blocks;
  launch.threads = static_cast<int32_t>(threads);
  launch.sharedBytes = shared;
  launch.params = slots.data();
  emulator::Options emulation;
  emulation.seed = options.seed;
  emulation.checkRaces = options.races;
  emulation.count = options.count;
  Outcome outcome;
  outcome.status = emulator::launch(launch, emulation, &outcome.counters);
  for (Parameter &parameter : parameters)
    if (parameter.isTensor)
      outcome.tensors.push_back(std::move(parameter));
  return outcome;
}

namespace {
/// A change of the kernel: a fault at the `index`th op to which it applies, or a trap there.
struct Change {
  const ::tssa::KernelFault *fault = nullptr;
  unsigned index = 0;
  bool isTrap = false;
};
} // namespace

/// Compiles and runs the kernel of a copy of `file`, with `change` if it has a fault. Returns
/// nothing if the fault does not apply to that many ops.
static Expected<std::optional<Outcome>> compileAndRun(const Options &options, ModuleOp file,
                                                      const ::tssa::cpu::Machine &machine,
                                                      const Change &change) {
  OwningOpRef<ModuleOp> copy = file.clone();
  gpu::GPUModuleOp device;
  copy->walk([&](gpu::GPUModuleOp op) { device = op; });
  auto kernel = device ? device.lookupSymbol<LLVM::LLVMFuncOp>(options.kernel) : nullptr;
  if (!kernel)
    return llvm::createStringError("no kernel '" + options.kernel + "'");
  for (auto other : llvm::make_early_inc_range(device.getOps<LLVM::LLVMFuncOp>()))
    if (other != kernel)
      other.erase();
  te::BlockAttr block = te::getBlock(kernel);
  int64_t threads = options.threads ? options.threads : block ? block.getThreads() : 32;
  int64_t shared = options.shared >= 0 ? options.shared : block ? block.getSharedBytes() : 0;
  if (change.fault) {
    Operation *op = ::tssa::findFaultOp(kernel, *change.fault, change.index);
    if (!op)
      return std::nullopt;
    if (change.isTrap)
      ::tssa::putTrap(op);
    else
      change.fault->apply(op);
  }
  if (failed(verify(*copy)))
    return llvm::createStringError("the kernel is not valid");
  Expected<CompiledKernel> code = compile(device, options.kernel, machine);
  if (!code)
    return code.takeError();
  Expected<Outcome> outcome = run(options, *code, threads, shared);
  if (!outcome)
    return outcome.takeError();
  return std::move(*outcome);
}

static bool haveDifferentResults(const Outcome &one, const Outcome &other) {
  for (auto [a, b] : llvm::zip_equal(one.tensors, other.tensors))
    if (std::memcmp(a.address, b.address, a.size) != 0)
      return true;
  return false;
}

/// Makes each fault at each op to which it applies, and prints which were found, and how.
static Error runFaults(const Options &options, ModuleOp file, const ::tssa::cpu::Machine &machine) {
  auto good = compileAndRun(options, file, machine, {});
  if (!good)
    return good.takeError();
  if (!(*good)->status.ok())
    return llvm::createStringError("without a fault: " + (*good)->status.message);
  unsigned made = 0, found = 0;
  for (const ::tssa::KernelFault &fault : ::tssa::getKernelFaults())
    for (unsigned index = 0;; ++index) {
      auto outcome = compileAndRun(options, file, machine, {&fault, index});
      if (!outcome)
        return outcome.takeError();
      if (!*outcome)
        break;
      bool isFault = !(*outcome)->status.ok();
      bool differs = haveDifferentResults(**outcome, **good);
      if (!isFault && !differs) {
        auto trapped = compileAndRun(options, file, machine, {&fault, index, /*isTrap=*/true});
        if (!trapped)
          return trapped.takeError();
        if ((*trapped)->status.ok()) {
          llvm::outs() << fault.name << ":" << index << ": never runs\n";
          continue;
        }
      }
      ++made;
      found += isFault || differs;
      llvm::outs() << fault.name << ":" << index << ": "
                   << (isFault   ? (*outcome)->status.message
                       : differs ? "another result"
                                 : "NOT FOUND")
                   << "\n";
    }
  llvm::outs() << found << " of " << made << " faults found\n";
  return Error::success();
}

static Error runOnce(const Options &options, ModuleOp file, const ::tssa::cpu::Machine &machine) {
  auto [name, index] = llvm::StringRef(options.fault).split(':');
  const ::tssa::KernelFault *fault = nullptr;
  for (const ::tssa::KernelFault &known : ::tssa::getKernelFaults())
    if (known.name == name)
      fault = &known;
  unsigned number = 0;
  if (!name.empty() && (!fault || (!index.empty() && index.getAsInteger(10, number))))
    return llvm::createStringError("no fault '" + options.fault + "'");
  auto outcome = compileAndRun(options, file, machine, {fault, number});
  if (!outcome)
    return outcome.takeError();
  if (!*outcome)
    return llvm::createStringError("the kernel has no op for fault '" + options.fault + "'");
  if (!(*outcome)->status.ok())
    return llvm::createStringError((*outcome)->status.message);
  for (auto [i, tensor] : llvm::enumerate((*outcome)->tensors)) {
    llvm::outs() << "tensor " << i << ":";
    print(tensor, options.elements);
  }
  const emulator::Counters &counters = (*outcome)->counters;
  llvm::outs() << counters.barriers << " barriers, " << counters.warpOperations
               << " operations of warps, " << counters.accesses << " accesses\n";
  if (options.count)
    llvm::outs() << counters.globalAccesses << " global accesses of warps, "
                 << counters.globalTransactions << " transactions, " << counters.sharedAccesses
                 << " shared accesses of warps, " << counters.sharedConflicts << " conflicts\n";
  return Error::success();
}

int main(int argc, char **argv) {
  Options options = parseOptions(argc, argv);
  DialectRegistry registry;
  registry.insert<gpu::GPUDialect, LLVM::LLVMDialect, NVVM::NVVMDialect, te::TEDialect>();
  ::tssa::cpu::registerTranslations(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects(); // for ops of the host program, which are ignored
  OwningOpRef<ModuleOp> file = parseSourceFile<ModuleOp>(options.file, &context);
  if (!file)
    return 1;
  Expected<::tssa::cpu::Machine> machine = ::tssa::cpu::resolveMachine(options.cpu);
  Error error = !machine         ? machine.takeError()
                : options.faults ? runFaults(options, *file, *machine)
                                 : runOnce(options, *file, *machine);
  if (!error)
    return 0;
  llvm::errs() << toString(std::move(error)) << "\n";
  return 1;
}
