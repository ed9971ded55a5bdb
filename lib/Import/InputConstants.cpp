//===- InputConstants.cpp - inputs that the options make constants -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/InputConstants.h"
#include "dialects/te/IR/Program.h"
#include "lib/Import/Graph.h"
#include "lib/Import/TensorData.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tssa/Builder/DType.h"
#include "tssa/Support/CheckedSize.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

using namespace llvm;
using namespace tssa::operators;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;
using tssa_onnx::GraphProto;
using tssa_onnx::TensorProto;
using tssa_onnx::ValueInfoProto;
namespace te = mlir::tssa::te;

namespace tssa {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static bool appendFloat(DType type, StringRef text, TensorProto &tensor) {
  const fltSemantics &semantics = type == DType::F64   ? APFloat::IEEEdouble()
                                  : type == DType::F16 ? APFloat::IEEEhalf()
                                  : type == DType::F32 ? APFloat::IEEEsingle()
                                                       : APFloat::BFloat();
  APFloat value(semantics);
  Expected<APFloat::opStatus> status = value.convertFromString(text, APFloat::rmNearestTiesToEven);
  if (!status) {
    consumeError(status.takeError());
    return false;
  }
  if (*status & APFloat::opOverflow)
    return false;
  if (type == DType::F64)
    tensor.add_double_data(value.convertToDouble());
  else if (type == DType::F32)
    tensor.add_float_data(value.convertToFloat());
  else
    tensor.add_int32_data(static_cast<int32_t>(value.bitcastToAPInt().getZExtValue()));
  return true;
}

static bool appendInteger(DType type, StringRef text, TensorProto &tensor) {
  APInt value;
  bool isNegative = text.consume_front("-");
  if (text.getAsInteger(10, value))
    return false;
  unsigned bits = getBits(type);
  // One more bit holds the sign, and another one the magnitude of the smallest integer.
  value = value.zext(std::max(value.getBitWidth(), bits) + 2);
  if (isNegative)
    value.negate();
  if (isUnsigned(type) ? value.isNegative() || !value.isIntN(bits) : !value.isSignedIntN(bits))
    return false;
  if (type == DType::I64)
    tensor.add_int64_data(value.getSExtValue());
  else if (type == DType::U64 || type == DType::U32)
    tensor.add_uint64_data(value.trunc(64).getZExtValue());
  else
    tensor.add_int32_data(static_cast<int32_t>(value.getSExtValue()));
  return true;
}

/// Adds the element that `text` spells to `tensor`; false if `type` has no such element.
static bool appendElement(DType type, StringRef text, TensorProto &tensor) {
  if (type == DType::Bool) {
    if (text != "true" && text != "false")
      return false;
    tensor.add_int32_data(text == "true");
    return true;
  }
  return isFloat(type) ? appendFloat(type, text, tensor) : appendInteger(type, text, tensor);
}

/// Splits the text of a value into its elements; false if it is neither an element nor a list.
static bool splitValue(StringRef text, SmallVectorImpl<StringRef> &elements) {
  text = text.trim();
  if (text.consume_front("[")) {
    if (!text.consume_back("]"))
      return false;
    if (text.trim().empty())
      return true;
    text.split(elements, ',');
  } else {
    elements.push_back(text);
  }
  for (StringRef &element : elements)
    element = element.trim();
  return none_of(elements, [](StringRef element) { return element.empty(); });
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

namespace {
/// Makes one input of a graph a constant.
class ConstantBinder {
public:
  ConstantBinder(GraphProto &graph, ImportOptions &options, ImportReport &report, StringRef name)
      : graph(graph), options(options), report(report), name(name) {}

  LogicalResult run(StringRef text);

private:
  LogicalResult error(const Twine &text) {
    return fail(report, Fault::Usage, "--const of input " + quote(name) + ": " + text);
  }
  LogicalResult findInput();
  LogicalResult checkType();
  LogicalResult findShape(size_t count, bool isList);
  LogicalResult checkCount(size_t count);
  LogicalResult settleDims(const ValueInfoProto &input);
  void replaceInput(TensorProto tensor);

  GraphProto &graph;
  ImportOptions &options;
  ImportReport &report;
  StringRef name;
  int position = 0;
  DType type = DType::F32;
  SmallVector<std::optional<int64_t>> shape;
};
} // namespace

LogicalResult ConstantBinder::findInput() {
  SmallVector<StringRef> names;
  for (const ValueInfoProto &input : graph.input())
    names.push_back(input.name());
  position = llvm::find(names, name) - names.begin();
  if (position < graph.input_size())
    return success();
  return fail(report, Fault::Usage,
              "the model has no input " + quote(name) + suggestOrList(name, names, "it has none"));
}

LogicalResult ConstantBinder::checkType() {
  const tssa_onnx::TypeProto &proto = graph.input(position).type();
  if (!proto.has_tensor_type())
    return error("it is no tensor");
  std::optional<DType> known = fromONNX(proto.tensor_type().elem_type());
  if (!known || isSubByte(*known) || isSmallFloat(*known))
    return error("its elements are " + getTypeName(proto.tensor_type().elem_type()) +
                 ", expected bools, integers of 8 bits or more, or floats of 16 bits or more");
  type = *known;
  return success();
}

/// Finds the sizes of the input from its declaration, the options and `count`, the number of
/// elements of the value.
LogicalResult ConstantBinder::findShape(size_t count, bool isList) {
  const auto &tensor = graph.input(position).type().tensor_type();
  auto given = options.inputShapes.find(name);
  bool isGiven = given != options.inputShapes.end();
  for (const auto &dim : tensor.shape().dim()) {
    auto named = options.dims.find(getDimName(dim));
    bool isFixed = dim.has_dim_value() && dim.dim_value() >= 0;
    shape.push_back(isFixed                       ? std::optional(dim.dim_value())
                    : named != options.dims.end() ? std::optional(named->second)
                                                  : std::nullopt);
  }
  if (!tensor.has_shape())
    shape.resize(isGiven ? given->second.size() : isList);
  if (isGiven) {
    if (given->second.size() != shape.size())
      return error("--input-shape gives it rank " + Twine(given->second.size()) + ", expected " +
                   Twine(shape.size()));
    for (auto [size, wanted] : llvm::zip_equal(shape, given->second)) {
      auto named = options.dims.find(wanted.name);
      std::optional<int64_t> other = named != options.dims.end() ? named->second : wanted.size;
      if (size && other && *size != *other)
        return error("--input-shape gives it size " + Twine(*other) + ", expected " + Twine(*size));
      size = other ? other : size;
    }
  }
  if (shape.size() == 1 && !shape[0])
    shape[0] = count;
  if (llvm::is_contained(shape, std::nullopt))
    return error("its sizes are not known: give them with --input-shape " + name + "=...");
  return checkCount(count);
}

LogicalResult ConstantBinder::checkCount(size_t count) {
  SmallVector<int64_t> sizes;
  for (std::optional<int64_t> size : shape)
    sizes.push_back(*size);
  std::optional<int64_t> expected = CheckedSize::product(sizes).get();
  if (expected && *expected == static_cast<int64_t>(count))
    return success();
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return error("expected as many elements as the shape [" + text + "] has, got " + Twine(count));
}

/// Gives the named dims of `input`, which is no longer in the graph, the sizes that they have in
/// the constant.
LogicalResult ConstantBinder::settleDims(const ValueInfoProto &input) {
  for (auto [dim, size] : llvm::zip(input.type().tensor_type().shape().dim(), shape)) {
    StringRef dimName = getDimName(dim);
    if (dimName.empty())
      continue;
    auto [it, isNew] = options.dims.try_emplace(dimName, *size);
    if (!isNew && it->second != *size)
      return error("dim " + quote(dimName) + " is " + Twine(*size) + " here and " +
                   Twine(it->second) + " elsewhere");
    bool isUsed = llvm::any_of(graph.input(), [&](const ValueInfoProto &other) {
      return llvm::any_of(other.type().tensor_type().shape().dim(),
                          [&](const auto &used) { return getDimName(used) == dimName; });
    });
    if (!isUsed)
      options.dims.erase(dimName);
  }
  return success();
}

/// Puts `tensor` in the place of the input, and of a default value that it may have.
void ConstantBinder::replaceInput(TensorProto tensor) {
  graph.mutable_input()->DeleteSubrange(position, 1);
  options.inputShapes.erase(name);
  for (TensorProto &initializer : *graph.mutable_initializer())
    if (initializer.name() == name) {
      initializer = std::move(tensor);
      return;
    }
  llvm::erase_if(*graph.mutable_sparse_initializer(),
                 [&](const auto &initializer) { return initializer.values().name() == name; });
  *graph.add_initializer() = std::move(tensor);
}

LogicalResult ConstantBinder::run(StringRef text) {
  if (failed(findInput()) || failed(checkType()))
    return failure();
  SmallVector<StringRef> elements;
  if (!splitValue(text, elements))
    return error("expected a number, true, false or a list such as [1,3,224,224], got '" + text +
                 "'");
  TensorProto tensor;
  tensor.set_name(name.str());
  tensor.set_data_type(graph.input(position).type().tensor_type().elem_type());
  for (StringRef element : elements)
    if (!appendElement(type, element, tensor))
      return error(quote(element) + " is no " + getName(type));
  if (failed(findShape(elements.size(), text.trim().starts_with("["))))
    return failure();
  for (std::optional<int64_t> size : shape)
    tensor.add_dims(*size);
  ValueInfoProto input = graph.input(position);
  replaceInput(std::move(tensor));
  return settleDims(input);
}

LogicalResult bindConstants(GraphProto &graph, ImportOptions &options, ImportReport &report) {
  for (const auto &[name, text] : options.constants)
    if (failed(ConstantBinder(graph, options, report, name).run(text)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Advice
//===----------------------------------------------------------------------===//

/// Adds the values outside `op` from which it computes its results. The input whose size `op` reads
/// does not count: --dim fixes that, and no constant.
static void addSources(mlir::Operation *op, SetVector<mlir::Value> &values) {
  op->walk([&](mlir::Operation *inner) {
    if (isa<mlir::tensor::DimOp>(inner))
      return;
    for (mlir::Value operand : inner->getOperands())
      if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
        values.insert(operand);
  });
}

std::string adviseConstant(mlir::Value value) {
  constexpr size_t maxValues = 1000;
  SetVector<mlir::Value> values;
  std::string found;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i) {
    mlir::Operation *op = values[i].getDefiningOp();
    if (values.size() > maxValues)
      return "";
    if (op) {
      addSources(op, values);
      continue;
    }
    auto argument = cast<mlir::BlockArgument>(values[i]);
    auto function = dyn_cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
    auto shape = dyn_cast<mlir::ShapedType>(argument.getType());
    if (!function || !shape || shape.getRank() > 1 || !found.empty())
      return "";
    found = te::getArgumentPort(function, argument.getArgNumber()).getName().str();
  }
  return found.empty() ? ""
                       : "; it is made of input " + quote(found) +
                             ": give its value with --const " + found + "=VALUE";
}

} // namespace tssa
