//===- OutlineKernels.cpp - a module of their own for device functions ----===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The pass cuda-outline-kernels, in four steps:
/// 1. Device functions move to `gpu.module @device`.
/// 2. Their memref parameters become pointers, because kernels do not use the size in a memref.
/// 3. Workgroup memory moves to address space 3. Its dynamic part is one external array that all
///    kernels use.
/// 4. The module's `te.kernels` lists what the manifest says about the kernels.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/Program.h"
#include "dialects/te/IR/TEDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "tssa/Target/CUDA.h"
#include "tssa/Target/CUDA/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa::cuda {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "tssa/Target/CUDA/Passes.h.inc"

namespace {

/// The number of NVPTX's address space for shared memory.
constexpr unsigned sharedSpace = unsigned(NVVM::NVVMMemorySpace::Shared);
/// The alignment of shared memory in bytes.
constexpr uint64_t sharedAlignment = 128;

/// Builds a memref on `pointer`, in the layout of MLIR's memref-to-LLVM conversion. Its size stays
/// undefined; `checkParameters` refuses kernels that ask for it.
Value createMemRef(OpBuilder &builder, Location loc, MemRefType type, Value pointer) {
  Type i64 = builder.getI64Type();
  auto array = LLVM::LLVMArrayType::get(i64, 1);
  auto descriptor = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), {pointer.getType(), pointer.getType(), i64, array, array});
  Value value = LLVM::PoisonOp::create(builder, loc, descriptor);
  auto insert = [&](Value field, ArrayRef<int64_t> position) {
    value = LLVM::InsertValueOp::create(builder, loc, value, field, position);
  };
  insert(pointer, {0});
  insert(pointer, {1});
  insert(LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(0)), {2});
  insert(LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(1)), {4, 0});
  return UnrealizedConversionCastOp::create(builder, loc, type, value).getResult(0);
}

/// Checks that the parameters fit into the memory for them, of which PTX 8.1 allows this much.
LogicalResult checkParameterBytes(func::FuncOp kernel) {
  constexpr int64_t mostBytes = 32764;
  int64_t bytes = 0;
  for (Type type : kernel.getArgumentTypes()) {
    int64_t own = type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8) : 8;
    bytes = llvm::alignTo(bytes, own) + own;
  }
  if (bytes <= mostBytes)
    return success();
  return kernel.emitError("has ") << bytes << " bytes of parameters, more than the " << mostBytes
                                  << " that a kernel for CUDA can have";
}

LogicalResult checkParameters(func::FuncOp kernel) {
  if (kernel.getNumResults() != 0 || kernel.isExternal())
    return kernel.emitError("expected a device function with a body and no results");
  if (failed(checkParameterBytes(kernel)))
    return failure();
  for (Type type : kernel.getArgumentTypes()) {
    auto memref = dyn_cast<MemRefType>(type);
    if (memref && (memref.getRank() != 1 || !memref.getLayout().isIdentity()))
      return kernel.emitError("expected memrefs of one dim as parameters of a device function, ")
             << "got " << type;
  }
  WalkResult walk = kernel.walk([&](memref::DimOp dim) {
    if (!isa<BlockArgument>(dim.getSource()))
      return WalkResult::advance();
    dim.emitError("a device function cannot read the size of its parameter");
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

void replaceParameters(func::FuncOp kernel) {
  Block &entry = kernel.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  Type pointer = LLVM::LLVMPointerType::get(kernel.getContext());
  for (BlockArgument argument : entry.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type)
      continue;
    argument.setType(pointer);
    Value memref = createMemRef(builder, kernel.getLoc(), type, argument);
    SmallPtrSet<Operation *, 4> own;
    for (Operation *user : argument.getUsers())
      if (isa<LLVM::InsertValueOp>(user))
        own.insert(user);
    argument.replaceAllUsesExcept(memref, own);
  }
  kernel.setFunctionType(FunctionType::get(kernel.getContext(), entry.getArgumentTypes(), {}));
}

/// Moves workgroup memory to the number of its address space, and all other memory to the generic
/// address space.
void numberMemorySpaces(gpu::GPUModuleOp module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](MemRefType type) -> std::optional<Type> {
    auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
    if (!space)
      return std::nullopt;
    Attribute number;
    if (space.getValue() == gpu::AddressSpace::Workgroup)
      number = IntegerAttr::get(IntegerType::get(type.getContext(), 64), sharedSpace);
    return MemRefType::get(type.getShape(), type.getElementType(), type.getLayout(), number);
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

void replaceSharedMemory(gpu::GPUModuleOp module) {
  SmallVector<gpu::DynamicSharedMemoryOp> ops;
  module.walk([&](gpu::DynamicSharedMemoryOp op) { ops.push_back(op); });
  if (ops.empty())
    return;
  MLIRContext *context = module.getContext();
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
  LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/false,
                         LLVM::Linkage::External, sharedArray, Attribute(), sharedAlignment,
                         sharedSpace);
  Type pointer = LLVM::LLVMPointerType::get(context, sharedSpace);
  for (gpu::DynamicSharedMemoryOp op : ops) {
    builder.setInsertionPoint(op);
    Value address = LLVM::AddressOfOp::create(builder, op.getLoc(), pointer, sharedArray);
    op.replaceAllUsesWith(createMemRef(builder, op.getLoc(), op.getType(), address));
    op.erase();
  }
}

struct OutlineKernels : impl::OutlineKernelsBase<OutlineKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto device = gpu::GPUModuleOp::create(builder, module.getLoc(), deviceModule);
    SmallVector<te::DeviceKernelAttr> kernels;
    for (auto kernel : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      te::BlockAttr block = te::getBlock(kernel);
      if (!block)
        continue;
      if (failed(checkParameters(kernel)))
        return signalPassFailure();
      replaceParameters(kernel);
      kernels.push_back(te::DeviceKernelAttr::get(&getContext(), kernel.getSymNameAttr(),
                                                  kernel.getNumArguments(), block));
      kernel->moveBefore(device.getBody(), device.getBody()->end());
    }
    te::setTable<te::DeviceKernelAttr>(module, kernels);
    numberMemorySpaces(device);
    replaceSharedMemory(device);
  }
};

} // namespace

gpu::GPUModuleOp getDeviceModule(ModuleOp module) {
  return module.lookupSymbol<gpu::GPUModuleOp>(deviceModule);
}

} // namespace tssa::cuda
