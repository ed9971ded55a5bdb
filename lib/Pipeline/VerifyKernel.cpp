//===- VerifyKernel.cpp - run one compiled kernel alone -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Pipeline/VerifyKernel.h"
#include "dialects/te/IR/Rounding.h"
#include "lib/Runtime/RunState.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Pass/PassManager.h"
#include "tssa/Conversion/KernelScratch.h"
#include "tssa/Externs/Externs.h"
#include "tssa/Reference/Window.h"
#include "tssa/Runtime/Artifact.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"

#include <cmath>
#include <cstring>

using namespace tssa;
using namespace tssa::reference;
namespace te = mlir::tssa::te;
using llvm::Error;
using llvm::Expected;

KernelSignature KernelSignature::get(te::KernelOp kernel) {
  KernelSignature signature;
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    signature.types.push_back(type);
    signature.windows.push_back(kernel.getArgumentWindow(i));
  }
  for (unsigned i = 0; i < kernel.getResultTypes().size(); ++i)
    signature.resultWindows.push_back(kernel.getResultWindow(i));
  return signature;
}

KernelRunner::KernelRunner() = default;
KernelRunner::~KernelRunner() = default;

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Defines `name(slots, results)`. The function calls `callee` with the 8-byte slots as arguments.
/// With `returns`, `callee` returns an integer or a struct, and the function stores it or its first
/// two fields in `results`.
static void defineCaller(llvm::Function *callee, llvm::StringRef name, bool returns) {
  llvm::LLVMContext &context = callee->getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0);
  llvm::SmallVector<llvm::Type *> types(returns ? 2 : 1, pointer);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
  auto *caller =
      llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, callee->getParent());
  caller->addFnAttrs(llvm::AttrBuilder(context, callee->getAttributes().getFnAttrs()));
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", caller));
  llvm::SmallVector<llvm::Value *> arguments;
  for (llvm::Argument &argument : callee->args()) {
    llvm::Value *slot =
        builder.CreateConstGEP1_64(builder.getInt64Ty(), caller->getArg(0), argument.getArgNo());
    arguments.push_back(builder.CreateLoad(argument.getType(), slot));
  }
  llvm::Value *result = builder.CreateCall(callee, arguments);
  bool isStruct = result->getType()->isStructTy();
  if (returns && !isStruct)
    builder.CreateStore(result, caller->getArg(1));
  for (unsigned i = 0; returns && isStruct && i < 2; ++i)
    builder.CreateStore(builder.CreateExtractValue(result, i),
                        builder.CreateConstGEP1_64(builder.getInt64Ty(), caller->getArg(1), i));
  builder.CreateRetVoid();
}

/// Sets the kernel's pointer to the math functions that a host would provide.
static void defineMath(llvm::Module &module) {
  llvm::GlobalVariable *math = module.getNamedGlobal("tssa_math");
  if (!math)
    return;
  auto address = reinterpret_cast<uintptr_t>(&runtime::evaluateMath);
  auto *type = llvm::Type::getInt64Ty(module.getContext());
  math->setInitializer(
      llvm::ConstantExpr::getIntToPtr(llvm::ConstantInt::get(type, address), math->getValueType()));
  math->setLinkage(llvm::GlobalValue::InternalLinkage);
}

/// Compiles kernel `name` to an object file that exports callers: `tssa_run` calls the kernel,
/// `tssa_plan` its extent function, and `tssa_scratch` the function that returns the bytes of the
/// memory of a thread, if there is one.
static Expected<std::string> compileAlone(mlir::ModuleOp module, llvm::StringRef name,
                                          const cpu::Machine &machine) {
  Expected<std::unique_ptr<llvm::TargetMachine>> target = cpu::createTargetMachine(machine);
  if (!target)
    return target.takeError();
  llvm::LLVMContext context;
  Expected<std::unique_ptr<llvm::Module>> code = cpu::translate(module, context, **target, machine);
  if (!code)
    return code.takeError();
  llvm::Function *kernel = (*code)->getFunction(name);
  llvm::Function *extent = (*code)->getFunction((name + ".extent").str());
  if (!kernel || !extent)
    return llvm::createStringError("kernel '" + name + "' has no code");
  defineCaller(kernel, "tssa_run", false);
  defineCaller(extent, "tssa_plan", true);
  if (llvm::Function *scratch = (*code)->getFunction(conversion::getScratchName(name)))
    defineCaller(scratch, "tssa_scratch", true);
  defineMath(**code);
  if (Error error = cpu::linkBitcode(**code, getMemoryBitcode(), /*onlyNeeded=*/false, machine))
    return error;
  cpu::OptimizeOptions options;
  options.isKernel = true;
  cpu::optimize(**code, **target, options);
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  if (Error error = cpu::emit(**code, **target, /*assembly=*/false, stream))
    return error;
  return std::string(object.data(), object.size());
}

/// Clones `function` to the end of `module`, after the functions that it calls.
static void cloneWithCalled(mlir::FunctionOpInterface function, mlir::ModuleOp module) {
  function->walk([&](mlir::func::CallOp call) {
    auto called = mlir::SymbolTable::lookupNearestSymbolFrom<mlir::FunctionOpInterface>(
        function, call.getCalleeAttr());
    if (called && !module.lookupSymbol(called.getName()))
      cloneWithCalled(called, module);
  });
  module.getBody()->push_back(function->clone());
}

/// Compiles kernel `name` of `module`, which is at the loops stage.
static Expected<KernelObject> compileFromLoops(mlir::ModuleOp module, llvm::StringRef name,
                                               const cpu::Machine &machine, bool verifiesPasses) {
  mlir::OwningOpRef<mlir::ModuleOp> alone = mlir::ModuleOp::create(module.getLoc());
  for (const std::string &symbol :
       {name.str(), (name + ".extent").str(), conversion::getScratchName(name)})
    if (auto function = module.lookupSymbol<mlir::FunctionOpInterface>(symbol))
      cloneWithCalled(function, *alone);
  for (auto constant : module.getOps<mlir::memref::GlobalOp>())
    alone->getBody()->push_back(constant->clone());
  mlir::PassManager manager(module.getContext());
  manager.enableVerifier(verifiesPasses);
  cpu::buildTargetCPUStage(manager, machine);
  if (failed(manager.run(*alone)))
    return llvm::createStringError("stage target failed on kernel '" + name + "'");
  Expected<std::string> bytes = compileAlone(*alone, name, machine);
  if (!bytes)
    return bytes.takeError();
  KernelObject object;
  object.bytes = std::move(*bytes);
  if (auto function = module.lookupSymbol<mlir::func::FuncOp>(name))
    object.scratchBytes = conversion::getScratchBytes(function);
  object.cpu = machine.cpu;
  object.features = cpu::getNeededFeatures(module, machine);
  object.hasScratch = module.lookupSymbol(conversion::getScratchName(name)) != nullptr;
  return object;
}

Expected<KernelObject> KernelRunner::compile(te::KernelOp kernel, const cpu::Machine &machine,
                                             bool verifiesPasses,
                                             llvm::function_ref<void(mlir::ModuleOp)> afterLoops) {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(kernel.getLoc());
  module->getBody()->push_back(kernel->clone());
  mlir::PassManager manager(kernel.getContext());
  manager.enableVerifier(verifiesPasses);
  cpu::buildLoopsStage(manager);
  if (failed(manager.run(*module)))
    return llvm::createStringError("stage loops failed on kernel '" + kernel.getSymName() + "'");
  if (afterLoops)
    afterLoops(*module);
  return compileFromLoops(*module, kernel.getSymName(), machine, verifiesPasses);
}

Expected<std::unique_ptr<KernelRunner>> KernelRunner::load(const KernelObject &object,
                                                           const KernelSignature &signature) {
  if (runtime::Status status = runtime::checkCPU("kernel", object.cpu, object.features);
      !status.ok())
    return llvm::createStringError(status.message);
  Expected<std::unique_ptr<llvm::orc::LLJIT>> jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  std::unique_ptr<KernelRunner> runner(new KernelRunner);
  runner->signature = signature;
  runner->scratchBytes = object.scratchBytes;
  runner->jit = std::move(*jit);
  if (Error error = runner->jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(object.bytes)))
    return error;
  auto call = runner->jit->lookup("tssa_run");
  if (!call)
    return call.takeError();
  auto extent = runner->jit->lookup("tssa_plan");
  if (!extent)
    return extent.takeError();
  if (object.hasScratch) {
    auto scratch = runner->jit->lookup("tssa_scratch");
    if (!scratch)
      return scratch.takeError();
    runner->scratch = scratch->toPtr<void (*)(const uint64_t *, int64_t *)>();
  }
  runner->call = call->toPtr<void (*)(const uint64_t *)>();
  runner->extent = extent->toPtr<void (*)(const uint64_t *, int64_t *)>();
  return runner;
}

Expected<std::unique_ptr<KernelRunner>> KernelRunner::create(te::KernelOp kernel,
                                                             const cpu::Machine &machine) {
  Expected<KernelObject> object = compile(kernel, machine);
  return object ? load(*object, KernelSignature::get(kernel)) : object.takeError();
}

Expected<std::unique_ptr<KernelRunner>>
KernelRunner::createFromLoops(mlir::ModuleOp module, llvm::StringRef name,
                              const KernelSignature &signature, const cpu::Machine &machine,
                              bool verifiesPasses) {
  Expected<KernelObject> object = compileFromLoops(module, name, machine, verifiesPasses);
  return object ? load(*object, signature) : object.takeError();
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

Expected<KernelExtent> KernelRunner::getExtent(const KernelMemory &memory) const {
  int64_t counts[2] = {0, 0};
  extent(memory.getScalars().data(), counts);
  if (counts[0] < 0)
    return llvm::createStringError("the kernel's extent is " + llvm::Twine(counts[0]));
  return KernelExtent{counts[0], counts[1]};
}

void KernelRunner::addScratch(llvm::SmallVectorImpl<uint64_t> &slots) const {
  thread_local runtime::Buffer memory;
  int64_t bytes = scratchBytes;
  if (scratch) {
    llvm::SmallVector<uint64_t> scalars;
    const uint64_t *slot = slots.data();
    for (mlir::Type type : signature.types) {
      bool isTensor = mlir::isa<mlir::RankedTensorType>(type); // a memref descriptor
      if (!isTensor)
        scalars.push_back(*slot);
      slot += isTensor ? 5 : 1;
    }
    scratch(scalars.data(), &bytes);
  }
  if (memory.getSize() < uint64_t(bytes) && !memory.allocate(uint64_t(bytes)))
    llvm::report_bad_alloc_error("no memory for the boxes of a kernel");
  auto address = reinterpret_cast<uint64_t>(memory.getData());
  slots.append({address, address, 0, uint64_t(bytes), 1});
}

Error KernelRunner::runInHalves(const KernelMemory &memory) const {
  Expected<KernelExtent> extent = getExtent(memory);
  if (!extent)
    return extent.takeError();
  int64_t middle = extent->count / 2;
  for (auto [from, to] : {std::pair(middle, extent->count), std::pair(int64_t(0), middle)})
    if (from < to)
      run(memory.getSlots(), from, to);
  return Error::success();
}

/// Replaces each tensor in a window by the larger tensor, with garbage around it.
static Error makeWholes(llvm::ArrayRef<te::WindowAttr> windows,
                        llvm::MutableArrayRef<HostTensor *> tensors) {
  for (auto [window, tensor] : llvm::zip_equal(windows, tensors)) {
    if (!window)
      continue;
    Expected<HostTensor> whole = makeWhole(*tensor, window);
    if (!whole)
      return whole.takeError();
    *tensor = std::move(*whole);
  }
  return Error::success();
}

/// Replaces the larger tensor in which result lies by the result, which has the type of `like`.
/// Fails if anything around it was written.
static Error takeResult(te::WindowAttr window, const HostTensor &like, HostTensor &result) {
  if (!window)
    return Error::success();
  Expected<HostTensor> part = takeFromWindow(result, like.getShape(), window);
  if (!part)
    return part.takeError();
  Expected<HostTensor> whole = makeWhole(*part, window);
  if (!whole)
    return whole.takeError();
  if (std::memcmp(whole->getData(), result.getData(), result.getNumBytes()) != 0)
    return llvm::createStringError("the kernel writes outside of the window of a result");
  result = std::move(*part);
  return Error::success();
}

Expected<std::vector<HostTensor>> KernelRunner::run(llvm::ArrayRef<HostValue> inputs,
                                                    llvm::ArrayRef<HostTensor> like) {
  llvm::SmallVector<HostValue> wholeInputs(inputs);
  std::vector<HostTensor> wholeResults(like);
  llvm::SmallVector<HostTensor *> tensors;
  for (HostValue &input : wholeInputs)
    tensors.push_back(input.tensor ? &*input.tensor : nullptr);
  if (Error error = makeWholes(signature.windows, tensors))
    return error;
  tensors.clear();
  for (HostTensor &result : wholeResults)
    tensors.push_back(&result);
  if (Error error = makeWholes(signature.resultWindows, tensors))
    return error;
  Expected<KernelMemory> memory = KernelMemory::create(signature.types, wholeInputs, wholeResults);
  if (!memory)
    return memory.takeError();
  if (Error error = runInHalves(*memory))
    return error;
  if (Error error = memory->check(wholeInputs))
    return error;
  Expected<std::vector<HostTensor>> results = memory->borrowResults();
  if (!results)
    return results.takeError();
  for (auto [i, result] : llvm::enumerate(*results)) {
    result.getMutableData(); // a copy, because the memory ends here
    if (Error error = takeResult(signature.resultWindows[i], like[i], result))
      return error;
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// Returns the largest number of values that `expression` combines to one element. The sizes of the
/// iteration domain are constants or scalars of `inputs`.
static int64_t countTerms(te::ExpressionOpInterface expression, llvm::ArrayRef<HostValue> inputs) {
  int64_t count = 1;
  if (expression.getCombiner().empty())
    return count;
  for (auto [dim, size] : llvm::enumerate(expression.getIterationDomain())) {
    if (expression.getDimKind(dim) == te::DimKind::Parallel)
      continue;
    auto value = llvm::dyn_cast<mlir::Value>(size);
    auto argument = llvm::dyn_cast_if_present<mlir::BlockArgument>(value);
    if (std::optional<int64_t> constant = mlir::getConstantIntValue(size))
      count *= std::max<int64_t>(*constant, 1);
    else if (argument && argument.getArgNumber() < inputs.size())
      count *= std::max<int64_t>(inputs[argument.getArgNumber()].scalar.i, 1);
  }
  return count;
}

static double getLargestMagnitude(llvm::ArrayRef<HostValue> inputs) {
  double largest = 0;
  for (const HostValue &input : inputs)
    if (input.tensor && isFloat(input.tensor->getKind()))
      for (int64_t i = 0; i < input.tensor->getNumElements(); ++i)
        if (double value = std::fabs(input.tensor->get(i).f); std::isfinite(value))
          largest = std::max(largest, value);
  return largest;
}

ComparePolicy tssa::getPolicy(const LaunchRecord &record, const HostTensor &result) {
  te::KernelOp kernel = record.kernel;
  llvm::ArrayRef<HostValue> inputs = record.inputs;
  int64_t numTerms = 1;
  ElementKind kind = result.getKind();
  kernel.walk([&](mlir::Operation *op) {
    if (auto expression = llvm::dyn_cast<te::ExpressionOpInterface>(op))
      numTerms = std::max(numTerms, countTerms(expression, inputs));
    // The last bit of what is rounded to tf32 is that of f16.
    if (te::isRoundToTF32(op) && kind != ElementKind::BF16)
      kind = ElementKind::F16;
    for (mlir::Type type : op->getResultTypes()) {
      if (type.isBF16() || (type.isF16() && kind != ElementKind::BF16))
        kind = type.isF16() ? ElementKind::F16 : ElementKind::BF16;
      else if (type.isF32() && kind == ElementKind::F64)
        kind = ElementKind::F32;
    }
  });
  if (!isFloat(result.getKind()))
    return ComparePolicy::exact();
  ComparePolicy policy = ComparePolicy::forSums(kind, numTerms);
  policy.absolute += policy.relative * std::max(record.sumMagnitude, getLargestMagnitude(inputs));
  return policy;
}
