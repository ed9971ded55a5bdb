//===- Compile.cpp - one module to one artifact --------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Pipeline/Compile.h"
#include "dialects/te/Transforms/WeightCollector.h"
#include "mlir/IR/Verifier.h"
#include "tssa/Externs/Externs.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <chrono>

using namespace mlir;
using namespace mlir::tssa;

namespace tssa {

std::string getToolBuild() { return "tssa " TSSA_VERSION " (LLVM " LLVM_VERSION_STRING ")"; }

namespace {
/// Adds the time from its construction to its end to a list.
class Timed {
public:
  Timed(std::vector<StepTime> &times, StringRef name)
      : times(times), name(name), start(std::chrono::steady_clock::now()) {}
  ~Timed() {
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    times.push_back({std::move(name), elapsed.count()});
  }

private:
  std::vector<StepTime> &times;
  std::string name;
  std::chrono::steady_clock::time_point start;
};
} // namespace

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

LogicalResult Compilation::dump(const Stage &stage, ModuleOp module, unsigned number) {
  SmallString<128> path(options.dumpDir);
  std::error_code error = llvm::sys::fs::create_directories(path);
  llvm::sys::path::append(path, Twine(number) + "-" + stage.name + ".mlir");
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

LogicalResult Compilation::runStage(const Stage &stage, ModuleOp module) {
  Timed timed(times, stage.name);
  if (stage.build) {
    PassManager manager(module.getContext());
    stage.build(manager, StageContext{options.machine});
    if (failed(manager.run(module)))
      return failure();
  } else if (failed(verify(module))) {
    return failure();
  }
  return checkPromise(stage, module);
}

LogicalResult Compilation::runStages(ModuleOp module) {
  for (auto [number, stage] : llvm::enumerate(getStages())) {
    if (failed(runStage(stage, module)))
      return failure();
    if (stage.name == "layout" && !options.scheduleFile.empty() &&
        failed(replaySchedules(module, options.scheduleFile)))
      return failure();
    if (!options.dumpDir.empty() && failed(dump(stage, module, number)))
      return failure();
    if (stage.name == "import" && failed(describeSignature(module, manifest)))
      return failure();
    if (stage.name == "buffers")
      describeMemory(module, variant);
    if (options.afterStage && failed(options.afterStage(stage, module)))
      return failure();
    if (stage.name == options.lastStage)
      break;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

llvm::Error Compilation::translate(ModuleOp module) {
  Timed timed(times, "translate");
  auto made = cpu::createTargetMachine(options.machine);
  if (!made)
    return made.takeError();
  target = std::move(*made);
  // Only this room reads the module's own attributes.
  SmallVector<NamedAttribute> attributes(module->getDiscardableAttrs());
  for (NamedAttribute attribute : attributes)
    module->removeDiscardableAttr(attribute.getName());
  context = std::make_unique<llvm::LLVMContext>();
  auto translated = cpu::translate(module, *context, *target, options.machine);
  module->setDiscardableAttrs(attributes);
  if (!translated)
    return translated.takeError();
  code = std::move(*translated);
  if (llvm::Error error =
          cpu::linkBitcode(*code, getRoutinesBitcode(), /*onlyNeeded=*/true, options.machine))
    return error;
  if (llvm::Error error =
          cpu::linkBitcode(*code, getMemoryBitcode(), /*onlyNeeded=*/false, options.machine))
    return error;
  cpu::optimize(*code, *target);
  return llvm::Error::success();
}

void Compilation::printLLVM(llvm::raw_ostream &stream) { code->print(stream, nullptr); }

llvm::Error Compilation::emit(bool assembly, llvm::raw_pwrite_stream &stream) {
  Timed timed(times, "emit");
  return cpu::emit(*code, *target, assembly, stream);
}

llvm::Expected<std::string> Compilation::link() {
  SmallString<0> object;
  llvm::raw_svector_ostream stream(object);
  if (llvm::Error error = emit(/*assembly=*/false, stream))
    return std::move(error);
  Timed timed(times, "link");
  return cpu::link(std::string(object));
}

//===----------------------------------------------------------------------===//
// What goes beside the code
//===----------------------------------------------------------------------===//

runtime::Manifest Compilation::takeManifest(ModuleOp module) {
  describeLaunches(module, manifest, variant);
  manifest.toolBuild = getToolBuild();
  variant.triple = options.machine.triple;
  variant.cpu = options.machine.cpu;
  variant.cpuFeatures = options.machine.features;
  manifest.variants.push_back(std::move(variant));
  manifest.modelName = options.modelName;
  manifest.producer = options.producer;
  return std::move(manifest);
}

llvm::Expected<std::vector<runtime::WeightChunk>> Compilation::getWeights(ModuleOp module) {
  // What a constant without elements points at.
  static const char nothing[64] = {};
  std::vector<runtime::WeightChunk> chunks;
  auto list = module->getAttrOfType<ArrayAttr>("te.weights");
  for (auto entry : list.getAsRange<DictionaryAttr>()) {
    auto bytes = te::ConstantBytes::get(entry.getAs<ElementsAttr>("value"));
    if (failed(bytes))
      return llvm::createStringError("the bytes of a constant are not at hand");
    auto kept = std::make_shared<te::ConstantBytes>(*bytes);
    storage.push_back(kept);
    uint64_t offset = entry.getAs<IntegerAttr>("offset").getInt();
    ArrayRef<char> data = kept->getBytes();
    if (data.empty())
      chunks.push_back({offset, sizeof(nothing), nothing});
    else
      chunks.push_back({offset, data.size(), data.data()});
  }
  return chunks;
}

} // namespace tssa
