//===- PTX.cpp - kernels to PTX -------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "tssa/Target/CUDA.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"

#include <mutex>

using namespace llvm;

namespace tssa::cuda {

static constexpr const char *targetTriple = "nvptx64-nvidia-cuda";

/// Returns the LLVM feature of the PTX version for `arch`: the oldest version that supports `arch`,
/// but at least 8.1, with which a kernel may have 32,764 bytes of parameters instead of 4,352.
/// Drivers accept it since CUDA 12.1.
static const char *getPTXFeature(const GPUArch &arch) {
  return arch.number >= 120 ? "+ptx87" : arch.number >= 100 ? "+ptx86" : "+ptx81";
}

static Error makeError(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

void registerTranslations(mlir::DialectRegistry &registry) {
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
}

/// Registers the target with LLVM, whose registry is not safe with several threads.
static void registerTarget() {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
}

Expected<std::unique_ptr<TargetMachine>> createTargetMachine(const GPUArch &arch) {
  static std::once_flag once;
  std::call_once(once, registerTarget);
  Triple triple(targetTriple);
  std::string message;
  const llvm::Target *target = TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return makeError(message);
  std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(triple, arch.getName(), getPTXFeature(arch), TargetOptions(),
                                  std::nullopt, std::nullopt, CodeGenOptLevel::Aggressive));
  if (!machine)
    return makeError("no code generator for " + arch.getName());
  return machine;
}

Expected<std::unique_ptr<Module>> translate(mlir::gpu::GPUModuleOp module, LLVMContext &context,
                                            const TargetMachine &target) {
  std::unique_ptr<Module> result = mlir::translateModuleToLLVMIR(module, context, deviceModule);
  if (!result)
    return makeError("translation of the kernels to LLVM IR failed");
  result->setTargetTriple(target.getTargetTriple());
  result->setDataLayout(target.createDataLayout());
  return result;
}

void optimize(Module &module, TargetMachine &target) {
  PassBuilder builder(&target);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3).run(module, modules);
}

Expected<std::string> emitPTX(Module &module, TargetMachine &target) {
  SmallString<0> text;
  raw_svector_ostream stream(text);
  legacy::PassManager manager;
  if (target.addPassesToEmitFile(manager, stream, nullptr, CodeGenFileType::AssemblyFile))
    return makeError("the target writes no PTX");
  manager.run(module);
  return std::string(text);
}

} // namespace tssa::cuda
