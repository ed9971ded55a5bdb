//===- Program.cpp - machine code of a program in parts -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Target/CPU/Program.h"
#include "Parts.h"
#include "mlir/IR/Threading.h"
#include "tssa/Externs/Externs.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Linker/Linker.h"

using namespace llvm;

namespace tssa::cpu {

/// The code of one part. Each has its own LLVM context, so that parts can be compiled in parallel.
struct Program::Code {
  Part part;
  LLVMContext context;
  std::unique_ptr<TargetMachine> machine;
  std::unique_ptr<Module> module;
};

static std::string getName(mlir::Operation *op) {
  return mlir::SymbolTable::getSymbolName(op).str();
}

Program::Program(mlir::MLIRContext &context, ProgramOptions options)
    : context(context), options(std::move(options)) {}

Program::~Program() = default;

/// Calls `work` for each part, in parallel, and returns the error of the first part that has one.
Error Program::forEach(function_ref<Error(size_t)> work) const {
  std::vector<std::optional<Error>> errors(codes.size());
  mlir::parallelFor(&context, 0, codes.size(), [&](size_t i) { errors[i].emplace(work(i)); });
  Error first = Error::success();
  for (std::optional<Error> &error : errors)
    if (!first)
      first = std::move(*error);
    else
      consumeError(std::move(*error));
  return first;
}

/// Names what parts share, and makes the list of what has to be compiled: equal kernels once.
void Program::plan(mlir::ModuleOp module) {
  StringSet<> known;
  for (Part &part : splitProgram(module)) {
    for (mlir::Operation *op : part.shared) {
      std::string name = getName(op);
      auto key = options.keys.find(name);
      options.optimize.shared[name] =
          key == options.keys.end() ? name + options.optimize.suffix : "kernel." + key->second;
    }
    if (part.entry && !known.insert(options.optimize.shared[getName(part.entry)]).second)
      continue;
    codes.push_back(std::make_unique<Code>());
    codes.back()->part = std::move(part);
  }
  // The routines, which are linked to the host program, define what no part does.
  for (mlir::Operation *op : codes.front()->part.declared)
    options.optimize.shared.try_emplace(getName(op), getName(op) + options.optimize.suffix);
}

Error Program::linkRoutines(Module &host) const {
  if (Error error =
          linkBitcode(host, getRoutinesBitcode(), /*onlyNeeded=*/true, options.machine))
    return error;
  if (!options.definesMemory)
    return Error::success();
  return linkBitcode(host, getMemoryBitcode(), /*onlyNeeded=*/false, options.machine);
}

Error Program::translate(Code &code) const {
  Expected<std::unique_ptr<TargetMachine>> machine = createTargetMachine(options.machine);
  if (!machine)
    return machine.takeError();
  code.machine = std::move(*machine);
  mlir::OwningOpRef<mlir::ModuleOp> copy = code.part.clone();
  auto translated = cpu::translate(*copy, code.context, *code.machine, options.machine);
  if (!translated)
    return translated.takeError();
  code.module = std::move(*translated);
  if (!code.part.entry)
    if (Error error = linkRoutines(*code.module))
      return error;
  optimize(*code.module, *code.machine, options.optimize);
  return Error::success();
}

Error Program::translate(mlir::ModuleOp module) {
  plan(module);
  return forEach([&](size_t i) { return translate(*codes[i]); });
}

/// Links copies of all parts to one module in `context`.
Expected<std::unique_ptr<Module>> Program::join(LLVMContext &context) const {
  auto joined = std::make_unique<Module>("model", context);
  for (const std::unique_ptr<Code> &code : codes) {
    SmallString<0> bitcode;
    raw_svector_ostream stream(bitcode);
    WriteBitcodeToFile(*code->module, stream);
    auto copy = parseBitcodeFile(MemoryBufferRef(bitcode, "part"), context);
    if (!copy)
      return copy.takeError();
    if (Linker::linkModules(*joined, std::move(*copy)))
      return createStringError("the parts of the program cannot be joined");
  }
  return joined;
}

Error Program::print(raw_ostream &stream) const {
  LLVMContext own;
  Expected<std::unique_ptr<Module>> joined = join(own);
  if (!joined)
    return joined.takeError();
  (*joined)->print(stream, nullptr);
  return Error::success();
}

Error Program::emit(bool assembly, raw_pwrite_stream &stream) const {
  LLVMContext own;
  Expected<std::unique_ptr<Module>> joined = join(own);
  if (!joined)
    return joined.takeError();
  return cpu::emit(**joined, *codes.front()->machine, assembly, stream);
}

Expected<std::vector<std::string>> Program::emitObjects() const {
  std::vector<std::string> objects(codes.size());
  Error error = forEach([&](size_t i) {
    SmallString<0> object;
    raw_svector_ostream stream(object);
    Error error = cpu::emit(*codes[i]->module, *codes[i]->machine, /*assembly=*/false, stream);
    objects[i] = std::string(object);
    return error;
  });
  if (error)
    return std::move(error);
  return objects;
}

} // namespace tssa::cpu
