//===- Emulate.cpp - kernels for the emulator -----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The pass `cuda-emulate`: each kernel of a gpu.module, in the LLVM and NVVM dialects, becomes a
/// function and a constant as include/tssa/emulator.h describes them.
///
/// 1. The body of the kernel moves to `@k.emu(emulator, params)`, which loads its parameters.
/// 2. NVVM ops become loads from the emulator and calls of it, and a check is inserted before each
///    access to memory that other threads can see (EmulateOps.cpp, EmulateTensorCores.cpp).
/// 3. The globals of address space 3 become offsets into the block's shared memory, one after the
///    other. The dynamic part follows them.
/// 4. Address spaces are removed, and the operations that call the emulator are listed in a table
///    (EmulationSites.cpp).
///
//===----------------------------------------------------------------------===//

#include "Emulate.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "tssa/Target/CUDA.h"
#include "tssa/Target/CUDA/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tssa::cuda {
#define GEN_PASS_DEF_EMULATEKERNELS
#include "tssa/Target/CUDA/Passes.h.inc"

namespace {

constexpr unsigned sharedSpace = unsigned(NVVM::NVVMMemorySpace::Shared);

/// Assigns the globals of address space 3 to offsets in the shared memory of a block.
class SharedLayout {
public:
  explicit SharedLayout(gpu::GPUModuleOp module) {
    DataLayout layout(module);
    for (auto global : module.getOps<LLVM::GlobalOp>()) {
      if (global.getAddrSpace() != sharedSpace)
        continue;
      uint64_t size = layout.getTypeSize(global.getType());
      if (size == 0) {
        dynamic.push_back(global);
        continue;
      }
      bytes = llvm::alignTo(bytes, alignment);
      offsets[global.getSymName()] = bytes;
      bytes += size;
    }
    bytes = llvm::alignTo(bytes, alignment);
    for (LLVM::GlobalOp global : dynamic)
      offsets[global.getSymName()] = bytes;
  }

  std::optional<uint64_t> lookup(StringRef name) const {
    auto offset = offsets.find(name);
    return offset == offsets.end() ? std::nullopt : std::optional(offset->second);
  }
  /// The size in bytes of all globals that are not dynamic.
  uint64_t getStaticBytes() const { return bytes; }

private:
  static constexpr uint64_t alignment = 128;
  SmallVector<LLVM::GlobalOp> dynamic;
  llvm::StringMap<uint64_t> offsets;
  uint64_t bytes = 0;
};

/// Returns the largest number of threads of a block of the kernel.
int32_t getMaxThreads(LLVM::LLVMFuncOp kernel) {
  auto sizes = kernel->getAttrOfType<DenseI32ArrayAttr>(NVVM::NVVMDialect::getMaxntidAttrName());
  int32_t threads = sizes ? 1 : 1024;
  if (sizes)
    for (int32_t size : sizes.asArrayRef())
      threads *= size;
  return threads;
}

/// Moves the body of a kernel to `@k.emu(emulator, params)`. Fills `parameters` with the values
/// that `@k.emu` loads from `params`.
LLVM::LLVMFuncOp moveBody(LLVM::LLVMFuncOp kernel, SmallVectorImpl<Value> &parameters) {
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(kernel.getContext());
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(kernel.getContext()), {pointer, pointer});
  auto function = LLVM::LLVMFuncOp::create(builder, loc, (kernel.getSymName() + ".emu").str(), type,
                                           LLVM::Linkage::Internal);
  for (NamedAttribute attr : kernel->getDiscardableAttrs())
    if (!attr.getName().getValue().starts_with("nvvm."))
      function->setAttr(attr.getName(), attr.getValue());
  function.getBody().takeBody(kernel.getBody());
  Block &body = function.getBody().front();
  unsigned numParameters = body.getNumArguments();
  body.addArguments({pointer, pointer}, {loc, loc});
  builder.setInsertionPointToStart(&body);
  for (unsigned i = 0; i < numParameters; ++i) {
    Type param = body.getArgument(i).getType();
    Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer, body.getArguments().back(),
                                     ArrayRef<LLVM::GEPArg>{int32_t(i)});
    Value address = LLVM::LoadOp::create(builder, loc, pointer, slot);
    bool isBool = param.isInteger(1); // one byte in memory
    Type stored = isBool ? Type(builder.getI8Type()) : param;
    Value value = LLVM::LoadOp::create(builder, loc, stored, address);
    if (isBool)
      value = LLVM::TruncOp::create(builder, loc, param, value);
    parameters.push_back(value);
    body.getArgument(i).replaceAllUsesWith(value);
  }
  body.eraseArguments(0, numParameters);
  return function;
}

/// Replaces addresses of shared globals by addresses in the block's shared memory.
void lowerSharedAddresses(LLVM::LLVMFuncOp function, const SharedLayout &layout) {
  SmallVector<LLVM::AddressOfOp> ops;
  function.walk([&](LLVM::AddressOfOp op) { ops.push_back(op); });
  Value emulator = function.getBody().front().getArgument(0);
  for (LLVM::AddressOfOp op : ops) {
    std::optional<uint64_t> offset = layout.lookup(op.getGlobalName());
    if (!offset)
      continue;
    OpBuilder builder(op);
    Location loc = op.getLoc();
    auto at = [&](Type type, Value base, uint64_t bytes) -> Value {
      return LLVM::GEPOp::create(builder, loc, type, builder.getI8Type(), base,
                                 ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
    };
    Type generic = LLVM::LLVMPointerType::get(op.getContext());
    Value field = at(generic, emulator, offsetof(tssa_emulator, shared));
    auto shared = LLVM::LoadOp::create(builder, loc, op.getType(), field);
    shared.setInvariantAttr(builder.getUnitAttr());
    op.replaceAllUsesWith(*offset ? at(op.getType(), shared, *offset) : Value(shared));
    op.erase();
  }
}

/// Moves all pointers to the generic address space.
void forgetAddressSpaces(gpu::GPUModuleOp module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [](LLVM::LLVMPointerType type) { return LLVM::LLVMPointerType::get(type.getContext()); });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  SmallVector<LLVM::AddrSpaceCastOp> casts;
  module.walk([&](LLVM::AddrSpaceCastOp cast) { casts.push_back(cast); });
  for (LLVM::AddrSpaceCastOp cast : casts) {
    cast.replaceAllUsesWith(cast.getArg());
    cast.erase();
  }
  for (auto global : llvm::make_early_inc_range(module.getOps<LLVM::GlobalOp>())) {
    if (global.getAddrSpace() == sharedSpace)
      global.erase();
    else
      global.setAddrSpace(0);
  }
}

struct EmulateKernels : impl::EmulateKernelsBase<EmulateKernels> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    SharedLayout layout(module);
    for (auto kernel : llvm::make_early_inc_range(module.getOps<LLVM::LLVMFuncOp>())) {
      if (kernel.isExternal()) {
        kernel.erase();
        continue;
      }
      if (failed(emulate(kernel, layout)))
        return signalPassFailure();
    }
    forgetAddressSpaces(module);
  }

  LogicalResult emulate(LLVM::LLVMFuncOp kernel, const SharedLayout &layout) {
    if (!kernel->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      return kernel.emitError("expected only kernels, got a function that kernels could call");
    std::string name = kernel.getSymName().str();
    tssa_emulated_kernel fields{};
    fields.num_params = static_cast<int32_t>(kernel.getNumArguments());
    fields.static_shared_bytes = static_cast<int32_t>(layout.getStaticBytes());
    fields.min_threads = 1;
    fields.max_threads = getMaxThreads(kernel);
    SmallVector<Value> parameters;
    LLVM::LLVMFuncOp function = moveBody(kernel, parameters);
    EmulationSites sites;
    if (failed(KernelEmulation(function, parameters, sites).run()))
      return failure();
    lowerSharedAddresses(function, layout);
    OpBuilder builder(kernel);
    sites.define(builder, function, name, fields);
    kernel.erase();
    return success();
  }
};

} // namespace

} // namespace tssa::cuda
