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
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SHA256.h"

#include <atomic>

using namespace llvm;

namespace tssa::cpu {

/// The code of one part. Each has its own LLVM context, so that parts can be compiled in parallel.
struct Program::Code {
  Part part;
  std::string key;
  std::unique_ptr<LLVMContext> context;
  std::unique_ptr<Module> module;
  /// The object, once it is known.
  std::optional<Object> object;
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

/// Adds the names of what an object uses and does not define.
static Error collectUndefined(StringRef object, StringSet<> &names) {
  auto file = object::ObjectFile::createObjectFile(MemoryBufferRef(object, "kernel"));
  if (!file)
    return file.takeError();
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (!flags || !name)
      return joinErrors(flags.takeError(), name.takeError());
    if ((*flags & object::SymbolRef::SF_Undefined) && !name->empty() && !isCalledLate(*name))
      names.insert(*name);
  }
  return Error::success();
}

/// Names what parts share, and lists what has to be compiled: parts with equal keys once.
Error Program::plan(mlir::ModuleOp module) {
  StringSet<> known;
  for (Part &part : splitProgram(module)) {
    auto code = std::make_unique<Code>();
    if (part.entry)
      code->key = options.keys.lookup(getName(part.entry));
    for (mlir::Operation *op : part.shared)
      options.optimize.shared[getName(op)] =
          code->key.empty() ? getName(op) + options.optimize.suffix : "kernel." + code->key;
    if (!code->key.empty() && !known.insert(code->key).second)
      continue;
    if (auto object = options.objects.find(code->key); object != options.objects.end()) {
      code->object = {std::move(object->second), code->key, /*isNew=*/false};
      if (Error error = collectUndefined(code->object->bytes, routines))
        return error;
    }
    code->part = std::move(part);
    codes.push_back(std::move(code));
  }
  for (mlir::Operation *op : codes.front()->part.declared)
    if (!isa<mlir::LLVM::LLVMFuncOp>(op))
      routines.insert(getName(op));
  for (StringRef name : routines.keys())
    options.optimize.shared[name] = name.str();
  return Error::success();
}

/// Links library routines to the host program, which defines for all parts what they use of them.
/// The programs of an artifact share these definitions.
Error Program::linkRoutines(Module &host) const {
  for (StringRef name : routines.keys())
    if (!host.getNamedValue(name))
      new GlobalVariable(host, PointerType::get(host.getContext(), 0), /*isConstant=*/false,
                         GlobalValue::ExternalLinkage, /*Initializer=*/nullptr, name);
  if (Error error = linkBitcode(host, getRoutinesBitcode(), /*onlyNeeded=*/true, options.machine))
    return error;
  for (StringRef name : routines.keys())
    if (GlobalValue *value = host.getNamedValue(name); value && !value->isDeclaration())
      value->setLinkage(GlobalValue::WeakAnyLinkage);
  if (!options.definesMemory)
    return Error::success();
  return linkBitcode(host, getMemoryBitcode(), /*onlyNeeded=*/false, options.machine);
}

/// Lets the linker keep one of the equal constants that several parts have. Their names in machine
/// code are hashes of their contents.
static void shareConstants(Module &module) {
  constexpr uint64_t leastBytes = 64;
  for (GlobalVariable &global : module.globals()) {
    if (!global.isConstant() || !global.hasLocalLinkage() || !global.hasInitializer() ||
        module.getDataLayout().getTypeAllocSize(global.getValueType()) < leastBytes)
      continue;
    std::string text = std::to_string(global.getAlign().valueOrOne().value()) + ' ';
    raw_string_ostream stream(text);
    global.getInitializer()->print(stream);
    global.setName("constant." + toHex(SHA256::hash(arrayRefFromStringRef(text))));
    global.setLinkage(GlobalValue::LinkOnceODRLinkage);
    global.setVisibility(GlobalValue::HiddenVisibility);
    global.setComdat(module.getOrInsertComdat(global.getName()));
  }
}

Error Program::translate(Code &code) const {
  if (code.object)
    return Error::success();
  Expected<std::unique_ptr<TargetMachine>> machine = createTargetMachine(options.machine);
  if (!machine)
    return machine.takeError();
  code.context = std::make_unique<LLVMContext>();
  mlir::OwningOpRef<mlir::ModuleOp> copy = code.part.clone();
  auto translated = cpu::translate(*copy, *code.context, **machine, options.machine);
  if (!translated)
    return translated.takeError();
  code.module = std::move(*translated);
  shareConstants(*code.module);
  if (!code.part.entry)
    if (Error error = linkRoutines(*code.module))
      return error;
  OptimizeOptions optimizeOptions = options.optimize;
  optimizeOptions.isKernel = code.part.entry != nullptr;
  optimize(*code.module, **machine, optimizeOptions);
  return options.keepsModules ? Error::success() : emitObject(code, **machine);
}

/// Emits the object of a part, and frees its module.
Error Program::emitObject(Code &code, TargetMachine &machine) const {
  SmallString<0> bytes;
  raw_svector_ostream stream(bytes);
  Error error = cpu::emit(*code.module, machine, /*assembly=*/false, stream);
  code.object = {std::string(bytes), code.key, /*isNew=*/true};
  code.module.reset();
  code.context.reset();
  return error;
}

Error Program::translate(mlir::ModuleOp module) {
  if (Error error = plan(module))
    return error;
  size_t kernels = llvm::count_if(
      codes, [](const std::unique_ptr<Code> &code) { return code->part.entry && !code->object; });
  auto show = [&](size_t done) {
    if (options.progress)
      options.progress(done, kernels);
  };
  show(0);
  std::atomic<size_t> done = 0;
  return forEach([&](size_t i) {
    bool isCounted = codes[i]->part.entry && !codes[i]->object;
    Error error = translate(*codes[i]);
    if (isCounted)
      show(++done);
    return error;
  });
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
  Expected<std::unique_ptr<TargetMachine>> machine = createTargetMachine(options.machine);
  if (!machine)
    return machine.takeError();
  return cpu::emit(**joined, **machine, assembly, stream);
}

std::vector<Object> Program::takeObjects() {
  std::vector<Object> objects;
  for (const std::unique_ptr<Code> &code : codes)
    objects.push_back(std::move(*code->object));
  return objects;
}

} // namespace tssa::cpu
