//===- Describe.cpp - what a manifest says of a module -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/Signature.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "tssa/Pipeline/Compile.h"
#include "tssa/Target/CUDA.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa {

using runtime::DType;

static std::optional<DType> lookupDType(StringRef name) {
  for (unsigned i = 0; i < runtime::numDTypes; ++i)
    if (name == runtime::getName(DType(i)))
      return DType(i);
  return std::nullopt;
}

/// The element type that `tssa.dtype` names, or else the one the type implies.
static std::optional<DType> getDType(Type element, StringAttr given) {
  if (given)
    return lookupDType(given.getValue() == "i1" ? "bool" : given.getValue());
  if (element.isInteger(1))
    return DType::Bool;
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return lookupDType(text);
}

/// A dim of a result: a size, a symbol of the arguments, or something derived.
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

LogicalResult describeSignature(ModuleOp module, runtime::Manifest &manifest) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  te::EntrySymbols symbols(main);
  for (const te::EntrySymbol &symbol : symbols.get())
    manifest.symbols.push_back({symbol.name, int32_t(symbol.argument), int32_t(symbol.dim)});

  auto describe = [&](Type type, StringAttr name, StringAttr dtype, const Twine &fallback,
                      runtime::Port &port) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    std::optional<DType> element = tensor ? getDType(tensor.getElementType(), dtype) : std::nullopt;
    if (!element)
      return main.emitError("expected '") << (name ? name.str() : fallback.str())
                                          << "' to be a tensor that callers know, got " << type;
    port.name = name ? name.str() : fallback.str();
    port.dtype = *element;
    return success();
  };
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes())) {
    runtime::Port &port = manifest.inputs.emplace_back();
    if (failed(describe(type, main.getArgAttrOfType<StringAttr>(i, "tssa.name"),
                        main.getArgAttrOfType<StringAttr>(i, "tssa.dtype"), "input" + Twine(i),
                        port)))
      return failure();
    for (int64_t dim = 0, rank = cast<RankedTensorType>(type).getRank(); dim < rank; ++dim)
      port.dims.push_back(symbols.lookup(i, dim)
                              ? runtime::Dim::symbol(*symbols.lookup(i, dim))
                              : runtime::Dim::fixed(*symbols.lookupStatic(i, dim)));
  }
  for (auto [i, type] : llvm::enumerate(main.getResultTypes())) {
    runtime::Port &port = manifest.outputs.emplace_back();
    port.kind = runtime::Port::Out;
    if (auto argument = main.getResultAttrOfType<IntegerAttr>(i, "tssa.writes_back")) {
      port.kind = runtime::Port::Alias;
      port.aliasOf = argument.getInt();
      manifest.inputs[argument.getInt()].kind = runtime::Port::InOut;
    } else if (auto storage = main.getResultAttrOfType<IntegerAttr>(i, "tssa.alias_of")) {
      port.kind = runtime::Port::Alias;
      port.aliasOf = storage.getInt();
    }
    if (failed(describe(type, main.getResultAttrOfType<StringAttr>(i, "tssa.name"),
                        main.getResultAttrOfType<StringAttr>(i, "tssa.dtype"), "output" + Twine(i),
                        port)))
      return failure();
    auto dims = main.getResultAttrOfType<ArrayAttr>(i, "tssa.dims");
    for (auto [dim, size] : llvm::enumerate(cast<RankedTensorType>(type).getShape()))
      port.dims.push_back(
          getResultDim(size, dims && dim < dims.size() ? dims[dim] : Attribute(), symbols));
  }
  return success();
}

void describeMemory(ModuleOp module, runtime::Variant &variant) {
  auto plan = module.lookupSymbol<func::FuncOp>("plan");
  IntegerAttr bytes;
  if (matchPattern(plan.getBody().front().getTerminator()->getOperand(0), m_Constant(&bytes)))
    variant.memory.arenaBytes = bytes.getInt();
  module.lookupSymbol<func::FuncOp>("main").walk([&](Operation *op) {
    if (isa<te::ExternOp>(op) || (isa<memref::AllocOp>(op) && !op->hasAttr("te.result")))
      variant.memory.growable = true;
  });
}

static void describeKernels(ModuleOp module, runtime::Variant &variant) {
  auto list = module->getAttrOfType<ArrayAttr>(cuda::kernelsAttr);
  if (!list)
    return;
  for (auto entry : list.getAsRange<DictionaryAttr>()) {
    auto get = [&](StringRef name) { return entry.getAs<IntegerAttr>(name).getInt(); };
    runtime::Kernel &kernel = variant.kernels.emplace_back();
    kernel.name = entry.getAs<StringAttr>("name").str();
    kernel.parameters = get("parameters");
    kernel.threads = get("threads");
    kernel.sharedBytes = get("shared_bytes");
  }
}

void describeLaunches(ModuleOp module, runtime::Manifest &manifest, runtime::Variant &variant) {
  manifest.nodes.clear();
  for (auto entry : module->getAttrOfType<ArrayAttr>("te.nodes").getAsRange<ArrayAttr>())
    manifest.nodes.push_back({cast<StringAttr>(entry[0]).str(), cast<StringAttr>(entry[1]).str()});
  for (auto entry : module->getAttrOfType<ArrayAttr>("te.launches").getAsRange<ArrayAttr>()) {
    runtime::Launch &launch = variant.launches.emplace_back();
    launch.kernel = cast<StringAttr>(entry[0]).str();
    ArrayRef<int32_t> nodes = cast<DenseI32ArrayAttr>(entry[1]).asArrayRef();
    launch.nodes.assign(nodes.begin(), nodes.end());
    launch.flops = cast<IntegerAttr>(entry[2]).getInt();
  }
  describeKernels(module, variant);
}

} // namespace tssa
