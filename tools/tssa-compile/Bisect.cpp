//===- Bisect.cpp - finds the first node whose value is wrong -------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bisect.h"
#include "dialects/te/IR/Program.h"
#include "mlir/Support/DebugStringHelper.h"
#include "tools/common/ReadModel.h"
#include "tssa/Pipeline/VerifyArtifact.h"
#include "tssa/Reference/Compare.h"
#include "tssa/Reference/Evaluator.h"
#include "tssa/Reference/RandomInputs.h"
#include "tssa/Runtime/Npz.h"
#include "tssa/Target/MemoryFile.h"

#include <cstring>

using namespace llvm;
using namespace tssa;
using namespace tssa::compile;
using reference::HostTensor;
namespace te = mlir::tssa::te;

namespace {
/// The expected and the actual results of a model, by name. A result that the reference lacks has
/// no expected tensor.
struct Results {
  std::vector<std::string> names;
  std::vector<std::optional<HostTensor>> expected;
  std::vector<HostTensor> got;

  std::optional<size_t> find(StringRef name) const {
    auto found = llvm::find(names, name);
    return found == names.end() ? std::nullopt : std::optional<size_t>(found - names.begin());
  }
};
} // namespace

static int report(const Options &options, const Twine &text, int code) {
  errs() << options.input << ": error: " << text << '\n';
  return code;
}

//===----------------------------------------------------------------------===//
// Tensors from files
//===----------------------------------------------------------------------===//

static Expected<std::vector<runtime::NpzEntry>> readFile(const std::string &path) {
  std::vector<runtime::NpzEntry> entries;
  runtime::Status status = runtime::readNpz(path, entries);
  if (!status.ok())
    return createStringError(status.message);
  return entries;
}

/// Returns the tensor in an entry of a file. It must have type `type`.
static Expected<HostTensor> takeTensor(const runtime::NpzEntry &entry, mlir::Type type) {
  auto tensorType = cast<mlir::RankedTensorType>(type);
  Expected<reference::ElementKind> kind = reference::getElementKind(tensorType.getElementType());
  if (!kind)
    return kind.takeError();
  const runtime::Tensor &tensor = entry.tensor;
  Expected<HostTensor> result = HostTensor::create(*kind, tensor.shape);
  if (!result)
    return result;
  bool fits = tensorType.getRank() == static_cast<int64_t>(tensor.shape.size()) &&
              result->getNumBytes() == tensor.getByteSize();
  for (int64_t i = 0; fits && i < tensorType.getRank(); ++i)
    fits = tensorType.isDynamicDim(i) || tensorType.getDimSize(i) == tensor.shape[i];
  if (!fits)
    return createStringError("'" + entry.name + "' is " + result->describeType() +
                             ", which does not fit " + mlir::debugString(type));
  if (result->getNumBytes())
    std::memcpy(result->getMutableData(), tensor.data, result->getNumBytes());
  return result;
}

static Expected<std::vector<HostTensor>> makeInputs(mlir::func::FuncOp main,
                                                    const Options &options) {
  if (options.inputs.empty())
    return reference::makeRandomInputs(main, options.seed, options.import.dims);
  auto entries = readFile(options.inputs);
  if (!entries)
    return entries.takeError();
  std::vector<HostTensor> inputs;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    std::string name = te::getName(te::getArgumentPort(main, i), "input" + Twine(i));
    auto entry = llvm::find_if(*entries, [&](auto &given) { return given.name == name; });
    if (entry == entries->end())
      return createStringError("'" + options.inputs + "' has no input '" + name + "'");
    Expected<HostTensor> tensor = takeTensor(*entry, main.getArgumentTypes()[i]);
    if (!tensor)
      return tensor.takeError();
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}

//===----------------------------------------------------------------------===//
// Expected and actual results
//===----------------------------------------------------------------------===//

/// Fills the expected results.
static Error findExpected(mlir::ModuleOp module, ArrayRef<HostTensor> inputs,
                          const Options &options, Results &results) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    results.names.push_back(te::getName(te::getResultPort(main, i), "output" + Twine(i)));
  results.expected.resize(results.names.size());
  if (options.reference.empty()) {
    auto values = reference::evaluate(module, "main", inputs);
    if (!values)
      return createStringError("the evaluator fails: " + toString(values.takeError()));
    for (auto [expected, value] : zip_equal(results.expected, *values))
      expected = std::move(value);
    return Error::success();
  }
  auto entries = readFile(options.reference);
  if (!entries)
    return entries.takeError();
  bool hasAny = false;
  for (const runtime::NpzEntry &entry : *entries) {
    std::optional<size_t> index = results.find(entry.name);
    if (!index)
      continue;
    Expected<HostTensor> tensor = takeTensor(entry, main.getResultTypes()[*index]);
    if (!tensor)
      return tensor.takeError();
    results.expected[*index] = std::move(*tensor);
    hasAny = true;
  }
  if (!hasAny)
    return createStringError("'" + options.reference + "' has no value of the model");
  return Error::success();
}

/// Compiles and runs the module, and fills the actual results. Changes the module.
static Error runCompiled(mlir::ModuleOp module, ArrayRef<HostTensor> inputs,
                         const CompileOptions &compile, Results &results) {
  std::vector<HostTensor> like;
  for (mlir::Type type : module.lookupSymbol<mlir::func::FuncOp>("main").getResultTypes()) {
    auto kind = reference::getElementKind(cast<mlir::RankedTensorType>(type).getElementType());
    if (!kind)
      return kind.takeError();
    like.push_back(cantFail(HostTensor::create(*kind, {})));
  }
  MemoryFile artifact;
  if (Error error = artifact.create())
    return error;
  if (Error error = compileToArtifact(module, compile, artifact.getPath()))
    return error;
  compile.progress({"run"});
  StringRef device =
      compile.variants.front().target.kind == ::tssa::Target::Emulator ? "cuda-emu" : "auto";
  auto got = runArtifact(artifact.getPath(), device, inputs, like);
  if (!got)
    return got.takeError();
  results.got = std::move(*got);
  return Error::success();
}

/// Returns the expected and the actual results of a module for the inputs. Changes the module.
static Expected<Results> collect(mlir::ModuleOp module, const Options &options,
                                 const CompileOptions &compile) {
  Results results;
  auto inputs = makeInputs(module.lookupSymbol<mlir::func::FuncOp>("main"), options);
  if (!inputs)
    return inputs.takeError();
  compile.progress({"evaluate"});
  if (Error error = findExpected(module, *inputs, options, results))
    return error;
  if (Error error = runCompiled(module, *inputs, compile, results))
    return error;
  return results;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// Describes how result `index` differs. Returns "" if it does not differ or has no expected
/// tensor.
static std::string describeDifference(const Results &results, size_t index,
                                      const Options &options) {
  if (!results.expected[index])
    return "";
  reference::ComparePolicy policy;
  policy.relative = options.relativeTolerance;
  policy.absolute = options.absoluteTolerance;
  reference::Comparison comparison =
      reference::compare(*results.expected[index], results.got[index], policy);
  return comparison.agrees ? "" : comparison.describe();
}

/// Prints the first origin whose value differs. Returns false if there is none.
static bool reportFirst(const Results &results, ArrayRef<ValueOrigin> origins,
                        const Options &options) {
  for (const ValueOrigin &origin : origins) {
    std::optional<size_t> index = results.find(origin.value);
    std::string text = index ? describeDifference(results, *index, options) : "";
    if (text.empty())
      continue;
    report(options,
           "value '" + origin.value + "' " + results.got[*index].describeType() + ", " +
               origin.producer + ", differs: " + text,
           Mismatch);
    for (const std::string &input : origin.inputs)
      if (std::optional<size_t> made = results.find(input))
        errs() << "  input '" << input << "' " << results.got[*made].describeType()
               << (results.expected[*made] ? " agrees\n" : " is not in the reference\n");
      else if (!input.empty())
        errs() << "  input '" << input << "' is given\n";
    return true;
  }
  return false;
}

static mlir::OwningOpRef<mlir::ModuleOp> readONNX(mlir::MLIRContext &context,
                                                  const Options &options,
                                                  const ImportOptions &import,
                                                  ImportReport &importReport) {
  auto module = tssa::readModel(context, options.input, import, importReport);
  if (!module)
    report(options, importReport.error, ModelError);
  return module;
}

int tssa::compile::bisect(mlir::MLIRContext &context, const Options &options, ImportOptions import,
                          const CompileOptions &compile) {
  ImportReport origins, ignored;
  import.exposeValues = true;
  auto exposed = readONNX(context, options, import, origins);
  if (!exposed)
    return origins.fault == operators::Fault::Unsupported ? Unsupported : ModelError;
  Expected<Results> all = collect(*exposed, options, compile);
  if (!all)
    return report(options, toString(all.takeError()), ModelError);
  if (reportFirst(*all, origins.origins, options))
    return Mismatch;
  import.exposeValues = false;
  auto plain = readONNX(context, options, import, ignored);
  if (!plain)
    return ModelError;
  Expected<Results> own = collect(*plain, options, compile);
  if (!own)
    return report(options, toString(own.takeError()), ModelError);
  for (size_t i = 0; i < own->names.size(); ++i)
    if (std::string text = describeDifference(*own, i, options); !text.empty())
      return report(options,
                    "output '" + own->names[i] + "' differs: " + text +
                        "; it agrees when every value is an output: see "
                        "--verify-each-stage",
                    Mismatch);
  size_t known = llvm::count_if(all->expected, [](auto &value) { return value.has_value(); });
  outs() << options.input << ": " << known << " of " << all->names.size()
         << " values are known, and all of these agree\n";
  return Success;
}
