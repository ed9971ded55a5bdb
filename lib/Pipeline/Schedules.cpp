//===- Schedules.cpp - schedules replayed from a file ---------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/TEOps.h"
#include "mlir/Parser/Parser.h"
#include "tssa/Pipeline/CheckText.h"
#include "tssa/Pipeline/Compile.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa {

LogicalResult replaySchedules(ModuleOp module, StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return module.emitError("schedule '")
           << path << "' cannot be read: " << file.getError().message();
  if (llvm::Error error = checkText((*file)->getBuffer()))
    return module.emitError("schedule '") << path << "': " << llvm::toString(std::move(error));
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  OwningOpRef<ModuleOp> written = parseSourceFile<ModuleOp>(sources, module.getContext());
  if (!written)
    return failure();
  for (auto kernel : written->getOps<te::KernelOp>()) {
    auto target = module.lookupSymbol<te::KernelOp>(kernel.getSymName());
    if (!target)
      return module.emitError("schedule '")
             << path << "': the model has no kernel '" << kernel.getSymName() << "'";
    if (kernel.getFunctionType() != target.getFunctionType() ||
        !OperationEquivalence::isRegionEquivalentTo(&kernel.getBody(), &target.getBody(),
                                                    OperationEquivalence::IgnoreLocations))
      return target.emitError("schedule '") << path << "': kernel '" << kernel.getSymName()
                                            << "' has changed since the schedule was written";
    target.getSchedule().takeBody(kernel.getSchedule());
  }
  return success();
}

} // namespace tssa
