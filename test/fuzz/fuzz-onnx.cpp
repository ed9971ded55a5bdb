//===- fuzz-onnx.cpp - hostile ONNX models -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Imports the input as a model. The result must be a valid module, which is then lowered through
/// stage te, or an error with a text. Mutations change fields of the model.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "onnx/onnx_pb.h"
#include "test/fuzz/Context.h"
#include "test/fuzz/MemoryFile.h"
#include "test/fuzz/ModelMutator.h"
#include "tssa/Import/ONNX.h"
#include <google/protobuf/stubs/logging.h>

using tssa_onnx::ModelProto;

/// The largest program that is lowered, because an execution should take only milliseconds.
static constexpr size_t maxLoweredOps = 400;

static size_t writeModel(const ModelProto &model, uint8_t *data, size_t maxSize) {
  std::string bytes = model.SerializeAsString();
  if (bytes.size() > maxSize)
    return 0;
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  tssa::fuzz::ModelMutator mutator(seed);
  ModelProto model;
  if (mutator.pick(16) == 0 || !model.ParseFromArray(data, size))
    return LLVMFuzzerMutate(data, size, maxSize);
  for (size_t step = 0, steps = 1 + mutator.pick(3); step < steps; ++step)
    mutator.mutateMessage(model);
  size_t written = writeModel(model, data, maxSize);
  return written ? written : size;
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size,
                                            const uint8_t *otherData, size_t otherSize,
                                            uint8_t *out, size_t maxSize, unsigned seed) {
  ModelProto model, other;
  if (!model.ParseFromArray(data, size) || !other.ParseFromArray(otherData, otherSize))
    return 0;
  tssa::fuzz::ModelMutator(seed).crossOver(model, other);
  return writeModel(model, out, maxSize);
}

static size_t countOps(mlir::ModuleOp module) {
  size_t count = 0;
  module.walk([&](mlir::Operation *) { ++count; });
  return count;
}

/// Lowers the module through stage te, which may refuse it, but only with a diagnostic.
static void lower(mlir::ModuleOp module, const tssa::fuzz::Context &contexts) {
  mlir::PassManager manager(module.getContext());
  mlir::tssa::te::buildTEStage(manager);
  if (failed(manager.run(module)) && contexts.getNumDiagnostics() == 0)
    __builtin_trap();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static google::protobuf::LogSilencer silencer;
  tssa::fuzz::MemoryFile file(data, size);
  static tssa::fuzz::Context contexts;
  mlir::MLIRContext &context = contexts.get();
  tssa::ImportOptions options;
  options.untrusted = true;
  tssa::ImportReport report;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      tssa::importONNX(context, file.getPath(), options, report);
  if (!module) {
    if (report.fault == tssa::operators::Fault::None || report.error.empty())
      __builtin_trap();
    return 0;
  }
  if (failed(mlir::verify(*module)))
    __builtin_trap();
  if (countOps(*module) <= maxLoweredOps)
    lower(*module, contexts);
  return 0;
}
