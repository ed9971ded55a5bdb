//===- ModelReducer.cpp - reduces ONNX models -------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The reducer repeats these steps until nothing changes:
/// 1. Remove outputs, then nodes; values that other nodes need become inputs.
/// 2. Replace outputs by values that their nodes read.
/// 3. Turn initializers into inputs.
/// 4. Remove attributes and metadata.
/// 5. Reduce sizes. A size is reduced in all dims that have it.
///
/// A valid model stays valid.
///
//===----------------------------------------------------------------------===//

#include "ModelEdits.h"
#include "Reducers.h"
#include "lib/Import/ExternalData.h"
#include "lib/Import/ModelFile.h"
#include "tools/common/WriteFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"

using namespace llvm;
using namespace tssa::reduce;
using tssa_onnx::TensorProto;

static Error writeModel(const ModelProto &model, StringRef path) {
  std::string bytes;
  if (!model.SerializeToString(&bytes))
    return createStringError("the model is too large for one file");
  return tssa::writeFile(path, bytes);
}

/// Copies the bytes of all initializers to the model, as raw data.
static Error embedData(ModelProto &model, StringRef path) {
  tssa::ExternalData files(path, /*untrusted=*/false);
  tssa::ImportReport report;
  for (TensorProto &tensor : *model.mutable_graph()->mutable_initializer()) {
    if (tensor.data_location() == TensorProto::EXTERNAL) {
      uint64_t size = 0;
      for (const auto &entry : tensor.external_data())
        if (entry.key() == "length" && StringRef(entry.value()).getAsInteger(10, size))
          return createStringError("initializer '" + tensor.name() + "' has no valid length");
      auto bytes = files.find(tensor, size, report);
      if (failed(bytes))
        return createStringError(report.error);
      tensor.set_raw_data(bytes->data.data(), bytes->data.size());
      tensor.clear_external_data();
      tensor.clear_data_location();
      continue;
    }
    auto moveToRaw = [&](auto &list) {
      tensor.set_raw_data(list.data(), list.size() * sizeof(*list.data()));
      list.Clear();
    };
    if (tensor.float_data_size() && tensor.data_type() == TensorProto::FLOAT)
      moveToRaw(*tensor.mutable_float_data());
    else if (tensor.int64_data_size() && tensor.data_type() == TensorProto::INT64)
      moveToRaw(*tensor.mutable_int64_data());
    else if (tensor.int32_data_size() && tensor.data_type() == TensorProto::INT32)
      moveToRaw(*tensor.mutable_int32_data());
    else if (tensor.double_data_size() && tensor.data_type() == TensorProto::DOUBLE)
      moveToRaw(*tensor.mutable_double_data());
  }
  return Error::success();
}

namespace {
class ModelReducer {
public:
  ModelReducer(ModelProto model, StringRef output, Interest &interest)
      : model(std::move(model)), output(output.str()), interest(interest) {}

  Error run();

private:
  /// Accepts the edited model if it is valid and still interesting. Returns whether the model was
  /// accepted.
  bool accept(Edited edited);
  bool holds(const ModelProto &candidate);
  bool reduceGraph();
  bool reduceAttributes();
  bool reduceSizes();
  bool reduceSize(int64_t size);

  ModelProto model;
  std::string output;
  Interest &interest;
  bool staysValid = false;
  Error failure = Error::success();
};
} // namespace

bool ModelReducer::holds(const ModelProto &candidate) {
  SmallString<128> path;
  if (std::error_code code = sys::fs::createTemporaryFile("tssa-reduce", "onnx", path)) {
    failure = joinErrors(std::move(failure), errorCodeToError(code));
    return false;
  }
  FileRemover remover(path);
  if (Error error = writeModel(candidate, path)) {
    failure = joinErrors(std::move(failure), std::move(error));
    return false;
  }
  return interest.holds(path);
}

bool ModelReducer::accept(Edited edited) {
  if (failure || !edited || (staysValid && !isValid(*edited)) || !holds(*edited))
    return false;
  model = std::move(*edited);
  if (Error error = writeModel(model, output))
    failure = joinErrors(std::move(failure), std::move(error));
  return true;
}

bool ModelReducer::reduceGraph() {
  bool changed =
      leaveOut([&] { return size_t(model.graph().output_size()); },
               [&](size_t begin, size_t end) { return accept(withoutOutputs(model, begin, end)); });
  changed |=
      leaveOut([&] { return size_t(model.graph().node_size()); },
               [&](size_t begin, size_t end) { return accept(withoutNodes(model, begin, end)); });
  for (int i = 0; i < model.graph().output_size();)
    if (accept(withEarlierOutput(model, i)))
      changed = true;
    else
      ++i;
  changed |= leaveOut(
      [&] { return size_t(model.graph().initializer_size()); },
      [&](size_t begin, size_t end) { return accept(withoutInitializers(model, begin, end)); });
  return changed;
}

bool ModelReducer::reduceAttributes() {
  bool changed = false;
  for (int node = 0; node < model.graph().node_size(); ++node)
    for (int attribute = 0; attribute < model.graph().node(node).attribute_size();)
      if (accept(withoutAttribute(model, node, attribute)))
        changed = true;
      else
        ++attribute;
  return changed;
}

bool ModelReducer::reduceSize(int64_t size) {
  for (int64_t smaller : {int64_t(1), int64_t(2), size / 4, size / 2, size - 1})
    for (bool inShapes : {true, false})
      if (smaller >= 1 && smaller < size && accept(withSize(model, size, smaller, inShapes)))
        return true;
  return false;
}

bool ModelReducer::reduceSizes() {
  bool changed = false;
  std::set<int64_t> sizes = getSizes(model);
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size)
    changed |= reduceSize(*size);
  return changed;
}

Error ModelReducer::run() {
  if (!holds(model))
    return failure ? std::move(failure)
                   : createStringError("the model itself does not show the failure");
  staysValid = isValid(model);
  accept(withoutMetadata(model));
  auto reduceAll = [&] {
    bool changed = reduceGraph();
    changed |= reduceAttributes();
    changed |= reduceSizes();
    return changed;
  };
  while (!failure && reduceAll())
    ;
  if (failure)
    return std::move(failure);
  errs() << output << ": " << model.graph().node_size() << " nodes, " << model.graph().input_size()
         << " inputs, " << model.graph().initializer_size() << " initializers after "
         << interest.getNumTests() << " tests\n";
  return writeModel(model, output);
}

Error tssa::reduce::reduceModel(StringRef input, StringRef output, Interest &interest) {
  tssa::ImportReport report;
  std::shared_ptr<ModelProto> model = tssa::readModel(input, report);
  if (!model)
    return createStringError(report.error);
  if (Error error = embedData(*model, input))
    return error;
  return ModelReducer(std::move(*model), output, interest).run();
}
