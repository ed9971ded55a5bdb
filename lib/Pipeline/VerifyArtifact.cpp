//===- VerifyArtifact.cpp - run an artifact on tensors --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Pipeline/VerifyArtifact.h"
#include "tssa/Runtime/Session.h"

#include <cstring>

using namespace tssa;
using namespace tssa::reference;
using llvm::Error;
using llvm::Expected;

Error tssa::compileToArtifact(mlir::ModuleOp module, const CompileOptions &options,
                              llvm::StringRef path) {
  Compilation compilation(options);
  if (failed(compilation.runStages(module)))
    return llvm::createStringError("a stage failed");
  if (Error error = compilation.translate())
    return error;
  bool wasWriting = false;
  return compilation.writeArtifact(path, wasWriting);
}

/// Copies a result of the runtime to a tensor of the evaluator.
static Expected<HostTensor> takeResult(const runtime::Tensor &tensor, ElementKind kind) {
  Expected<HostTensor> result = HostTensor::create(kind, tensor.shape);
  if (result && result->getNumBytes())
    std::memcpy(result->getMutableData(), tensor.data, result->getNumBytes());
  return result;
}

Expected<std::vector<HostTensor>> tssa::runArtifact(llvm::StringRef path, llvm::StringRef device,
                                                    llvm::ArrayRef<HostTensor> inputs,
                                                    llvm::ArrayRef<HostTensor> like) {
  std::unique_ptr<runtime::Session> session;
  runtime::SessionOptions options;
  options.device = device.str();
  options.seed = 0; // as the evaluator has it
  runtime::Status status = runtime::Session::load(path.str(), options, session);
  if (!status.ok())
    return llvm::createStringError("the artifact cannot be loaded: " + status.message);
  const runtime::Manifest &manifest = session->getManifest();
  if (manifest.inputs.size() != inputs.size() || manifest.outputs.size() != like.size())
    return llvm::createStringError("the artifact has a different number of inputs or results");
  std::vector<HostTensor> own(inputs.begin(), inputs.end());
  std::vector<runtime::Tensor> tensors(inputs.size());
  std::vector<runtime::NamedTensor> named;
  for (auto [port, input, tensor] : llvm::zip_equal(manifest.inputs, own, tensors)) {
    tensor.dtype = port.dtype;
    tensor.shape.assign(input.getShape().begin(), input.getShape().end());
    tensor.data = input.getMutableData();
    named.push_back({port.name, tensor.asABI()});
  }
  std::vector<runtime::Tensor> results;
  status = session->run(named, {}, {}, results);
  if (!status.ok())
    return llvm::createStringError("the artifact fails: " + status.message);
  std::vector<HostTensor> taken;
  for (auto [tensor, wanted] : llvm::zip_equal(results, like)) {
    Expected<HostTensor> result = takeResult(tensor, wanted.getKind());
    if (!result)
      return result.takeError();
    taken.push_back(std::move(*result));
  }
  return taken;
}
