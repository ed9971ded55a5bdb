//===- VariantBuild.cpp - builds a program for one target -----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VariantBuild.h"
#include "dialects/te/IR/Program.h"
#include "dialects/te/Transforms/WeightCollector.h"
#include "mlir/IR/Verifier.h"
#include "tssa/Pipeline/Schedules.h"
#include "tssa/Target/CUDA.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa {

/// Returns the machine of the host program of a variant. Beside a GPU, it only starts launches, so
/// it runs on any host and does not depend on the one that compiles.
static cpu::Machine getHost(const VariantTarget &variant) {
  return variant.target.kind == Target::CUDA ? llvm::cantFail(cpu::resolveMachine("x86-64-v3"))
                                             : variant.machine;
}

VariantBuild::VariantBuild(const CompileOptions &options, unsigned number,
                           const VariantBuild *earlier)
    : options(options), target(options.variants[number].target),
      machine(getHost(options.variants[number])), number(number), earlier(earlier),
      cache(options, machine) {
  description.target = target.getName();
  if (number > 0)
    description.suffix = "_" + std::to_string(number);
  description.triple = machine.triple;
  description.cpu = machine.cpu;
  device = options.device && options.device->arch == target.arch ? *options.device
                                                                 : cuda::getDevice(target.arch);
  description.machine = target.isDevice() ? cuda::printDevice(device) : cpu::printMachine(machine);
}

void VariantBuild::show(StringRef step, size_t done, size_t kernels) const {
  if (!options.progress)
    return;
  auto isCPU = [](const VariantTarget &variant) { return variant.target.kind == Target::CPU; };
  bool hasSeveralCPUs = llvm::count_if(options.variants, isCPU) > 1;
  std::string name = hasSeveralCPUs && target.kind == Target::CPU ? machine.cpu : target.getName();
  std::string prefix = options.variants.size() == 1 ? "" : name + " ";
  options.progress({prefix + step.str(), done, kernels});
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

LogicalResult VariantBuild::dump(const Stage &stage, unsigned stageNumber) {
  SmallString<128> path(options.dumpDir);
  std::error_code error = llvm::sys::fs::create_directories(path);
  llvm::sys::path::append(path,
                          Twine(stageNumber) + "-" + stage.name + description.suffix + ".mlir");
  if (!error) {
    llvm::raw_fd_ostream stream(path, error);
    OpPrintingFlags flags;
    flags.elideLargeElementsAttrs(32).elideLargeResourceString(32).enableDebugInfo();
    flags.printNameLocAsPrefix();
    if (!error)
      module.print(stream, flags);
  }
  if (error)
    return module.emitError("cannot write '") << path << "': " << error.message();
  return success();
}

LogicalResult VariantBuild::runStage(const Stage &stage) {
  auto kernels = module.getOps<te::KernelOp>();
  show(stage.name, /*done=*/0, std::distance(kernels.begin(), kernels.end()));
  PassManager manager(module.getContext());
  manager.enableVerifier(options.verifiesPasses);
  StageContext context{machine,
                       target,
                       device.model,
                       options.merges,
                       options.transforms,
                       options.precision,
                       options.scheduleFile,
                       options.tunedDir,
                       options.point,
                       &tunedUse};
  if (options.keepsSchedules)
    context.storesChosen = [this](ModuleOp module) {
      (logical ? packed : logical) = module.clone();
    };
  stage.build(manager, context);
  if (!manager.empty() && failed(manager.run(module)))
    return failure();
  if (failed(verify(module)))
    return failure();
  return checkPostcondition(stage, module);
}

LogicalResult VariantBuild::runStages(OwningOpRef<ModuleOp> own, runtime::Manifest &manifest) {
  owned = std::move(own);
  return runStages(*owned, manifest);
}

static SmallVector<te::NodeAttr> getNodes(MLIRContext *context, const runtime::Manifest &manifest) {
  return llvm::map_to_vector(manifest.nodes, [&](const runtime::ModelNode &node) {
    return te::NodeAttr::get(context, StringAttr::get(context, node.name),
                             StringAttr::get(context, node.op));
  });
}

LogicalResult VariantBuild::runStages(ModuleOp given, runtime::Manifest &manifest) {
  module = given;
  if (options.sanitize)
    te::setSeparateBuffers(module);
  // All variants number the model's nodes in the same way.
  if (number > 0)
    te::setTable<te::NodeAttr>(module, getNodes(module.getContext(), manifest));
  // All variants for CPUs have the same weights: each adds to those of the one before.
  if (earlier && target.kind == Target::CPU)
    te::setTable<te::WeightAttr>(module, te::getTable<te::WeightAttr>(earlier->module));
  for (auto [stageNumber, stage] : llvm::enumerate(getStages())) {
    if (failed(runStage(stage)))
      return failure();
    if (stage.name == "layout" && logical)
      recordSchedules();
    if (!options.dumpDir.empty() && failed(dump(stage, stageNumber)))
      return failure();
    if (stage.name == "functional" && number == 0 && failed(describeSignature(module, manifest)))
      return failure();
    if (stage.name == "buffers") {
      description.cpuFeatures = cpu::getNeededFeatures(module, machine);
      describeMemory(module, description);
      kernelBytes = countKernelBytes(module);
      if (target.kind == Target::CPU)
        cache.find(module, programOptions);
    }
    if (stage.name == "loops")
      describeScratch(module, description);
    if (stage.name == "target")
      describeLaunches(module, kernelBytes, manifest, description);
    if (options.afterStage && failed(options.afterStage(stage, module, {target, machine})))
      return failure();
    if (stage.name == options.lastStage)
      break;
  }
  return success();
}

void VariantBuild::recordSchedules() {
  llvm::raw_string_ostream stream(schedules);
  printSchedules(*logical, packed ? *packed : module, stream);
  logical = nullptr;
  packed = nullptr;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

llvm::Error VariantBuild::translateKernels() {
  auto made = cuda::createTargetMachine(target.arch);
  if (!made)
    return made.takeError();
  codeGenerator = std::move(*made);
  context = std::make_unique<llvm::LLVMContext>();
  auto translated = cuda::translate(cuda::getDeviceModule(module), *context, *codeGenerator);
  if (!translated)
    return translated.takeError();
  kernels = std::move(*translated);
  cuda::optimize(*kernels, *codeGenerator);
  return llvm::Error::success();
}

llvm::Error VariantBuild::translate() {
  programOptions.machine = machine;
  programOptions.optimize.suffix = description.suffix;
  programOptions.optimize.sanitize = options.sanitize;
  programOptions.definesMemory = number == 0;
  programOptions.keepsModules = options.keepsModules;
  programOptions.progress = [this](size_t done, size_t kernels) { show("code", done, kernels); };
  code = std::make_unique<cpu::Program>(*module.getContext(), std::move(programOptions));
  if (llvm::Error error = code->translate(module))
    return error;
  return target.kind == Target::CUDA ? translateKernels() : llvm::Error::success();
}

llvm::Error VariantBuild::printLLVM(llvm::raw_ostream &stream) {
  if (!kernels)
    return code->print(stream);
  kernels->print(stream, nullptr);
  return llvm::Error::success();
}

llvm::Error VariantBuild::emit(bool assembly, llvm::raw_pwrite_stream &stream) {
  show("emit");
  return code->emit(assembly, stream);
}

std::vector<cpu::Object> VariantBuild::takeObjects() {
  std::vector<cpu::Object> objects = code->takeObjects();
  cache.store(objects);
  return objects;
}

llvm::Expected<std::string> VariantBuild::emitPTX() {
  show("ptx");
  return cuda::emitPTX(*kernels, *codeGenerator);
}

llvm::Error VariantBuild::makeImages() {
  if (!kernels)
    return llvm::Error::success();
  auto ptx = emitPTX();
  if (!ptx)
    return ptx.takeError();
  description.images.push_back({runtime::Image::PTX, target.arch.getName(), {}});
  images.push_back(std::move(*ptx));
  return addCubin();
}

/// If ptxas is found, adds the cubin and the resources that ptxas reports for each kernel.
llvm::Error VariantBuild::addCubin() {
  auto assembler = cuda::findAssembler();
  if (!assembler)
    return assembler.takeError();
  if (assembler->empty())
    return llvm::Error::success();
  show("ptxas");
  auto cubin = cuda::assemble(*assembler, images.front(), target.arch);
  if (!cubin)
    return cubin.takeError();
  for (runtime::Kernel &kernel : description.kernels) {
    auto resources = cubin->kernels.find(kernel.name);
    if (resources == cubin->kernels.end())
      return llvm::make_error<cuda::AssemblerError>(
          "'" + *assembler + "' reports nothing about kernel '" + kernel.name + "'");
    kernel.registers = resources->second.registers;
    kernel.spillBytes = resources->second.spillBytes;
  }
  description.images.push_back({runtime::Image::Cubin, target.arch.getName(), {}});
  images.push_back(std::move(cubin->bytes));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// What goes beside the code
//===----------------------------------------------------------------------===//

llvm::Expected<runtime::VariantContent> VariantBuild::getContent() {
  auto weights = getWeights();
  if (!weights)
    return weights.takeError();
  return runtime::VariantContent{std::move(*weights), images};
}

llvm::Expected<std::vector<runtime::WeightChunk>> VariantBuild::getWeights() {
  // The address of constants without elements.
  static const char nothing[64] = {};
  std::vector<runtime::WeightChunk> chunks;
  for (te::WeightAttr weight : te::getTable<te::WeightAttr>(module)) {
    auto bytes = te::ConstantBytes::get(weight.getValue());
    if (failed(bytes))
      return llvm::createStringError("the bytes of a constant are not available");
    auto kept = std::make_shared<te::ConstantBytes>(*bytes);
    storage.push_back(kept);
    uint64_t offset = weight.getOffset();
    ArrayRef<char> data = kept->getBytes();
    if (data.empty())
      chunks.push_back({offset, sizeof(nothing), nothing});
    else
      chunks.push_back({offset, data.size(), data.data()});
  }
  return chunks;
}

} // namespace tssa
