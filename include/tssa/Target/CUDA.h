//===- CUDA.h - code for NVIDIA GPUs ---------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// From device functions (docs/decisions/0004) to PTX and cubins:
/// `buildTargetCUDAStage` leaves the kernels in `gpu.module @device`, in the LLVM
/// and NVVM dialects, `translate` makes an LLVM module of it, `optimize` and
/// `emitPTX` the text, `assemble` a cubin where ptxas is found.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TARGET_CUDA_H
#define TSSA_TARGET_CUDA_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "tssa/Target/Target.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <optional>

namespace tssa::cuda {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Of the gpu.module that holds all kernels of a program.
constexpr llvm::StringLiteral deviceModule = "device";
/// Exported by a program for the emulator: the addresses of its tssa_emulated_kernel,
/// in the order of the kernels.
constexpr llvm::StringLiteral kernelTable = "tssa_kernels";
/// Of the external array of bytes in which every kernel's shared memory lies.
constexpr llvm::StringLiteral sharedArray = "shared";

/// The kernels of a module at stage target, null before.
mlir::gpu::GPUModuleOp getDeviceModule(mlir::ModuleOp module);

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

/// Stage loops for devices: kernels to device functions, cleaned up.
void buildLoopsStage(mlir::OpPassManager &manager);

/// Passes that take device functions to kernels in LLVM and NVVM. What stands beside
/// them in the module, the host program, is left as it is.
void buildTargetCUDAStage(mlir::OpPassManager &manager);

/// Passes that make emulated kernels of what `buildTargetCUDAStage` leaves, and parts
/// of the host program of them.
void buildEmulatorStage(mlir::OpPassManager &manager);

/// Registers the passes of CUDA/Passes.td and the pipeline `cuda-target-stage`.
void registerTargetCUDAPasses();

/// Registers the translations that `translate` needs.
void registerTranslations(mlir::DialectRegistry &registry);

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// The code generator for `arch`, such as 90.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(int arch);

llvm::Expected<std::unique_ptr<llvm::Module>> translate(mlir::gpu::GPUModuleOp module,
                                                        llvm::LLVMContext &context,
                                                        const llvm::TargetMachine &target);

/// Optimises for speed.
void optimize(llvm::Module &module, llvm::TargetMachine &target);

/// The text of an optimised module.
llvm::Expected<std::string> emitPTX(llvm::Module &module, llvm::TargetMachine &target);

/// What the assembler says of a kernel.
struct Resources {
  int registers = 0;      ///< of a thread
  int64_t spillBytes = 0; ///< stored and loaded because registers ran out
};

struct Cubin {
  std::string bytes;
  llvm::StringMap<Resources> kernels;
};

/// The path of ptxas: $TSSA_PTXAS, $CUDA_HOME/bin, or PATH. Empty when there is none;
/// an error when $TSSA_PTXAS names no program.
llvm::Expected<std::string> findAssembler();

/// What is wrong with ptxas or with what it says.
class AssemblerError : public llvm::ErrorInfo<AssemblerError, llvm::StringError> {
public:
  static char ID;
  explicit AssemblerError(const std::string &text)
      : ErrorInfo(text, llvm::inconvertibleErrorCode()) {}
};

/// Runs ptxas; its message is the error's.
llvm::Expected<Cubin> assemble(llvm::StringRef assembler, llvm::StringRef ptx, int arch);

} // namespace tssa::cuda

#endif // TSSA_TARGET_CUDA_H
