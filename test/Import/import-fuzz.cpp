//===- import-fuzz.cpp - feed mutated models to the importer -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// usage: import-fuzz SEED COUNT MODEL...
///
/// Imports the models, then COUNT mutations of them: bytes of the file, and fields of the model
/// through protobuf's reflection, which reach deeper. Whatever comes out must be a valid
/// module or an error with a text; a crash ends the program, and the mutation is left in
/// the file that is named on standard error beforehand.
///
//===----------------------------------------------------------------------===//

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "onnx/onnx_pb.h"
#include "test/fuzz/ModelMutator.h"
#include "tssa/Import/ONNX.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <google/protobuf/stubs/logging.h>

using namespace llvm;

/// Imports the file; false when the importer broke its promise.
static bool import(StringRef path) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  tssa::ImportOptions options;
  options.untrusted = true;
  tssa::ImportReport report;
  mlir::OwningOpRef<mlir::ModuleOp> module = tssa::importONNX(context, path, options, report);
  if (module)
    return succeeded(mlir::verify(*module));
  return report.fault != tssa::operators::Fault::None && !report.error.empty();
}

int main(int argc, char **argv) {
  if (argc < 4) {
    errs() << "usage: import-fuzz SEED COUNT MODEL...\n";
    return 2;
  }
  google::protobuf::LogSilencer silencer;
  uint64_t seed = std::strtoull(argv[1], nullptr, 10), count = std::strtoull(argv[2], nullptr, 10);
  SmallString<128> path;
  if (sys::fs::createTemporaryFile("import-fuzz", "onnx", path))
    return 70;
  errs() << "mutations are in " << path << "\n";
  std::vector<std::string> seeds;
  for (int i = 3; i < argc; ++i) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(argv[i]);
    if (!file || !import(argv[i])) {
      errs() << argv[i] << (file ? " broke the importer\n" : " cannot be read\n");
      return 1;
    }
    seeds.push_back((*file)->getBuffer().str());
  }
  for (uint64_t i = 0; i < count; ++i) {
    tssa::fuzz::ModelMutator mutator(seed + i);
    std::string bytes = seeds[mutator.pick(seeds.size())];
    tssa_onnx::ModelProto model;
    if (mutator.pick(5) == 0 || !model.ParseFromString(bytes)) {
      mutator.mutateBytes(bytes);
    } else {
      for (size_t step = 0, steps = 1 + mutator.pick(3); step < steps; ++step)
        mutator.mutateMessage(model);
      bytes = model.SerializeAsString();
    }
    std::error_code error;
    raw_fd_ostream(path, error) << bytes;
    if (!import(path)) {
      errs() << "mutation " << i << " of seed " << seed << " broke the importer\n";
      return 1;
    }
  }
  sys::fs::remove(path);
  outs() << count << " mutations, none broke the importer\n";
  return 0;
}
