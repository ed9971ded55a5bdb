//===- PartitionReport.cpp - which expressions become one launch ----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionReport.h"
#include "dialects/te/Partition/PartitionPrinter.h"
#include "dialects/te/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "tools/common/WriteFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace tssa::compile {

/// Returns `graph` as a picture that Graphviz lays out.
static Expected<std::string> drawGraph(StringRef graph) {
  ErrorOr<std::string> program = sys::findProgramByName("dot");
  if (!program)
    return createStringError(inconvertibleErrorCode(),
                             "--print-partition: a .svg needs the program 'dot' of Graphviz; write "
                             "a .dot where it is not installed");
  SmallString<128> input, output;
  if (std::error_code code = sys::fs::createTemporaryFile("partition", "dot", input))
    return createStringError(code, "--print-partition: no temporary file: " + code.message());
  FileRemover removeInput(input);
  if (std::error_code code = sys::fs::createTemporaryFile("partition", "svg", output))
    return createStringError(code, "--print-partition: no temporary file: " + code.message());
  FileRemover removeOutput(output);
  if (Error error = writeFile(input, graph))
    return std::move(error);
  std::string message;
  StringRef arguments[] = {*program, "-Tsvg", "-o", output, input};
  if (sys::ExecuteAndWait(*program, arguments, std::nullopt, {}, 0, 0, &message))
    return createStringError(inconvertibleErrorCode(),
                             "--print-partition: '" + *program + "' failed " + message);
  auto picture = MemoryBuffer::getFile(output);
  if (!picture)
    return createStringError(picture.getError(),
                             "--print-partition: no picture: " + picture.getError().message());
  return (*picture)->getBuffer().str();
}

Expected<std::string> describePartition(mlir::ModuleOp module, const Transforms &transforms,
                                        StringRef output) {
  mlir::PassManager manager(module.getContext());
  mlir::tssa::te::buildTEPreparation(manager.nest<mlir::func::FuncOp>());
  if (failed(manager.run(module)))
    return createStringError(inconvertibleErrorCode(), "--print-partition: the program is invalid");
  mlir::tssa::te::ValueNames names(module);
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  mlir::tssa::te::Partition partition(main, transforms.mergeVertically, mlir::tssa::te::maxBodyOps,
                                      transforms.boxes);
  std::string text;
  raw_string_ostream stream(text);
  StringRef extension = sys::path::extension(output);
  if (extension != ".dot" && extension != ".svg") {
    printPartition(partition, names, stream);
    return text;
  }
  printPartitionGraph(partition, names, stream);
  return extension == ".svg" ? drawGraph(text) : Expected<std::string>(text);
}

} // namespace tssa::compile
