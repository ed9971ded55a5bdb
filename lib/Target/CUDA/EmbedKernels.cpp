//===- EmbedKernels.cpp - emulated kernels beside the host program -------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/Program.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tssa/Target/CUDA.h"
#include "tssa/Target/CUDA/Passes.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa::cuda {
#define GEN_PASS_DEF_EMBEDKERNELS
#include "tssa/Target/CUDA/Passes.h.inc"

namespace {

/// Defines the table of kernels: an array of the addresses of `@<kernel>.emulated`.
void defineTable(ModuleOp module, ArrayRef<te::DeviceKernelAttr> kernels) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location loc = module.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(module.getContext());
  auto type = LLVM::LLVMArrayType::get(pointer, kernels.size());
  auto table = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                      LLVM::Linkage::External, kernelTable, Attribute());
  builder.createBlock(&table.getInitializerRegion());
  Value value = LLVM::PoisonOp::create(builder, loc, type);
  for (auto [i, kernel] : llvm::enumerate(kernels)) {
    std::string name = (kernel.getName().getValue() + ".emulated").str();
    Value address = LLVM::AddressOfOp::create(builder, loc, pointer, name);
    value = LLVM::InsertValueOp::create(builder, loc, value, address, i);
  }
  LLVM::ReturnOp::create(builder, loc, value);
}

struct EmbedKernels : impl::EmbedKernelsBase<EmbedKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    gpu::GPUModuleOp device = getDeviceModule(module);
    if (!device || !te::hasTable<te::DeviceKernelAttr>(module)) {
      module.emitError("expected kernels in 'gpu.module @") << deviceModule << "'";
      return signalPassFailure();
    }
    Block *host = module.getBody();
    host->getOperations().splice(host->end(), device.getBody()->getOperations());
    device.erase();
    defineTable(module, te::getTable<te::DeviceKernelAttr>(module));
  }
};

} // namespace

} // namespace tssa::cuda
