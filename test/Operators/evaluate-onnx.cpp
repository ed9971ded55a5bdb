//===- evaluate-onnx.cpp - import ONNX models and evaluate them -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A test tool that evaluates models without generating code. Each argument is a folder with
/// `model.onnx`, `inputs.txt` (one line per input: element kind, then the sizes) and
/// `in_0.bin`, `in_1.bin`, ... The tool writes `outputs.txt` and `out_0.bin`, ... to the folder
/// and prints `FOLDER: ok`, or `FOLDER: ` and the error.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/TEDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "tssa/Import/ONNX.h"
#include "tssa/Reference/Evaluator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using ::tssa::reference::ElementKind;
using ::tssa::reference::HostTensor;

static llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

static std::optional<ElementKind> parseKind(llvm::StringRef name) {
  for (int kind = 0; kind <= static_cast<int>(ElementKind::Index); ++kind)
    if (::tssa::reference::getName(static_cast<ElementKind>(kind)) == name)
      return static_cast<ElementKind>(kind);
  return std::nullopt;
}

static std::string inFolder(llvm::StringRef folder, const llvm::Twine &name) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return makeError(path + ": " + buffer.getError().message());
  return std::move(*buffer);
}

static llvm::Expected<std::vector<HostTensor>> readInputs(llvm::StringRef folder) {
  auto list = readFile(inFolder(folder, "inputs.txt"));
  if (!list)
    return list.takeError();
  std::vector<HostTensor> inputs;
  llvm::SmallVector<llvm::StringRef> lines, words;
  (*list)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    words.clear();
    line.split(words, ' ', -1, /*KeepEmpty=*/false);
    std::optional<ElementKind> kind = parseKind(words.front());
    if (!kind)
      return makeError("unknown element kind '" + words.front() + "'");
    llvm::SmallVector<int64_t> shape;
    for (llvm::StringRef word : llvm::drop_begin(words))
      shape.push_back(std::stoll(word.str()));
    llvm::Expected<HostTensor> tensor = HostTensor::create(*kind, shape);
    auto bytes = readFile(inFolder(folder, "in_" + llvm::Twine(inputs.size()) + ".bin"));
    if (!tensor || !bytes)
      return llvm::joinErrors(tensor.takeError(), bytes.takeError());
    if (static_cast<int64_t>((*bytes)->getBufferSize()) != tensor->getNumBytes())
      return makeError("wrong number of bytes for an input");
    if (tensor->getNumBytes())
      memcpy(tensor->getMutableData(), (*bytes)->getBufferStart(), tensor->getNumBytes());
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}

static llvm::Error writeOutputs(llvm::StringRef folder, llvm::ArrayRef<HostTensor> outputs) {
  std::error_code code;
  llvm::raw_fd_ostream list(inFolder(folder, "outputs.txt"), code);
  for (auto [i, tensor] : llvm::enumerate(outputs)) {
    list << ::tssa::reference::getName(tensor.getKind());
    for (int64_t size : tensor.getShape())
      list << " " << size;
    list << "\n";
    llvm::raw_fd_ostream data(inFolder(folder, "out_" + llvm::Twine(i) + ".bin"), code);
    data.write(reinterpret_cast<const char *>(tensor.getData()), tensor.getNumBytes());
  }
  return code ? makeError("cannot write outputs: " + code.message()) : llvm::Error::success();
}

static llvm::Error runCase(llvm::StringRef folder, bool printsModule) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context
      .loadDialect<affine::AffineDialect, arith::ArithDialect, func::FuncDialect, math::MathDialect,
                   scf::SCFDialect, tensor::TensorDialect, mlir::tssa::te::TEDialect>();
  ::tssa::ImportReport report;
  OwningOpRef<ModuleOp> module =
      ::tssa::importONNX(context, inFolder(folder, "model.onnx"), {}, report);
  if (!module)
    return makeError(report.error);
  if (printsModule)
    module->print(llvm::outs());
  if (failed(verify(*module)))
    return makeError("the module is not valid");
  llvm::Expected<std::vector<HostTensor>> inputs = readInputs(folder);
  if (!inputs)
    return inputs.takeError();
  llvm::Expected<std::vector<HostTensor>> outputs =
      ::tssa::reference::evaluate(*module, "main", *inputs);
  if (!outputs)
    return outputs.takeError();
  return writeOutputs(folder, *outputs);
}

int main(int argc, char **argv) {
  bool printsModule = false;
  int numFailed = 0;
  for (llvm::StringRef folder : llvm::ArrayRef(argv + 1, argc - 1)) {
    if (folder == "--print") {
      printsModule = true;
      continue;
    }
    llvm::outs() << folder << ": ";
    llvm::outs().flush();
    llvm::Error error = runCase(folder, printsModule);
    numFailed += bool(error);
    std::string text = error ? llvm::toString(std::move(error)) : "ok";
    std::replace(text.begin(), text.end(), '\n', '|');
    llvm::outs() << text << "\n";
    llvm::outs().flush();
  }
  return numFailed != 0;
}
