//===- CUDA.h - code for NVIDIA GPUs ---------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiles device functions (docs/decisions/0004) to PTX and cubins. `buildTargetCUDAStage` leaves
/// the kernels in `gpu.module @device`, in the LLVM and NVVM dialects. `translate` makes an LLVM
/// module of it, `optimize` and `emitPTX` produce PTX, and `assemble` makes a cubin if ptxas is
/// found.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TARGET_CUDA_H
#define TSSA_TARGET_CUDA_H

#include "dialects/layout/IR/DeviceModel.h"
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

/// The name of the gpu.module that holds all kernels of a program.
constexpr llvm::StringLiteral deviceModule = "device";
/// A symbol that a program for the emulator exports: an array of the addresses of its
/// tssa_emulated_kernel structures, in the order of the kernels.
constexpr llvm::StringLiteral kernelTable = "tssa_kernels";
/// The name of the external byte array that holds the dynamic shared memory of each kernel.
constexpr llvm::StringLiteral sharedArray = "shared";

/// Returns the module of kernels of a program at the target stage, or null at an earlier stage.
mlir::gpu::GPUModuleOp getDeviceModule(mlir::ModuleOp module);

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

/// Adds the passes of the loops stage for devices: kernels to device functions, and cleanups.
void buildLoopsStage(mlir::OpPassManager &manager);

/// Adds the passes that convert device functions to kernels in LLVM and NVVM. They leave the host
/// program, which is in the same module, as it is.
void buildTargetCUDAStage(mlir::OpPassManager &manager);

/// Adds the passes that turn the result of `buildTargetCUDAStage` into emulated kernels and move
/// these into the host program.
void buildEmulatorStage(mlir::OpPassManager &manager);

/// Registers the passes of CUDA/Passes.td and the pipeline `cuda-target-stage`.
void registerTargetCUDAPasses();

/// Registers the translations that `translate` needs.
void registerTranslations(mlir::DialectRegistry &registry);

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// A GPU: what its code may use, and what the choice of schedules depends on.
struct Device {
  GPUArch arch;
  mlir::tssa::layout::DeviceModel model;
};

/// Returns a GPU of `arch`, one of compiledArchs. The numbers are those of a published one.
Device getDevice(const GPUArch &arch);

/// Returns the GPU as one line of text without its end, which `readDevice` reads.
std::string printDevice(const Device &device);

/// Reads what `printDevice` wrote. The text must be safe for the parser (Pipeline/CheckText.h).
llvm::Expected<Device> readDevice(llvm::StringRef text);

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// Creates the code generator for `arch`.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const GPUArch &arch);

llvm::Expected<std::unique_ptr<llvm::Module>> translate(mlir::gpu::GPUModuleOp module,
                                                        llvm::LLVMContext &context,
                                                        const llvm::TargetMachine &target);

/// Optimises `module` for speed.
void optimize(llvm::Module &module, llvm::TargetMachine &target);

/// Returns the PTX of an optimised module.
llvm::Expected<std::string> emitPTX(llvm::Module &module, llvm::TargetMachine &target);

/// What the assembler reports about a kernel.
struct Resources {
  int registers = 0;      ///< of one thread
  int64_t spillBytes = 0; ///< stored and loaded because registers ran out
};

struct Cubin {
  std::string bytes;
  llvm::StringMap<Resources> kernels;
};

/// Returns the path of ptxas, from $TSSA_PTXAS, $CUDA_HOME/bin or PATH. If no ptxas is found,
/// returns an empty string. If $TSSA_PTXAS does not name a program, returns an error.
llvm::Expected<std::string> findAssembler();

/// An error of ptxas itself, or one in its output.
class AssemblerError : public llvm::ErrorInfo<AssemblerError, llvm::StringError> {
public:
  static char ID;
  explicit AssemblerError(const std::string &text)
      : ErrorInfo(text, llvm::inconvertibleErrorCode()) {}
};

/// Runs ptxas. If it fails, the error contains the message of ptxas.
llvm::Expected<Cubin> assemble(llvm::StringRef assembler, llvm::StringRef ptx, const GPUArch &arch);

} // namespace tssa::cuda

#endif // TSSA_TARGET_CUDA_H
