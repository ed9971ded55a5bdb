//===- Describe.cpp - a module's description in the manifest --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/KernelAmounts.h"
#include "dialects/te/Analysis/Signature.h"
#include "dialects/te/IR/Program.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "tssa/Builder/DType.h"
#include "tssa/Conversion/KernelScratch.h"
#include "tssa/Pipeline/Compile.h"
#include "tssa/Target/CUDA.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa {

using runtime::DType;

/// Returns a dim of a result: a static size, a symbol of the arguments, or a derived size.
static runtime::Dim getResultDim(int64_t size, Attribute dim, const te::EntrySymbols &symbols) {
  if (ShapedType::isStatic(size))
    return runtime::Dim::fixed(size);
  auto name = dyn_cast_or_null<StringAttr>(dim);
  if (!name)
    return runtime::Dim::derived();
  if (std::optional<unsigned> symbol = symbols.lookup(name.getValue()))
    return runtime::Dim::symbol(*symbol);
  return runtime::Dim::derived(name.str());
}

/// Returns the strings or the keys of a port.
static runtime::Labels getLabels(te::PortAttr port) {
  ArrayAttr values = port && port.getKeys() ? port.getKeys() : port ? port.getStrings() : nullptr;
  if (!values)
    return {};
  runtime::Labels labels;
  for (Attribute value : values)
    if (auto text = dyn_cast<StringAttr>(value))
      labels.strings.push_back(text.str());
    else
      labels.ints.push_back(cast<IntegerAttr>(value).getInt());
  labels.kind = port.getStrings()     ? runtime::Labels::Strings
                : labels.ints.empty() ? runtime::Labels::StringKeys
                                      : runtime::Labels::IntKeys;
  return labels;
}

LogicalResult describeSignature(ModuleOp module, runtime::Manifest &manifest) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  te::EntrySymbols symbols(main);
  for (const te::EntrySymbol &symbol : symbols.get())
    manifest.symbols.push_back({symbol.name, int32_t(symbol.argument), int32_t(symbol.dim)});

  auto describe = [&](Type type, te::PortAttr port, const Twine &fallback,
                      runtime::Port &described) -> LogicalResult {
    described.name = te::getName(port, fallback);
    auto tensor = dyn_cast<RankedTensorType>(type);
    std::optional<DType> dtype;
    if (tensor)
      dtype =
          operators::findDType(port && port.getType() ? port.getType() : tensor.getElementType());
    if (!dtype)
      return main.emitError("expected '")
             << described.name << "' to be a tensor that callers know, got " << type;
    described.dtype = *dtype;
    return success();
  };
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes())) {
    runtime::Port &port = manifest.inputs.emplace_back();
    if (failed(describe(type, te::getArgumentPort(main, i), "input" + Twine(i), port)))
      return failure();
    for (int64_t dim = 0, rank = cast<RankedTensorType>(type).getRank(); dim < rank; ++dim)
      port.dims.push_back(symbols.lookup(i, dim)
                              ? runtime::Dim::symbol(*symbols.lookup(i, dim))
                              : runtime::Dim::fixed(*symbols.lookupStatic(i, dim)));
  }
  for (auto [i, type] : llvm::enumerate(main.getResultTypes())) {
    runtime::Port &port = manifest.outputs.emplace_back();
    te::PortAttr known = te::getResultPort(main, i);
    port.kind = runtime::Port::Out;
    if (known && known.getWritesBack()) {
      port.kind = runtime::Port::Alias;
      port.aliasOf = *known.getWritesBack();
      manifest.inputs[*known.getWritesBack()].kind = runtime::Port::InOut;
    } else if (known && known.getAliasOf()) {
      port.kind = runtime::Port::Alias;
      port.aliasOf = *known.getAliasOf();
    }
    if (failed(describe(type, known, "output" + Twine(i), port)))
      return failure();
    port.labels = getLabels(known);
    for (auto [dim, size] : llvm::enumerate(cast<RankedTensorType>(type).getShape()))
      port.dims.push_back(getResultDim(size, known ? known.getDim(dim) : Attribute(), symbols));
  }
  return success();
}

void describeMemory(ModuleOp module, runtime::Variant &variant) {
  auto plan = module.lookupSymbol<func::FuncOp>("plan");
  IntegerAttr bytes;
  if (matchPattern(plan.getBody().front().getTerminator()->getOperand(0), m_Constant(&bytes)))
    variant.memory.arenaBytes = bytes.getInt();
  module.lookupSymbol<func::FuncOp>("main").walk([&](Operation *op) {
    if (isa<te::ExternOp, memref::AllocOp>(op))
      variant.memory.growable = true;
  });
}

void describeScratch(ModuleOp module, runtime::Variant &variant) {
  module.lookupSymbol<func::FuncOp>("main").walk([&](te::LaunchOp launch) {
    auto kernel = module.lookupSymbol<func::FuncOp>(launch.getKernel());
    if (!kernel)
      return;
    variant.memory.scratchBytes =
        std::max(variant.memory.scratchBytes, conversion::getScratchBytes(kernel));
    variant.memory.growable |=
        module.lookupSymbol(conversion::getScratchName(kernel.getSymName())) != nullptr;
  });
}

static void describeKernels(ModuleOp module, runtime::Variant &variant) {
  for (te::DeviceKernelAttr known : te::getTable<te::DeviceKernelAttr>(module)) {
    runtime::Kernel &kernel = variant.kernels.emplace_back();
    kernel.name = known.getName().str();
    kernel.parameters = known.getParameters();
    kernel.threads = known.getBlock().getThreads();
    kernel.sharedBytes = known.getBlock().getSharedBytes();
  }
}

KernelBytes countKernelBytes(ModuleOp module) {
  KernelBytes all;
  for (auto kernel : module.getOps<te::KernelOp>()) {
    te::KernelAmounts amounts = te::getAmounts(kernel);
    te::Polynomial bytes = amounts.getReadBytes() + amounts.getWrittenBytes();
    if (std::optional<int64_t> known = bytes.getConstant(); known && *known >= 0)
      all[kernel.getSymName()] = *known;
  }
  return all;
}

void describeLaunches(ModuleOp module, const KernelBytes &bytes, runtime::Manifest &manifest,
                      runtime::Variant &variant) {
  manifest.nodes.clear();
  for (te::NodeAttr node : te::getTable<te::NodeAttr>(module))
    manifest.nodes.push_back({node.getName().str(), node.getOp().str()});
  for (te::LaunchRecordAttr known : te::getTable<te::LaunchRecordAttr>(module)) {
    runtime::Launch &launch = variant.launches.emplace_back();
    launch.kernel = known.getKernel().str();
    ArrayRef<int32_t> nodes = known.getNodes().asArrayRef();
    launch.nodes.assign(nodes.begin(), nodes.end());
    launch.flops = known.getFlops().value_or(-1);
    if (auto moved = bytes.find(launch.kernel); moved != bytes.end())
      launch.bytes = moved->second;
  }
  describeKernels(module, variant);
}

} // namespace tssa
