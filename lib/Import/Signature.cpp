//===- Signature.cpp - inputs and results of the program -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/Signature.h"
#include "dialects/te/IR/Program.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tssa/Builder/Limits.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace tssa::operators;
using mlir::failure;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::success;
namespace te = mlir::tssa::te;
using tssa_onnx::GraphProto;
using tssa_onnx::ValueInfoProto;

namespace tssa {

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

namespace {
class InputReader {
public:
  InputReader(const GraphProto &graph, const ImportOptions &options, ImportReport &report)
      : graph(graph), options(options), report(report) {}

  FailureOr<std::vector<Input>> run();

private:
  LogicalResult bindNames();
  LogicalResult bind(StringRef name, int64_t size);
  FailureOr<Input> read(const ValueInfoProto &value);
  FailureOr<InputDim> readDim(const tssa_onnx::TensorShapeProto::Dimension &dim, StringRef symbol);
  InputDim nameDim(StringRef name);
  LogicalResult override(Input &input, ArrayRef<GivenDim> shape, bool hasShape);
  LogicalResult override(const Input &input, InputDim &dim, const GivenDim &given);
  LogicalResult checkOptions();

  const GraphProto &graph;
  const ImportOptions &options;
  ImportReport &report;
  SmallVector<const ValueInfoProto *> values;
  StringMap<int64_t> sizes;
  StringSet<> names;
};
} // namespace

LogicalResult InputReader::bind(StringRef name, int64_t size) {
  auto [it, isNew] = sizes.try_emplace(name, size);
  if (!isNew && it->second != size)
    return fail(report, "dim " + quote(name) + " is given as " + Twine(it->second) + " and as " +
                            Twine(size));
  return success();
}

/// Binds the names of dims to the sizes that the options give, directly or by the shape of an
/// input.
LogicalResult InputReader::bindNames() {
  for (const auto &entry : options.dims)
    if (failed(bind(entry.getKey(), entry.getValue())))
      return failure();
  for (const ValueInfoProto *value : values) {
    auto given = options.inputShapes.find(value->name());
    auto [form, type] = *findForm(value->type());
    const auto &dims = type->shape().dim();
    size_t numRowDims = form == Form::Tensor ? 0 : 1;
    if (given == options.inputShapes.end() || given->second.size() != dims.size() + numRowDims)
      continue;
    for (auto [dim, wanted] : llvm::zip_equal(dims, ArrayRef(given->second).drop_front(numRowDims)))
      if (wanted.size && !getDimName(dim).empty() && failed(bind(getDimName(dim), *wanted.size)))
        return failure();
  }
  return success();
}

FailureOr<InputDim> InputReader::readDim(const tssa_onnx::TensorShapeProto::Dimension &dim,
                                         StringRef symbol) {
  if (dim.has_dim_value() && dim.dim_value() >= 0)
    return InputDim{dim.dim_value(), {}};
  StringRef name = getDimName(dim);
  if (name.empty())
    return InputDim{std::nullopt, symbol.str()};
  return nameDim(name);
}

InputDim InputReader::nameDim(StringRef name) {
  names.insert(name);
  auto known = sizes.find(name);
  if (known != sizes.end())
    return InputDim{known->second, {}};
  return InputDim{std::nullopt, name.str()};
}

/// Gives a dim of `input` the size or the name that the options give it.
LogicalResult InputReader::override(const Input &input, InputDim &dim, const GivenDim &given) {
  if (given.size) {
    if (dim.size && *dim.size != *given.size)
      return fail(report, "the shape given for input " + quote(input.name) + " has size " +
                              Twine(*given.size) + ", expected " + Twine(*dim.size));
    dim = {given.size, {}};
    return success();
  }
  if (given.name.empty() || given.name == dim.symbol)
    return success();
  InputDim named = nameDim(given.name);
  bool hasName = !dim.symbol.empty() && names.contains(dim.symbol);
  if (hasName || (dim.size && dim.size != named.size))
    return fail(report, "the shape given for input " + quote(input.name) + " has dim " +
                            quote(given.name) + ", expected " +
                            (hasName ? quote(dim.symbol) : std::to_string(*dim.size)));
  dim = named;
  return success();
}

LogicalResult InputReader::override(Input &input, ArrayRef<GivenDim> shape, bool hasShape) {
  for (size_t i = 0; !hasShape && i < shape.size(); ++i)
    input.dims.push_back({std::nullopt, input.name + "." + std::to_string(i)});
  if (input.dims.size() != shape.size())
    return fail(report, "the shape given for input " + quote(input.name) + " has rank " +
                            Twine(shape.size()) + ", expected " + Twine(input.dims.size()));
  for (auto [dim, given] : llvm::zip_equal(input.dims, shape))
    if (failed(override(input, dim, given)))
      return failure();
  return success();
}

/// Returns what an input without a shape needs.
static std::string adviseShape(const std::string &name, Form form) {
  StringRef rows = form == Form::Sequence   ? "with the number of parts first, "
                   : form == Form::Optional ? "with 1 first if it has an element, else 0, "
                                            : "";
  return ("input " + quote(name) + " has no shape: give one, " + rows + "such as --input-shape " +
          name + (form == Form::Optional ? "=[1,3,224,224]" : "=[N,3,224,224]"))
      .str();
}

/// Checks what an optional has as its first dim: 1 if it has an element, else 0.
static LogicalResult checkCount(const Input &input, ImportReport &report) {
  if (input.form != Form::Optional || input.dims.front().size.value_or(0) <= 1)
    return success();
  return fail(report, Fault::Usage,
              "the shape given for input " + quote(input.name) + " has size " +
                  Twine(*input.dims.front().size) + " first, expected 0 or 1 for an optional");
}

FailureOr<Input> InputReader::read(const ValueInfoProto &value) {
  auto [form, shaped] = *findForm(value.type());
  const tssa_onnx::TypeProto_Tensor &type = *shaped;
  Input input{value.name(), *fromONNX(type.elem_type()), {}, form};
  auto given = options.inputShapes.find(value.name());
  if (!type.has_shape() && given == options.inputShapes.end())
    return fail(report, Fault::Unsupported, adviseShape(value.name(), form));
  if (static_cast<size_t>(type.shape().dim_size()) > maxRank)
    return fail(report, Fault::Limit,
                "input " + quote(value.name()) + " has rank " + Twine(type.shape().dim_size()) +
                    ", at most " + Twine(maxRank) + " is supported");
  if (form != Form::Tensor && type.has_shape())
    input.dims.push_back({std::nullopt, value.name() + ".0"});
  for (const auto &dim : type.shape().dim()) {
    FailureOr<InputDim> read = readDim(dim, value.name() + "." + std::to_string(input.dims.size()));
    if (failed(read))
      return failure();
    input.dims.push_back(*read);
  }
  if (given != options.inputShapes.end() &&
      failed(override(input, given->second, type.has_shape())))
    return failure();
  if (failed(checkCount(input, report)))
    return failure();
  return input;
}

/// Reports an error if the options contain names that are not in the model.
LogicalResult InputReader::checkOptions() {
  SmallVector<StringRef> dims = llvm::to_vector(names.keys()), inputs;
  llvm::sort(dims);
  for (const auto &entry : options.dims)
    if (!names.contains(entry.getKey()))
      return fail(report, Fault::Usage,
                  "no input has a dim named " + quote(entry.getKey()) +
                      suggestOrList(entry.getKey(), dims, "all sizes are fixed"));
  for (const ValueInfoProto *value : values)
    inputs.push_back(value->name());
  for (const auto &entry : options.inputShapes)
    if (!llvm::is_contained(inputs, entry.getKey()))
      return fail(report, Fault::Usage,
                  "the model has no input " + quote(entry.getKey()) +
                      suggestOrList(entry.getKey(), inputs, "it has none"));
  return success();
}

FailureOr<std::vector<Input>> InputReader::run() {
  StringSet<> initialized;
  for (const auto &tensor : graph.initializer())
    initialized.insert(tensor.name());
  for (const auto &tensor : graph.sparse_initializer())
    initialized.insert(tensor.values().name());
  for (const ValueInfoProto &value : graph.input())
    if (auto form = findForm(value.type());
        !initialized.contains(value.name()) && form && fromONNX(form->second->elem_type()))
      values.push_back(&value);
  if (failed(bindNames()))
    return failure();
  std::vector<Input> inputs;
  for (const ValueInfoProto *value : values) {
    FailureOr<Input> input = read(*value);
    if (failed(input))
      return failure();
    inputs.push_back(std::move(*input));
  }
  if (failed(checkOptions()))
    return failure();
  return inputs;
}

FailureOr<std::vector<Input>> readInputs(const GraphProto &graph, const ImportOptions &options,
                                         ImportReport &report) {
  return InputReader(graph, options, report).run();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Builds the description of a port; `dims` are integers and strings.
static te::PortAttr makePort(mlir::Builder builder, StringRef name, DType type,
                             ArrayRef<mlir::Attribute> dims) {
  return te::PortAttr::get(builder.getContext(), builder.getStringAttr(name),
                           getSignedType(builder.getContext(), type), builder.getArrayAttr(dims));
}

/// Returns an input as the operators take it. `rows` is the tensor that the program has for it.
static FailureOr<Tensor> toForm(Builder &builder, Form form, const Tensor &rows) {
  if (form == Form::Tensor)
    return rows;
  if (form == Form::Sequence)
    return Tensor::makeStacked(rows);
  const Size &count = rows.dim(0);
  if (std::optional<int64_t> known = count.constant())
    return *known == 0 ? Tensor::makeAbsent(rows.dtype())
                       : builder.reshape(rows, rows.shape().drop_front());
  if (failed(builder.require(builder.isLess(count, 2), "the optional has more than one element")))
    return failure();
  return Tensor::makeOptional(rows);
}

LogicalResult importInputs(mlir::func::FuncOp function, ArrayRef<Input> inputs, Builder &builder,
                           GraphImporter::Scope &scope) {
  mlir::OpBuilder &ops = builder.ops;
  mlir::Block *entry = function.addEntryBlock();
  ops.setInsertionPointToStart(entry);
  StringMap<Size> symbols;
  for (const auto &[i, input] : llvm::enumerate(inputs)) {
    SmallVector<mlir::Attribute> dims;
    SmallVector<Size> shape;
    mlir::Value argument = entry->getArgument(i);
    builder.setLoc(mlir::NameLoc::get(ops.getStringAttr(input.name)));
    for (const auto &[d, dim] : llvm::enumerate(input.dims)) {
      if (dim.size) {
        dims.push_back(ops.getI64IntegerAttr(*dim.size));
        shape.push_back(*dim.size);
        continue;
      }
      dims.push_back(ops.getStringAttr(dim.symbol));
      auto [it, isNew] = symbols.try_emplace(dim.symbol);
      if (isNew) {
        mlir::Value size =
            mlir::tensor::DimOp::create(ops, builder.loc(), argument, static_cast<int64_t>(d));
        it->second = builder.sizes.get(size, /*nonNegative=*/true, dim.symbol);
      }
      shape.push_back(it->second);
    }
    te::setArgumentPort(function, i, makePort(ops, input.name, input.type, dims));
    FailureOr<Tensor> tensor =
        toForm(builder, input.form, builder.wrap(argument, input.type, shape));
    if (failed(tensor))
      return failure();
    scope.entries[input.name] = {*tensor, "an input"};
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Checks an output that is a sequence or an optional. A warning says what results it becomes.
static LogicalResult checkRows(const ValueInfoProto &declared, const Tensor &tensor,
                               const std::string &subject, ImportReport &report) {
  auto form = findForm(declared.type());
  std::optional<DType> dtype = form ? fromONNX(form->second->elem_type()) : std::nullopt;
  if (dtype && *dtype != tensor.dtype())
    return fail(report, subject + "has element type " + getName(tensor.dtype()) +
                            ", the model says " + getName(*dtype));
  size_t length = tensor.elements().size();
  if (length == 0 && !tensor.isPlain())
    return fail(report, Fault::Unsupported,
                subject + "is a " + tensor.str() + ", expected at least one; leave the output out");
  auto part = [&](size_t i) { return quote(declared.name() + "." + std::to_string(i)); };
  std::string results = tensor.isStacked() ? "one tensor with its parts as rows"
                        : declared.type().has_optional_type()
                            ? "one tensor with its element as the only row"
                        : length == 1 ? part(0)
                                      : part(0) + " to " + part(length - 1);
  report.warnings.push_back(subject + "is a " + tensor.str() + ", which becomes " + results);
  return success();
}

static bool isMap(const ValueInfoProto &declared) {
  return declared.type().sequence_type().elem_type().has_map_type();
}

/// Checks an output of strings or maps, or one that is declared as such.
static LogicalResult checkLabels(const ValueInfoProto &declared, const Tensor &tensor,
                                 const std::string &subject, ImportReport &report) {
  const auto &map = declared.type().sequence_type().elem_type().map_type();
  if (!declared.type().value_case()) // an output that the import adds has no type
    return success();
  if (tensor.isMaps() && !isMap(declared))
    return fail(report, subject + "has maps, the model says otherwise");
  if (!tensor.isMaps() && isMap(declared))
    return fail(report, subject + "is a " + tensor.str() + ", expected maps");
  bool hasStrings =
      tensor.isMaps() ? tensor.labels()->kind == Labels::StringKeys : tensor.hasStrings();
  int32_t type = isMap(declared) ? map.key_type() : declared.type().tensor_type().elem_type();
  if (declared.type().has_tensor_type() && type == tssa_onnx::TensorProto::UNDEFINED)
    return success();
  bool saysStrings = type == tssa_onnx::TensorProto::STRING;
  if (hasStrings != saysStrings)
    return fail(report, subject + "has " + (tensor.isMaps() ? "keys" : "elements") + " that are " +
                            (hasStrings ? "" : "no ") + "strings, the model says " +
                            getTypeName(type));
  return success();
}

/// Checks that an output has the element type that the model declares. If the declared shape
/// differs from the shape of the tensor, only adds a warning, because exporters often write wrong
/// shapes.
static LogicalResult checkOutput(const ValueInfoProto &declared, const GraphImporter::Entry &entry,
                                 ImportReport &report) {
  const auto &type = declared.type().tensor_type();
  const Tensor &tensor = entry.tensor;
  std::string subject = "output " + quote(declared.name()) + ", " + entry.producer + ", ";
  bool hasLabels = tensor.isMaps() || tensor.hasStrings();
  if (hasLabels || isMap(declared) || type.elem_type() == tssa_onnx::TensorProto::STRING)
    if (failed(checkLabels(declared, tensor, subject, report)))
      return failure();
  if (tensor.isMaps())
    return success();
  if (tensor.isPlain() && declared.type().has_optional_type())
    return checkRows(declared, tensor, subject, report);
  if (!declared.type().has_tensor_type() && tensor.isPlain())
    return success();
  if ((tensor.isSequence() || tensor.isOptional()) && !declared.type().has_tensor_type())
    return checkRows(declared, tensor, subject, report);
  if (!tensor.isPlain())
    return fail(report, Fault::Unsupported,
                subject + "is a " + tensor.str() + ", expected a tensor");
  std::optional<DType> dtype = fromONNX(type.elem_type());
  if (dtype && *dtype != tensor.dtype())
    return fail(report, subject + "has element type " + getName(tensor.dtype()) +
                            ", the model says " + getName(*dtype));
  if (!type.has_shape())
    return success();
  bool agrees = type.shape().dim_size() == tensor.rank();
  std::string text;
  for (const auto &[i, dim] : llvm::enumerate(type.shape().dim())) {
    text += (i ? "," : "") + (dim.has_dim_value() ? std::to_string(dim.dim_value()) : "?");
    if (agrees && dim.has_dim_value() && dim.dim_value() >= 0)
      agrees = !tensor.dim(i).differs(dim.dim_value());
  }
  if (!agrees)
    report.warnings.push_back(subject + "is " + tensor.str() + ", the model says [" + text + "]");
  return success();
}

namespace {
/// A result of the program. `labels` has its strings or keys, or is null.
struct Result {
  std::string name;
  Tensor tensor;
  std::shared_ptr<const Labels> labels;
};
} // namespace

/// Returns `port` with the strings or keys of `labels`, which may be null.
static te::PortAttr withLabels(te::PortAttr port, const Labels *labels) {
  if (!labels)
    return port;
  mlir::Builder builder(port.getContext());
  mlir::ArrayAttr values =
      labels->kind == Labels::IntKeys
          ? builder.getI64ArrayAttr(labels->ints)
          : builder.getStrArrayAttr(llvm::to_vector_of<StringRef>(labels->strings));
  return labels->areKeys() ? port.withLabels({}, values) : port.withLabels(values, {});
}

/// Returns the results that an output becomes: one for each part of a list, else one. An optional
/// that is known to have an element is the only row, too.
static SmallVector<Result> splitOutput(const ValueInfoProto &declared, const Tensor &tensor,
                                       Builder &builder) {
  StringRef name = declared.name();
  if (tensor.isPlain() && declared.type().has_optional_type()) {
    SmallVector<Size> shape(tensor.shape());
    shape.insert(shape.begin(), Size(1));
    return {{name.str(), *builder.reshape(tensor, shape), nullptr}};
  }
  if (tensor.isStacked() || tensor.isOptional() || tensor.isMaps())
    return {{name.str(), tensor.rows(), tensor.labels()}};
  if (!tensor.isList())
    return {{name.str(), tensor, tensor.labels()}};
  SmallVector<Result> results;
  for (const auto &[i, part] : llvm::enumerate(tensor.elements()))
    results.push_back({(name + "." + Twine(i)).str(), part, nullptr});
  return results;
}

static size_t countBytes(const Labels &labels) {
  size_t bytes = labels.ints.size() * sizeof(int64_t);
  for (const std::string &text : labels.strings)
    bytes += text.size() + sizeof(std::string);
  return bytes;
}

/// Returns the results of all outputs of `graph`, after checking them.
static FailureOr<SmallVector<Result>> collectResults(const GraphProto &graph, Builder &builder,
                                                     GraphImporter::Scope &scope,
                                                     ImportReport &report) {
  StringSet<> names;
  for (const ValueInfoProto &output : graph.output())
    names.insert(output.name());
  SmallVector<Result> results;
  CheckedSize labelBytes = 0;
  for (const ValueInfoProto &output : graph.output()) {
    GraphImporter::Entry *entry = scope.find(output.name());
    if (entry->isUnknown)
      return fail(report, Fault::Unsupported,
                  "output " + quote(output.name()) + " depends on what is not supported");
    if (failed(checkOutput(output, *entry, report)))
      return failure();
    for (Result &result : splitOutput(output, entry->tensor, builder)) {
      if (entry->tensor.isList() && !names.insert(result.name).second)
        return fail(report, Fault::Unsupported,
                    "output " + quote(output.name()) + " has a part " + quote(result.name) +
                        ", which is also the name of another output; rename one of them");
      labelBytes += result.labels ? countBytes(*result.labels) : 0;
      results.push_back(std::move(result));
    }
    if (!labelBytes.fits(maxLabelBytes))
      return fail(report, Fault::Limit,
                  "the labels of the outputs have more than " + Twine(maxLabelBytes) +
                      " bytes, which is the limit");
  }
  return results;
}

LogicalResult importOutputs(mlir::func::FuncOp function, const GraphProto &graph, Builder &builder,
                            GraphImporter::Scope &scope, ImportReport &report) {
  mlir::OpBuilder &ops = builder.ops;
  builder.setLoc(ops.getUnknownLoc());
  SmallVector<mlir::Value> values;
  SmallVector<te::PortAttr> ports;
  FailureOr<SmallVector<Result>> results = collectResults(graph, builder, scope, report);
  if (failed(results))
    return failure();
  for (const auto &[name, tensor, labels] : *results) {
    values.push_back(builder.value(tensor));
    SmallVector<mlir::Attribute> dims;
    for (const Size &size : tensor.shape()) {
      if (std::optional<int64_t> constant = size.constant())
        dims.push_back(ops.getI64IntegerAttr(*constant));
      else
        dims.push_back(ops.getStringAttr(size.str()));
    }
    ports.push_back(withLabels(makePort(ops, name, tensor.dtype(), dims), labels.get()));
  }
  mlir::func::ReturnOp::create(ops, builder.loc(), values);
  function.setFunctionType(
      ops.getFunctionType(function.getArgumentTypes(), mlir::ValueRange(values).getTypes()));
  for (const auto &[i, port] : llvm::enumerate(ports))
    te::setResultPort(function, i, port);
  return success();
}

} // namespace tssa
