//===- ONNX.cpp - ONNX models to te -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Import/ONNX.h"
#include "lib/Import/InputConstants.h"
#include "lib/Import/ModelFile.h"
#include "lib/Import/Signature.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "tssa/Support/CheckedSize.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace tssa::operators;
using mlir::failure;
using mlir::ModuleOp;
using mlir::OwningOpRef;

namespace tssa {

static mlir::func::FuncOp createMain(mlir::OpBuilder &ops, ArrayRef<Input> inputs) {
  SmallVector<mlir::Type> types;
  for (const Input &input : inputs) {
    SmallVector<int64_t> extents;
    for (const InputDim &dim : input.dims)
      extents.push_back(dim.size.value_or(mlir::ShapedType::kDynamic));
    types.push_back(
        mlir::RankedTensorType::get(extents, getElementType(ops.getContext(), input.type)));
  }
  return mlir::func::FuncOp::create(ops, ops.getUnknownLoc(), "main",
                                    ops.getFunctionType(types, {}));
}

static mlir::LogicalResult checkInputSizes(ArrayRef<Input> inputs, ImportReport &report) {
  for (const Input &input : inputs) {
    SmallVector<int64_t> sizes;
    for (const InputDim &dim : input.dims)
      sizes.push_back(dim.size.value_or(1));
    if (!CheckedSize::product(sizes, 8).isValid())
      return fail(report, Fault::Limit, "input " + quote(input.name) + " is too large");
  }
  return mlir::success();
}

/// Adds to the outputs of the graph all tensors that nodes produce. These outputs have no declared
/// types.
static void exposeValues(tssa_onnx::GraphProto &graph, GraphImporter::Scope &scope,
                         ImportReport &report) {
  StringSet<> declared;
  for (const auto &output : graph.output())
    declared.insert(output.name());
  for (const auto &node : graph.node())
    for (const std::string &name : node.output()) {
      GraphImporter::Entry *entry = name.empty() ? nullptr : scope.find(name);
      if (!entry || entry->isUnknown || !entry->tensor || !entry->tensor.isPlain())
        continue;
      report.origins.push_back({name, entry->producer, {node.input().begin(), node.input().end()}});
      if (declared.insert(name).second)
        graph.add_output()->set_name(name);
    }
}

static OwningOpRef<ModuleOp> importModel(mlir::MLIRContext &context, StringRef path,
                                         ImportOptions options, ImportReport &report) {
  std::shared_ptr<tssa_onnx::ModelProto> model = readModel(path, report);
  if (!model || failed(bindConstants(*model->mutable_graph(), options, report)))
    return nullptr;
  FunctionTable functions(*model);
  TensorReader reader(context, model, path, options.untrusted);
  UnsupportedUses unsupported;
  UserOperators users(options.operators, options.foreignObjects);
  if (failed(users.check(report)) ||
      failed(ModelChecker(*model, functions, users, reader, options, unsupported, report).run()))
    return nullptr;
  mlir::FailureOr<std::vector<Input>> inputs = readInputs(model->graph(), options, report);
  if (failed(inputs) && report.fault == Fault::Unsupported && !unsupported.empty()) {
    unsupported.add(UnsupportedUse::Node, std::exchange(report.error, {}), {});
    report.fault = Fault::None;
    (void)unsupported.report(report);
  }
  if (failed(inputs) || failed(checkInputSizes(*inputs, report)))
    return nullptr;
  mlir::FailureOr<Opsets> opsets = readOpsets(model->opset_import(), report);

  OwningOpRef<ModuleOp> module = ModuleOp::create(mlir::UnknownLoc::get(&context));
  mlir::OpBuilder ops(&context);
  ops.setInsertionPointToStart(module->getBody());
  mlir::func::FuncOp function = createMain(ops, *inputs);
  SizeTable sizes;
  Builder builder(ops, sizes);
  GraphImporter importer(builder, reader, functions, users, sys::path::filename(path), unsupported,
                         report);
  GraphImporter::Scope scope;
  scope.opsets = &*opsets;
  scope.graph = &model->graph();
  for (const auto &input : model->graph().input())
    scope.entries[input.name()].isUnknown = true; // unless importInputs replaces it
  if (failed(importInputs(function, *inputs, builder, scope))) {
    (void)fail(report, builder.fault(), builder.faultText());
    return nullptr;
  }
  if (failed(importer.importInitializers(model->graph(), scope)) ||
      failed(importer.importNodes(model->graph().node(), getOutputNames(model->graph()), scope)))
    return nullptr;
  if (!unsupported.empty()) {
    (void)unsupported.report(report);
    return nullptr;
  }
  if (options.exposeValues)
    exposeValues(*model->mutable_graph(), scope, report);
  if (failed(importOutputs(function, model->graph(), builder, scope, report)))
    return nullptr;
  if (builder.fault() != Fault::None) {
    (void)fail(report, builder.fault(), builder.faultText());
    return nullptr;
  }
  return module;
}

OwningOpRef<ModuleOp> importONNX(mlir::MLIRContext &context, StringRef path,
                                 const ImportOptions &options, ImportReport &report) {
  context.loadDialect<te::TEDialect, mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                      mlir::func::FuncDialect, mlir::math::MathDialect, mlir::scf::SCFDialect,
                      mlir::tensor::TensorDialect>();
  try {
    return importModel(context, path, options, report);
  } catch (const std::exception &error) {
    // protobuf and onnx throw exceptions, which must not leave this function.
    (void)fail(report, "the model is not well formed: " +
                           StringRef(error.what()).take_until([](char c) { return c == '\n'; }));
    return nullptr;
  }
}

} // namespace tssa
