//===- PyTorch.cpp - imports recorded programs -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Import/PyTorch.h"
#include "dialects/te/IR/Program.h"
#include "lib/Import/PyTorch/Constants.h"
#include "lib/Import/PyTorch/Operators.h"
#include "lib/Import/PyTorch/Views.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::success;

namespace refs = mlir::tssa::refs;
namespace te = mlir::tssa::te;

namespace tssa {
namespace pytorch {
namespace {

//===----------------------------------------------------------------------===//
// What is not supported
//===----------------------------------------------------------------------===//

/// Collects every operator that the table lacks, with its location in the source.
class Checker {
public:
  LogicalResult run(const RecordedProgram &program, ImportReport &report);

private:
  void visit(const Block &block);
  std::vector<std::string> lines;
};

bool isBuiltIn(const RecordedNode &node) {
  return node.is("prim::Constant") || node.is("prim::If") || node.is("prim::Loop") ||
         node.is("prim::RaiseException");
}

} // namespace

void Checker::visit(const Block &block) {
  for (const RecordedNode &node : block.nodes) {
    for (const Block &inner : node.blocks)
      visit(inner);
    if (isBuiltIn(node) || OperatorTable::get().find(node.op))
      continue;
    std::string line = node.op + " is not supported";
    if (node.location.line)
      line = node.location.file + ":" + std::to_string(node.location.line) + ": " + line;
    lines.push_back(line);
  }
}

LogicalResult Checker::run(const RecordedProgram &program, ImportReport &report) {
  visit(program.body);
  if (lines.empty())
    return success();
  return fail(report, Fault::Unsupported, llvm::join(lines, "\n"));
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

namespace {
/// Binds the program's arguments. A tensor becomes an argument of `@main`, or a constant if its
/// elements are known.
class ArgumentBinder {
public:
  ArgumentBinder(mlir::func::FuncOp function, operators::Builder &builder, Guards &guards,
                 const Constants &constants)
      : function(function), b(builder), guards(guards), constants(constants) {}

  /// Adds an argument per tensor, in order.
  void declare(const Literal &literal);
  /// Returns the value of an argument. Arguments must be bound in the order of `declare`.
  Value bind(const Literal &literal, Importer &importer);

private:
  TensorRef bindTensor(const Literal &literal, Importer &importer);
  TensorRef bindArgument(const Literal &literal);
  void noteOpenDims(const Literal &literal, mlir::Value ref);
  TensorRef bindConstant(const Literal &literal, Importer &importer);
  /// A dim of an argument whose size is open: `factor` times the size that has the name `base`.
  struct OpenDim {
    mlir::Value ref;
    uint64_t dim;
    int64_t example, factor;
    StringRef base;
  };
  /// Returns the size with this name. All dims with the same symbol have the same Size.
  Size bindSize(StringRef symbol);
  /// Returns what the factor of such a dim, of size `extent`, multiplies.
  Size bindBase(const OpenDim &open, const Size &extent);

public:
  /// Guards that the sizes have the factors of the program's text.
  void checkFactors();

  /// For the ref of each argument, the tensor that a call passes for it.
  llvm::DenseMap<mlir::Value, TensorRef> passed;

private:
  mlir::func::FuncOp function;
  operators::Builder &b;
  Guards &guards;
  const Constants &constants;
  llvm::StringMap<OpenDim> dims; ///< the first with each symbol
  llvm::StringMap<Size> sizes;   ///< by symbol
  /// For each size with a factor, the extent and the product that stands for it.
  SmallVector<std::pair<Size, Size>> multiples;
  unsigned next = 0;
};
} // namespace

/// Returns `values`, one for each dim of a tensor, in the order of the dims that a call passes.
template <typename T, typename Range>
static SmallVector<T> getPassed(const Literal &literal, const Range &values) {
  SmallVector<T> passed(values.size());
  for (auto [dim, value] : llvm::enumerate(values))
    passed[literal.permutation.empty() ? dim : literal.permutation[dim]] = value;
  return passed;
}

/// Returns the name of each size of the tensor that a call passes. The name of a size that is the
/// same in all calls is empty.
static SmallVector<StringRef> getPassedSymbols(const Literal &literal) {
  return getPassed<StringRef>(literal, literal.symbols);
}

void ArgumentBinder::declare(const Literal &literal) {
  for (const Literal &element : literal.elements)
    declare(element);
  if (literal.kind != Literal::Tensor || literal.data)
    return;
  mlir::OpBuilder &ops = b.ops;
  SmallVector<int64_t> shape = getPassedSizes(literal);
  SmallVector<mlir::Attribute> dims;
  for (auto [size, symbol] : llvm::zip_equal(shape, getPassedSymbols(literal))) {
    dims.push_back(symbol.empty() ? mlir::Attribute(ops.getI64IntegerAttr(size))
                                  : ops.getStringAttr(symbol));
    if (!symbol.empty())
      size = mlir::ShapedType::kDynamic;
  }
  auto type = refs::RefType::get(ops.getContext(), shape,
                                 operators::getElementType(ops.getContext(), literal.dtype));
  // The sizes of the example satisfy all guards, so random inputs get these sizes.
  auto port =
      te::PortAttr::get(ops.getContext(), ops.getStringAttr(literal.name),
                        operators::getSignedType(ops.getContext(), literal.dtype),
                        ops.getArrayAttr(dims), ops.getDenseI64ArrayAttr(getPassedSizes(literal)));
  (void)function.insertArgument(function.getNumArguments(), type, te::makeAttributes(port),
                                mlir::NameLoc::get(ops.getStringAttr(literal.name)));
  noteOpenDims(literal, function.getArguments().back());
}

void ArgumentBinder::noteOpenDims(const Literal &literal, mlir::Value ref) {
  SmallVector<int64_t> sizes = getPassedSizes(literal);
  SmallVector<int64_t> factors = getPassed<int64_t>(literal, literal.factors);
  SmallVector<StringRef> bases = getPassed<StringRef>(literal, literal.bases);
  for (auto [dim, symbol] : llvm::enumerate(getPassedSymbols(literal)))
    if (!symbol.empty())
      dims.try_emplace(symbol, OpenDim{ref, dim, sizes[dim], factors[dim], bases[dim]});
}

TensorRef ArgumentBinder::bindConstant(const Literal &literal, Importer &importer) {
  mlir::Location loc = b.loc();
  b.setLoc(mlir::NameLoc::get(b.ops.getStringAttr(literal.name)));
  TensorRef tensor =
      importer.allocateConstant(b.constant(literal.dtype, constants.get(literal)), literal.name);
  b.setLoc(loc);
  return tensor;
}

Size ArgumentBinder::bindSize(StringRef symbol) {
  if (auto known = sizes.find(symbol); known != sizes.end())
    return known->second;
  const OpenDim &open = dims.find(symbol)->second;
  mlir::Value value =
      refs::DimOp::create(b.ops, open.ref.getLoc(), b.ops.getIndexType(), open.ref, open.dim);
  Size extent = b.sizes.get(value, /*nonNegative=*/true, symbol.str());
  guards.bind(extent, open.example);
  if (open.factor > 1) {
    multiples.emplace_back(extent, bindBase(open, extent) * open.factor);
    extent = multiples.back().second;
  }
  return sizes[symbol] = extent;
}

Size ArgumentBinder::bindBase(const OpenDim &open, const Size &extent) {
  if (auto base = dims.find(open.base); base != dims.end() && base->second.factor == 1)
    return bindSize(open.base);
  auto [known, isNew] = sizes.try_emplace(open.base);
  if (isNew) {
    known->second = b.sizes.get(b.materializeValue(extent.floorDiv(open.factor)),
                                /*nonNegative=*/true, open.base.str());
    guards.bind(known->second, open.example / open.factor);
  }
  return known->second;
}

void ArgumentBinder::checkFactors() {
  for (const auto &[extent, product] : multiples)
    (void)guards.isEqual(extent, product);
}

TensorRef ArgumentBinder::bindArgument(const Literal &literal) {
  TensorRef tensor;
  tensor.ref = function.getArgument(next++);
  tensor.dtype = literal.dtype;
  for (auto [size, symbol] : llvm::zip_equal(getPassedSizes(literal), getPassedSymbols(literal)))
    tensor.shape.push_back(symbol.empty() ? Size(size) : bindSize(symbol));
  tensor.strides = getContiguousStrides(tensor.shape);
  return tensor;
}

TensorRef ArgumentBinder::bindTensor(const Literal &literal, Importer &importer) {
  TensorRef tensor = literal.data ? bindConstant(literal, importer) : bindArgument(literal);
  if (!literal.isDense) {
    tensor.strides = std::nullopt;
    tensor.isRowMajor = false;
  }
  TensorRef view =
      literal.permutation.empty() ? tensor : permute(importer, tensor, literal.permutation);
  if (!literal.data)
    passed[view.ref] = tensor;
  return view;
}

Value ArgumentBinder::bind(const Literal &literal, Importer &importer) {
  switch (literal.kind) {
  case Literal::Tensor:
    return Value::tensor(bindTensor(literal, importer));
  case Literal::List:
  case Literal::Tuple: {
    Values elements;
    for (const Literal &element : literal.elements)
      elements.push_back(bind(element, importer));
    return literal.kind == Literal::List ? Value::list(elements) : Value::tuple(elements);
  }
  default:
    return makeConstant(literal);
  }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

namespace {
/// Collects the results of `@main`. The name of a result is its position in the program's result:
/// "return", "return.1", "return.1.0". No argument has such a name.
class ResultCollector {
public:
  ResultCollector(Importer &importer, const llvm::DenseMap<mlir::Value, TensorRef> &passed)
      : importer(importer), b(importer.b), passed(passed) {}

  LogicalResult collect(const Value &value, const std::string &name);
  void finish(mlir::func::FuncOp function);

private:
  LogicalResult collectTensor(const TensorRef &tensor, const std::string &name);

  Importer &importer;
  operators::Builder &b;
  const llvm::DenseMap<mlir::Value, TensorRef> &passed;
  SmallVector<mlir::Value> values;
  SmallVector<mlir::DictionaryAttr> attributes;
  llvm::DenseMap<mlir::Value, std::string> storages;
};
} // namespace

/// Returns the ref of the storage that `ref` is a view of.
static mlir::Value getRoot(mlir::Value ref) {
  while (auto view = ref.getDefiningOp<refs::ViewOp>())
    ref = view.getSource();
  return ref;
}

static bool isConstant(mlir::Value root) {
  auto storage = root.getDefiningOp<refs::AllocOp>();
  return storage && storage.getConstant().has_value();
}

LogicalResult ResultCollector::collectTensor(const TensorRef &tensor, const std::string &name) {
  mlir::OpBuilder &ops = b.ops;
  mlir::Value root = getRoot(tensor.ref);
  auto [it, isNew] = storages.try_emplace(root, name);
  // Constants are returned as copies.
  if (!isNew && !isConstant(root))
    return b.unsupported(name + " shares its storage with " + it->second +
                         ", which is returned too: clone one of them");
  auto argument = passed.find(tensor.ref);
  if (isa<mlir::BlockArgument>(root) && argument == passed.end())
    return b.unsupported(name + " is a view of an argument: clone it, or return the argument");
  SmallVector<mlir::Attribute> dims;
  // These sizes are correct only if the guards hold, so they are only informative.
  const TensorRef &returned = argument == passed.end() ? tensor : argument->second;
  for (const Size &size : returned.shape) {
    if (std::optional<int64_t> constant = size.constant())
      dims.push_back(ops.getI64IntegerAttr(*constant));
    else
      dims.push_back(ops.getStringAttr("(" + size.str() + ")"));
  }
  values.push_back(returned.ref);
  attributes.push_back(te::makeAttributes(te::PortAttr::get(
      ops.getContext(), ops.getStringAttr(name),
      operators::getSignedType(ops.getContext(), tensor.dtype), ops.getArrayAttr(dims))));
  return success();
}

LogicalResult ResultCollector::collect(const Value &value, const std::string &name) {
  if (value.is(Value::Tensor))
    return collectTensor(value.getTensor(), name);
  if (value.isSequence()) {
    for (auto [i, element] : llvm::enumerate(value.getElements()))
      if (failed(collect(element, name + "." + std::to_string(i))))
        return failure();
    return success();
  }
  if (value.is(Value::None))
    return success();
  if (!value.isNumber())
    return b.unsupported(name + " is a " + value.describe());
  // A number becomes a tensor of rank 0.
  DType type = value.is(Value::Int) ? DType::I64 : value.is(Value::Bool) ? DType::Bool : DType::F64;
  FailureOr<Tensor> tensor = b.compute(type, {}, [&](operators::Body &body) {
    return makeScalar(importer, body, value, type).getValue();
  });
  if (failed(tensor))
    return failure();
  return collectTensor(importer.allocate(*tensor), name);
}

void ResultCollector::finish(mlir::func::FuncOp function) {
  mlir::func::ReturnOp::create(b.ops, b.loc(), values);
  function.setFunctionType(
      b.ops.getFunctionType(function.getArgumentTypes(), mlir::ValueRange(values).getTypes()));
  for (auto [i, dictionary] : llvm::enumerate(attributes))
    function.setResultAttrs(i, dictionary);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static LogicalResult build(const RecordedProgram &program, const Constants &constants,
                           mlir::func::FuncOp function, operators::Builder &builder,
                           std::string &error) {
  Guards guards(builder, &function.getBody().front());
  Importer importer(builder, guards, program);
  ArgumentBinder binder(function, builder, guards, constants);
  for (const Literal &argument : program.arguments)
    binder.declare(argument);
  Values arguments;
  for (const Literal &argument : program.arguments)
    arguments.push_back(binder.bind(argument, importer));
  guards.start();
  binder.checkFactors();
  FailureOr<Values> results = importer.run(arguments);
  if (failed(results)) {
    error = importer.errorText;
    return failure();
  }
  ResultCollector collector(importer, binder.passed);
  const Values &values = *results;
  if (values.size() != 1)
    (void)builder.error("expected one result, got " + Twine(values.size()));
  if (builder.fault() != Fault::None || failed(collector.collect(values.front(), "return"))) {
    error = builder.faultText().str();
    return failure();
  }
  collector.finish(function);
  return success();
}

static mlir::OwningOpRef<mlir::ModuleOp> importProgram(mlir::MLIRContext &context,
                                                       const RecordedProgram &program,
                                                       const Constants &constants,
                                                       ImportReport &report) {
  if (failed(Checker().run(program, report)))
    return nullptr;
  mlir::Location loc = mlir::NameLoc::get(mlir::StringAttr::get(&context, program.name));
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
  mlir::OpBuilder ops(&context);
  ops.setInsertionPointToStart(module->getBody());
  auto function = mlir::func::FuncOp::create(ops, loc, "main", ops.getFunctionType({}, {}));
  ops.setInsertionPointToStart(function.addEntryBlock());
  operators::SizeTable sizes;
  operators::Builder builder(ops, sizes);
  builder.setLoc(loc);
  std::string error;
  if (succeeded(build(program, constants, function, builder, error)))
    return module;
  (void)fail(report, builder.fault(), error);
  return nullptr;
}

} // namespace pytorch

mlir::OwningOpRef<mlir::ModuleOp> importPyTorch(mlir::MLIRContext &context, StringRef path,
                                                bool untrusted, ImportReport &report) {
  context.loadDialect<operators::te::TEDialect, refs::TSSADialect, mlir::affine::AffineDialect,
                      mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect, mlir::tensor::TensorDialect>();
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    (void)fail(report, "cannot read: " + buffer.getError().message());
    return nullptr;
  }
  FailureOr<pytorch::RecordedProgram> program =
      pytorch::readProgram((*buffer)->getBuffer(), report);
  if (failed(program))
    return nullptr;
  pytorch::Constants constants(context, path, untrusted);
  if (failed(constants.read(*program, (*buffer)->getBufferSize(), report)))
    return nullptr;
  return pytorch::importProgram(context, *program, constants, report);
}

std::vector<std::string> getPyTorchOperators() { return pytorch::OperatorTable::get().list(); }

} // namespace tssa
