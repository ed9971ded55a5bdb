//===- Codegen.cpp - LLVM dialect to objects -----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "tssa/Target/CPU.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"

using namespace llvm;

namespace tssa::cpu {

void registerTranslations(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
}

/// Names that a program, or a kernel that runs alone, exports if it defines them.
static constexpr StringRef exports[] = {"tssa_run", "tssa_plan", "tssa_kernels", "tssa_scratch"};

bool isCalledLate(StringRef name) {
  static constexpr StringRef names[] = {"memcpy", "memmove", "memset", "__truncdfhf2",
                                        "__truncsfbf2"};
  return is_contained(names, name);
}

static void setMachine(Function &function, const Machine &machine) {
  function.addFnAttr("target-cpu", "x86-64");
  function.addFnAttr("tune-cpu", machine.cpu);
  function.addFnAttr("target-features", machine.getFeatureString());
  function.addFnAttr("prefer-vector-width", std::to_string(machine.vectorBytes * 8));
  function.addFnAttr("min-legal-vector-width", std::to_string(machine.vectorBytes * 8));
  function.addFnAttr(Attribute::NoUnwind);
}

Expected<std::unique_ptr<Module>> translate(mlir::ModuleOp module, LLVMContext &context,
                                            const TargetMachine &target, const Machine &machine) {
  std::unique_ptr<Module> result = mlir::translateModuleToLLVMIR(module, context, "model");
  if (!result)
    return createStringError(inconvertibleErrorCode(), "translation to LLVM IR failed");
  result->setTargetTriple(target.getTargetTriple());
  result->setDataLayout(target.createDataLayout());
  result->setPICLevel(PICLevel::BigPIC);
  for (Function &function : *result)
    if (!function.isDeclaration())
      setMachine(function, machine);
  return result;
}

Error linkBitcode(Module &module, StringRef bitcode, bool onlyNeeded, const Machine &machine) {
  Expected<std::unique_ptr<Module>> routines =
      parseBitcodeFile(MemoryBufferRef(bitcode, "routines"), module.getContext());
  if (!routines)
    return routines.takeError();
  (*routines)->setTargetTriple(module.getTargetTriple());
  (*routines)->setDataLayout(module.getDataLayout());
  for (Function &function : **routines)
    if (!function.isDeclaration())
      setMachine(function, machine);
  unsigned flags = onlyNeeded ? Linker::Flags::LinkOnlyNeeded : Linker::Flags::None;
  if (Linker::linkModules(module, std::move(*routines), flags))
    return createStringError(inconvertibleErrorCode(), "linking of library routines failed");
  return Error::success();
}

/// Makes AddressSanitizer instrument each access, after all other optimisations.
static void watch(Module &module, ModulePassManager &passes) {
  for (Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr(Attribute::SanitizeAddress);
  AddressSanitizerOptions options;
  options.UseAfterReturn = AsanDetectStackUseAfterReturnMode::Never;
  passes.addPass(AddressSanitizerPass(options));
}

/// Gives a value its name in machine code. Equal kernels have the same.
static void setSharedName(GlobalValue &value, StringRef name) {
  if (GlobalValue *same = value.getParent()->getNamedValue(name); same && same != &value) {
    value.replaceAllUsesWith(same);
    value.eraseFromParent();
    return;
  }
  value.setVisibility(GlobalValue::HiddenVisibility);
  value.setDSOLocal(true);
  value.setName(name);
}

/// Decides which names a linker sees.
static void setVisibility(Module &module, const OptimizeOptions &options) {
  internalizeModule(module, [&](const GlobalValue &value) {
    return is_contained(exports, value.getName()) || isCalledLate(value.getName()) ||
           value.hasLinkOnceODRLinkage() || options.shared.contains(value.getName());
  });
  for (StringRef name : exports)
    if (GlobalValue *value = module.getNamedValue(name))
      value->setName(name + options.suffix);
  for (Function &function : module)
    if (isCalledLate(function.getName()))
      function.setVisibility(GlobalValue::HiddenVisibility);
  for (const auto &[name, linked] : options.shared)
    if (GlobalValue *value = module.getNamedValue(name))
      setSharedName(*value, linked);
}

/// The passes for kernels. What the whole pipeline of LLVM has beyond them takes three times as
/// long and makes no kernel measurably faster.
static constexpr char kernelPasses[] =
    "function(sroa,early-cse<memssa>,instcombine<max-iterations=1;no-verify-fixpoint>,"
    "simplifycfg,reassociate,loop-mssa(licm,loop-rotate,licm),gvn,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,dse,simplifycfg),deadargelim";

static ModulePassManager buildPasses(PassBuilder &builder, const OptimizeOptions &options) {
  if (!options.isKernel)
    return builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3);
  ModulePassManager passes;
  cantFail(builder.parsePassPipeline(passes, kernelPasses));
  return passes;
}

/// Returns the only lane of a constant mask, or nothing if it has another number of lanes.
static std::optional<unsigned> findOnlyLane(Value *mask) {
  auto *constant = dyn_cast<Constant>(mask);
  auto *type = dyn_cast<FixedVectorType>(mask->getType());
  std::optional<unsigned> found;
  for (unsigned lane = 0; constant && type && lane < type->getNumElements(); ++lane) {
    auto *bit = dyn_cast_or_null<ConstantInt>(constant->getAggregateElement(lane));
    if (!bit || (bit->isOne() && found))
      return std::nullopt;
    if (bit->isOne())
      found = lane;
  }
  return found;
}

/// Writes masked stores of one lane as stores of an element, as LLVM would do. If the lanes are
/// truncated before, LLVM 22 stores the element that is not truncated yet, and so writes beyond it
/// (llvm-project, issue 179489).
static void storeSingleLanes(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      if (!call || call->getIntrinsicID() != Intrinsic::masked_store)
        continue;
      std::optional<unsigned> lane = findOnlyLane(call->getArgOperand(call->arg_size() - 1));
      if (!lane)
        continue;
      IRBuilder<> builder(call);
      Value *vector = call->getArgOperand(0);
      Value *element = builder.CreateExtractElement(vector, *lane);
      Value *address =
          builder.CreateConstInBoundsGEP1_64(element->getType(), call->getArgOperand(1), *lane);
      StoreInst *store = builder.CreateAlignedStore(element, address, Align(1));
      store->copyMetadata(*call);
      call->eraseFromParent();
    }
}

void optimize(Module &module, TargetMachine &target, const OptimizeOptions &options) {
  setVisibility(module, options);
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopUnrolling = false;
  tuning.LoopInterleaving = false;
  PassBuilder builder(&target, tuning);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager passes = buildPasses(builder, options);
  if (options.sanitize)
    watch(module, passes);
  passes.run(module, modules);
  storeSingleLanes(module);
}

Error emit(Module &module, TargetMachine &target, bool assembly, raw_pwrite_stream &stream) {
  legacy::PassManager manager;
  CodeGenFileType type = assembly ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile;
  if (target.addPassesToEmitFile(manager, stream, nullptr, type))
    return createStringError(inconvertibleErrorCode(), "the target cannot write this kind of file");
  manager.run(module);
  return Error::success();
}

} // namespace tssa::cpu
