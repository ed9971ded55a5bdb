//===- Compile.cpp - compiles a module to an artifact ---------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Pipeline/Compile.h"
#include "VariantBuild.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;

namespace tssa {

std::string getToolBuild() { return "tssa " TSSA_VERSION " (LLVM " LLVM_VERSION_STRING ")"; }

Compilation::Compilation(const CompileOptions &options) : options(options) {
  const VariantBuild *ofCPU = nullptr;
  for (unsigned number = 0; number < options.variants.size(); ++number) {
    variants.push_back(std::make_unique<VariantBuild>(options, number, ofCPU));
    if (options.variants[number].target.kind == Target::CPU)
      ofCPU = variants.back().get();
  }
}

Compilation::~Compilation() = default;

LogicalResult Compilation::runStages(ModuleOp module) {
  std::vector<OwningOpRef<ModuleOp>> copies;
  for (size_t i = 1; i < variants.size(); ++i)
    copies.push_back(module.clone());
  if (failed(variants.front()->runStages(module, manifest)))
    return failure();
  for (size_t i = 1; i < variants.size(); ++i)
    if (failed(variants[i]->runStages(std::move(copies[i - 1]), manifest)))
      return failure();
  return success();
}

llvm::Error Compilation::translate() {
  for (auto &variant : variants)
    if (llvm::Error error = variant->translate())
      return error;
  return llvm::Error::success();
}

const TunedUse &Compilation::getTunedUse() const { return variants.front()->getTunedUse(); }

StringRef Compilation::getSchedules() const { return variants.front()->getSchedules(); }

llvm::Error Compilation::printLLVM(llvm::raw_ostream &stream) {
  return variants.front()->printLLVM(stream);
}

llvm::Error Compilation::emit(bool assembly, llvm::raw_pwrite_stream &stream) {
  return variants.front()->emit(assembly, stream);
}

llvm::Expected<std::string> Compilation::emitPTX() { return variants.front()->emitPTX(); }

/// Gives all variants for CPUs the weights of the last one, which are those of all of them.
void Compilation::shareWeights(std::vector<runtime::VariantContent> &contents) const {
  const std::vector<runtime::WeightChunk> *all = nullptr;
  for (size_t i = contents.size(); i-- > 0;) {
    if (options.variants[i].target.kind != Target::CPU)
      continue;
    if (all)
      contents[i].weights = *all;
    else
      all = &contents[i].weights;
  }
}

llvm::Error Compilation::writeArtifact(StringRef path, bool &wasWriting) {
  std::vector<std::string> objects;
  std::vector<runtime::VariantContent> contents;
  manifest.toolBuild = getToolBuild();
  manifest.modelName = options.modelName;
  manifest.producer = options.producer;
  for (auto &variant : variants) {
    for (cpu::Object &object : variant->takeObjects())
      objects.push_back(std::move(object.bytes));
    if (llvm::Error error = variant->makeImages())
      return error;
    auto content = variant->getContent();
    if (!content)
      return content.takeError();
    contents.push_back(std::move(*content));
    manifest.variants.push_back(variant->getDescription());
  }
  shareWeights(contents);
  if (options.progress)
    options.progress({"link"});
  llvm::Expected<std::string> code = cpu::link(objects, options.foreignObjects, options.sanitize);
  if (!code)
    return code.takeError();
  runtime::Status status = runtime::writeArtifact(path.str(), *code, manifest, contents);
  wasWriting = !status.ok();
  return status.ok() ? llvm::Error::success() : llvm::createStringError(status.message);
}

} // namespace tssa
