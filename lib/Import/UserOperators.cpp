//===- UserOperators.cpp - operators that users define --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/UserOperators.h"
#include "dialects/te/IR/Program.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/IR/TEOps.h"
#include "lib/Import/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::operators;
using llvm::Twine;

namespace tssa {

/// Returns the number of arguments that are inputs of a node.
static unsigned countInputs(func::FuncOp function) {
  return llvm::count_if(function.getArgumentTypes(), llvm::IsaPred<RankedTensorType>);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Returns whether an op may stand in the body of an operator.
static bool isAllowed(Operation *op) {
  return isa<te::ExpressionOpInterface, te::ConstantOp, te::ExternOp, tensor::DimOp,
             func::ReturnOp>(op) ||
         isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
}

std::string UserOperators::findProblem(te::ExternOp call) const {
  StringRef callee = call.getCallee();
  if (llvm::none_of(objects, [&](const ForeignObject &object) {
        return llvm::is_contained(object.routines, callee);
      }))
    return "it calls '" + callee.str() + "', and no object of --operators defines 'tssa_extern_" +
           callee.str() + "'";
  if (!call.getOuts().empty() || call.getAxis() || call.getIsUnsigned() || !call.getLargest() ||
      !call.getSorted() || call.getCenterPointBox())
    return "its call of '" + callee.str() +
           "' has attributes or outs: a routine of a user gets all it needs as inputs";
  return "";
}

/// Returns what is wrong with a function, or "".
std::string UserOperators::findProblem(func::FuncOp function) const {
  auto [domain, name] = function.getSymName().split("::");
  if (domain.empty() || name.empty() || name.contains("::"))
    return "its name is not DOMAIN::OPERATOR";
  if (normalizeDomain(domain).empty())
    return "operators of ai.onnx cannot be defined";
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return "it has no body of one block";
  unsigned inputs = countInputs(function);
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    bool isInput = i < inputs;
    if (isInput != isa<RankedTensorType>(type))
      return "its arguments are not tensors, and then scalars";
    te::PortAttr port = te::getArgumentPort(function, i);
    if (!isInput && (!port || port.getName().empty()))
      return "argument " + std::to_string(i) +
             " is a scalar without the name of an attribute "
             "(te.port = #te.port<name = \"...\">)";
    if (!isInput && !type.isF32() && !type.isF64() && !type.isInteger(64) && !type.isIndex())
      return "argument " + std::to_string(i) + " is " + debugString(type) +
             ", expected f32, f64, i64 or index";
  }
  if (!llvm::all_of(function.getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return "its results are not tensors with a rank";
  for (Operation &op : function.getBody().front()) {
    if (!isAllowed(&op))
      return "it has '" + op.getName().getStringRef().str() +
             "', expected expressions of te, te.constant, te.extern, tensor.dim and arith";
    auto call = dyn_cast<te::ExternOp>(op);
    if (std::string problem = call ? findProblem(call) : ""; !problem.empty())
      return problem;
  }
  return "";
}

LogicalResult UserOperators::check(ImportReport &report) const {
  if (!module)
    return success();
  ModuleOp all = module; // its functions are not const
  for (Operation &op : all.getOps()) {
    auto function = dyn_cast<func::FuncOp>(op);
    std::string problem = function ? findProblem(function) : "";
    if (!function)
      return fail(report,
                  "--operators: expected functions, got '" + op.getName().getStringRef() + "'");
    if (!problem.empty())
      return fail(report, "--operators: '" + function.getSymName() + "': " + problem);
  }
  return success();
}

func::FuncOp UserOperators::find(const tssa_onnx::NodeProto &node) const {
  if (!module)
    return nullptr;
  ModuleOp all = module;
  return all.lookupSymbol<func::FuncOp>(normalizeDomain(node.domain()).str() +
                                        "::" + node.op_type());
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

namespace {
/// Builds the body of a function for the inputs of one node.
class OperatorBuilder {
public:
  OperatorBuilder(func::FuncOp function, operators::Builder &builder, const Node &node)
      : function(function), builder(builder), node(node) {}

  FailureOr<Tensors> run() {
    if (failed(bindInputs()) || failed(bindAttributes()))
      return failure();
    for (Operation &op : function.getBody().front().without_terminator())
      if (failed(build(&op)))
        return failure();
    return takeResults();
  }

private:
  LogicalResult bindInputs();
  LogicalResult bindAttributes();
  LogicalResult build(Operation *op);
  LogicalResult buildDim(tensor::DimOp op);
  LogicalResult buildSize(Operation *op);
  LogicalResult buildExpression(Operation *op);
  FailureOr<operators::Builder::ExternResult> describeResult(te::ExternOp op, unsigned number,
                                                             ArrayRef<int64_t> &sizes);
  LogicalResult buildCall(te::ExternOp op);
  FailureOr<DType> getDType(unsigned result, Type element);
  FailureOr<Tensors> takeResults();

  /// Returns a value of the function in the program.
  Value get(Value value);
  Size getSize(Value value);
  void set(Value tensor, Value built, ArrayRef<Size> shape) {
    mapping.map(tensor, built);
    shapes[tensor] = SmallVector<Size>(shape);
  }

  func::FuncOp function;
  operators::Builder &builder;
  const Node &node;
  IRMapping mapping;
  llvm::DenseMap<Value, Size> sizes; ///< the values of type index
  llvm::DenseMap<Value, SmallVector<Size>> shapes;
};
} // namespace

LogicalResult OperatorBuilder::bindInputs() {
  unsigned count = countInputs(function);
  if (node.inputs.size() != count)
    return builder.error("has " + Twine(node.inputs.size()) + " inputs, expected " + Twine(count));
  for (auto [i, input] : llvm::enumerate(node.inputs)) {
    BlockArgument argument = function.getArgument(i);
    auto type = cast<RankedTensorType>(argument.getType());
    if (!input)
      return builder.error("input " + Twine(i) + " is missing");
    if (getElementType(builder.context(), input.dtype()) != type.getElementType() ||
        input.rank() != type.getRank())
      return builder.error("input " + Twine(i) + " is " + input.str() + ", expected " +
                           debugString(type));
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (!ShapedType::isDynamic(size) &&
          failed(builder.requireEqual(input.dim(dim), Size(size),
                                      "dim " + Twine(dim) + " of input " + Twine(i))))
        return failure();
    set(argument, builder.value(input), input.shape());
  }
  return success();
}

LogicalResult OperatorBuilder::bindAttributes() {
  for (unsigned i = node.inputs.size(); i < function.getNumArguments(); ++i) {
    BlockArgument argument = function.getArgument(i);
    Type type = argument.getType();
    StringRef name = te::getArgumentPort(function, i).getName().getValue();
    auto number = dyn_cast_or_null<IntegerAttr>(node.attributes.get(name));
    auto real = dyn_cast_or_null<FloatAttr>(node.attributes.get(name));
    if (isa<FloatType>(type) ? !real : !number)
      return builder.error("attribute '" + name + "' is " +
                           (node.has(name) ? "no " : "missing, expected ") +
                           (isa<FloatType>(type) ? "float" : "integer"));
    if (type.isIndex())
      sizes[argument] = Size(number.getInt());
    else
      mapping.map(argument, arith::ConstantOp::create(
                                builder.ops, builder.loc(),
                                real ? TypedAttr(FloatAttr::get(type, real.getValueAsDouble()))
                                     : TypedAttr(IntegerAttr::get(type, number.getInt())))
                                .getResult());
  }
  return success();
}

Value OperatorBuilder::get(Value value) {
  auto size = sizes.find(value);
  return size == sizes.end() ? mapping.lookup(value) : builder.materializeValue(size->second);
}

/// Returns a size of the function. A value of type index is one of its sizes.
Size OperatorBuilder::getSize(Value value) { return sizes.lookup(value); }

LogicalResult OperatorBuilder::buildDim(tensor::DimOp op) {
  std::optional<int64_t> dim = te::getConstantSize(op.getIndex());
  ArrayRef<Size> shape = shapes[op.getSource()];
  if (!dim || *dim < 0 || *dim >= static_cast<int64_t>(shape.size()))
    return builder.error("its function reads a dim that is not known");
  sizes[op.getResult()] = shape[*dim];
  return success();
}

/// Builds an op of arith whose result is of type index.
LogicalResult OperatorBuilder::buildSize(Operation *op) {
  SmallVector<Size> of;
  for (Value operand : op->getOperands())
    of.push_back(getSize(operand));
  bool divides = isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivUIOp,
                     arith::CeilDivSIOp, arith::RemUIOp, arith::RemSIOp>(op);
  if (divides && !of[1].isAtLeast(1))
    return builder.error("its function divides a size by what may be 0 or less");
  std::optional<Size> result =
      llvm::TypeSwitch<Operation *, std::optional<Size>>(op)
          .Case<arith::AddIOp>([&](auto) { return of[0] + of[1]; })
          .Case<arith::SubIOp>([&](auto) { return of[0] - of[1]; })
          .Case<arith::MulIOp>([&](auto) { return of[0] * of[1]; })
          .Case<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(
              [&](auto) { return of[0].floorDiv(of[1]); })
          .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>([&](auto) { return of[0].ceilDiv(of[1]); })
          .Case<arith::RemUIOp, arith::RemSIOp>([&](auto) { return of[0].mod(of[1]); })
          .Case<arith::MinSIOp, arith::MinUIOp>([&](auto) { return Size::min(of[0], of[1]); })
          .Case<arith::MaxSIOp, arith::MaxUIOp>([&](auto) { return Size::max(of[0], of[1]); })
          .Default([](Operation *) { return std::nullopt; });
  if (!result)
    return builder.error("its function computes a size by '" + op->getName().getStringRef() +
                         "', expected a sum, difference, product, quotient, minimum or maximum");
  if (result->overflowed())
    return builder.limit("its function computes a size that is too large");
  sizes[op->getResult(0)] = *result;
  return success();
}

/// Makes the sizes of a domain those of the program.
static void setDomain(te::ComputeOp compute, ArrayRef<OpFoldResult> domain) {
  SmallVector<int64_t> known;
  SmallVector<Value> open;
  te::dispatchSizes(domain, known, open);
  compute.getDynamicSizesMutable().assign(open);
  compute.setStaticSizes(known);
  for (Value result : compute.getResults())
    result.setType(cast<RankedTensorType>(result.getType())
                       .clone(ArrayRef(known).take_front(compute.getNumParallel())));
}

LogicalResult OperatorBuilder::buildExpression(Operation *op) {
  // What the op and its bodies use of the sizes of the function.
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (sizes.count(operand))
        mapping.map(operand, get(operand));
  });
  Operation *copy = builder.ops.clone(*op, mapping);
  copy->walk([&](Operation *nested) { nested->setLoc(builder.loc()); });
  auto old = dyn_cast<te::ComputeOp>(op);
  if (!old) { // an update or a scan has the shape of its operand
    copy->getResult(0).setType(copy->getOperand(0).getType());
    set(op->getResult(0), copy->getResult(0), shapes[op->getOperand(0)]);
    return success();
  }
  SmallVector<Size> domain;
  for (OpFoldResult size : old.getIterationDomain()) {
    std::optional<int64_t> constant = te::getConstantSize(size);
    domain.push_back(constant ? Size(*constant) : getSize(cast<Value>(size)));
    if (failed(builder.requireNonNegative(domain.back(), "a size of the function")))
      return failure();
  }
  setDomain(cast<te::ComputeOp>(copy), builder.materialize(domain));
  ArrayRef<Size> shape = ArrayRef(domain).take_front(old.getNumParallel());
  for (auto [before, after] : llvm::zip_equal(op->getResults(), copy->getResults()))
    set(before, after, shape);
  return success();
}

/// Returns the type and sizes of result `number` of a call. `sizes` has the numbers of those of its
/// dynamic dims, and those of later results; they are taken.
FailureOr<operators::Builder::ExternResult>
OperatorBuilder::describeResult(te::ExternOp op, unsigned number, ArrayRef<int64_t> &sizes) {
  auto type = cast<RankedTensorType>(op.getResult(number).getType());
  FailureOr<DType> dtype = getDType(number, type.getElementType());
  if (failed(dtype))
    return failure();
  operators::Builder::ExternResult result{*dtype, {}};
  for (int64_t extent : type.getShape()) {
    std::optional<Size> size = Size(extent);
    if (ShapedType::isDynamic(extent)) {
      int64_t known = sizes.consume_front();
      size = known < 0 ? std::nullopt : std::optional(getSize(op.getResultSizes()[known]));
    }
    if (size && failed(builder.requireNonNegative(*size, "a size of the function")))
      return failure();
    result.shape.push_back(size);
  }
  return result;
}

/// Builds a call of a routine.
LogicalResult OperatorBuilder::buildCall(te::ExternOp op) {
  SmallVector<Value> operands;
  for (Value input : op.getInputs())
    operands.push_back(get(input));
  SmallVector<operators::Builder::ExternResult> results;
  ArrayRef<int64_t> sizes = op.getSizeIndex();
  for (unsigned number = 0; number < op.getNumResults(); ++number) {
    auto result = describeResult(op, number, sizes);
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  FailureOr<Tensors> tensors =
      builder.callExtern(op.getCallee(), ValueRange(operands), results, {});
  if (failed(tensors))
    return failure();
  for (auto [result, tensor] : llvm::zip_equal(op.getResults(), *tensors))
    set(result, builder.value(tensor), tensor.shape());
  return success();
}

LogicalResult OperatorBuilder::build(Operation *op) {
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    return buildDim(dim);
  APInt constant;
  if (op->getNumResults() == 1 && op->getResult(0).getType().isIndex()) {
    if (!matchPattern(op->getResult(0), m_ConstantInt(&constant)))
      return buildSize(op);
    sizes[op->getResult(0)] = Size(constant.getSExtValue());
    return success();
  }
  if (isa<te::ExpressionOpInterface>(op))
    return buildExpression(op);
  if (auto call = dyn_cast<te::ExternOp>(op))
    return buildCall(call);
  if (auto known = dyn_cast<te::ConstantOp>(op)) {
    Operation *copy = builder.ops.clone(*op, mapping);
    ArrayRef<int64_t> shape = known.getType().getShape();
    set(known, copy->getResult(0), SmallVector<Size>(shape.begin(), shape.end()));
    return success();
  }
  for (Value operand : op->getOperands())
    mapping.map(operand, get(operand));
  builder.ops.clone(*op, mapping)->setLoc(builder.loc());
  return success();
}

/// Returns the type of a result's elements.
FailureOr<DType> OperatorBuilder::getDType(unsigned result, Type element) {
  if (std::optional<DType> dtype = findDType(element))
    return *dtype;
  return builder.unsupported("result " + Twine(result) + " of its function has elements of " +
                             debugString(element));
}

FailureOr<Tensors> OperatorBuilder::takeResults() {
  Operation *end = function.getBody().front().getTerminator();
  Tensors results;
  for (auto [i, result] : llvm::enumerate(end->getOperands())) {
    Type element = cast<RankedTensorType>(result.getType()).getElementType();
    FailureOr<DType> dtype = getDType(i, element);
    if (failed(dtype))
      return failure();
    results.push_back(builder.wrap(get(result), *dtype, shapes[result]));
  }
  return results;
}

FailureOr<Tensors> UserOperators::build(func::FuncOp function, operators::Builder &builder,
                                        const Node &node) const {
  return OperatorBuilder(function, builder, node).run();
}

} // namespace tssa
