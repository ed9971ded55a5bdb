//===- RecordedProgram.cpp - reads a recorded program -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/RecordedProgram.h"
#include "lib/Import/Limits.h"
#include "tssa/Builder/Limits.h"
#include "tssa/Support/CheckedSize.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::success;
using tssa::operators::maxRank;

namespace tssa::pytorch {
namespace {

constexpr int64_t formatVersion = 1;
/// The maximal number of nodes, values and literals of a program.
constexpr size_t maxItems = 4'000'000;

class Reader {
public:
  explicit Reader(ImportReport &report) : report(report) {}
  FailureOr<RecordedProgram> read(const json::Object &root);

private:
  LogicalResult error(const Twine &text) {
    return fail(report, "the program is not well formed: " + text);
  }
  LogicalResult count();
  LogicalResult readIds(const json::Object &object, StringRef key, bool define,
                        std::vector<ValueId> &ids);
  LogicalResult readInts(const json::Object &object, StringRef key, SmallVectorImpl<int64_t> &into);
  LogicalResult readLiteral(const json::Value *value, Literal &literal, unsigned depth);
  LogicalResult readNumber(const json::Object &object, Literal &literal);
  LogicalResult readTensor(const json::Object &object, Literal &literal);
  LogicalResult readData(const json::Object &object, Literal &literal);
  LogicalResult readPermutation(const json::Object &object, Literal &literal);
  LogicalResult readSymbols(const json::Object &object, Literal &literal);
  LogicalResult readFactors(const json::Object &object, Literal &literal);
  LogicalResult readBases(const json::Object &object, Literal &literal);
  LogicalResult readLocation(const json::Object &object, SourceLocation &location);
  LogicalResult readNode(const json::Value &value, RecordedNode &node, unsigned depth);
  LogicalResult readBlock(const json::Value *value, Block &block, unsigned depth);
  LogicalResult readOpenDims(const json::Object &object, Block &block);

  ImportReport &report;
  std::vector<std::string> files;
  /// Whether a value may be used at the current node: its block may have ended.
  enum class Scope : char { Unknown, Open, Ended };
  std::vector<Scope> scopes;
  /// The values that the blocks around the current node define, in order.
  std::vector<ValueId> open;
  llvm::StringMap<int64_t> symbolSizes; ///< in the example
  size_t items = 0;
};

} // namespace

LogicalResult Reader::count() {
  if (++items > maxItems)
    return fail(report, Fault::Limit, "the program is too large");
  return success();
}

LogicalResult Reader::readIds(const json::Object &object, StringRef key, bool define,
                              std::vector<ValueId> &ids) {
  const json::Array *array = object.getArray(key);
  if (!array)
    return error("expected a list '" + key + "'");
  for (const json::Value &item : *array) {
    std::optional<int64_t> id = item.getAsInteger();
    if (!id || *id < 0 || *id >= static_cast<int64_t>(maxItems))
      return error("expected the number of a value in '" + key + "'");
    if (scopes.size() <= static_cast<size_t>(*id))
      scopes.resize(*id + 1, Scope::Unknown);
    if (define && scopes[*id] != Scope::Unknown)
      return error("value " + Twine(*id) + " is defined twice");
    if (!define && scopes[*id] != Scope::Open)
      return error(
          "value " + Twine(*id) + " is used " +
          (scopes[*id] == Scope::Unknown ? "before it is defined" : "outside of its block"));
    if (define)
      open.push_back(*id);
    scopes[*id] = Scope::Open;
    ids.push_back(*id);
    if (failed(count()))
      return failure();
  }
  return success();
}

LogicalResult Reader::readInts(const json::Object &object, StringRef key,
                               SmallVectorImpl<int64_t> &into) {
  const json::Array *array = object.getArray(key);
  if (!array || array->size() > maxRank)
    return error("expected a list '" + key + "' of at most " + Twine(maxRank) + " integers");
  for (const json::Value &item : *array) {
    std::optional<int64_t> value = item.getAsInteger();
    if (!value || *value < 0)
      return error("expected integers >= 0 in '" + key + "'");
    into.push_back(*value);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

static std::optional<operators::DType> lookupDType(StringRef name) {
  for (unsigned i = 0; i < runtime::numDTypes; ++i)
    if (name == getName(operators::DType(i)))
      return operators::DType(i);
  return std::nullopt;
}

LogicalResult Reader::readTensor(const json::Object &object, Literal &literal) {
  literal.kind = Literal::Tensor;
  literal.name = object.getString("name").value_or("").str();
  std::optional<operators::DType> dtype = lookupDType(object.getString("dtype").value_or(""));
  if (!dtype || literal.name.empty())
    return error("expected a tensor to have 'name' and 'dtype'");
  literal.dtype = *dtype;
  literal.isDense = object.getBoolean("dense").value_or(true);
  if (failed(readInts(object, "sizes", literal.sizes)))
    return failure();
  if (!CheckedSize::product(literal.sizes, 8).isValid())
    return fail(report, Fault::Limit, "argument " + quote(literal.name) + " is too large");
  if (failed(readSymbols(object, literal)) || failed(readFactors(object, literal)))
    return failure();
  if (object.get("data") && failed(readData(object, literal)))
    return failure();
  return object.get("permutation") ? readPermutation(object, literal) : success();
}

LogicalResult Reader::readSymbols(const json::Object &object, Literal &literal) {
  size_t rank = literal.sizes.size();
  if (!object.get("symbols")) {
    for (size_t dim = 0; dim < rank; ++dim)
      literal.symbols.push_back(literal.name + "." + std::to_string(dim));
    return success();
  }
  const json::Array *names = object.getArray("symbols");
  if (!names || names->size() != rank)
    return error("expected 'symbols' of " + quote(literal.name) +
                 " to have one symbol for each dim");
  for (auto [name, size] : llvm::zip_equal(*names, literal.sizes)) {
    literal.symbols.push_back(name.getAsString().value_or("").str());
    if (!name.getAsNull() && literal.symbols.back().empty())
      return error("expected 'symbols' to be names or null");
    if (!name.getAsNull() &&
        symbolSizes.try_emplace(literal.symbols.back(), size).first->second != size)
      return error("symbol " + quote(literal.symbols.back()) + " has two sizes");
  }
  return success();
}

LogicalResult Reader::readFactors(const json::Object &object, Literal &literal) {
  if (!object.get("factors")) {
    literal.factors.assign(literal.sizes.size(), 1);
    literal.bases = literal.symbols;
    return success();
  }
  if (failed(readInts(object, "factors", literal.factors)))
    return failure();
  if (literal.factors.size() != literal.sizes.size())
    return error("expected 'factors' of " + quote(literal.name) + " to have one for each dim");
  for (auto [factor, size] : llvm::zip_equal(literal.factors, literal.sizes))
    if (factor < 1 || size % factor != 0)
      return error("expected 'factors' of " + quote(literal.name) + " to divide its sizes");
  return readBases(object, literal);
}

LogicalResult Reader::readBases(const json::Object &object, Literal &literal) {
  const json::Array *names = object.getArray("bases");
  if (!names || names->size() != literal.sizes.size())
    return error("expected 'bases' of " + quote(literal.name) + " to have one name for each dim");
  for (auto [i, name] : llvm::enumerate(*names)) {
    literal.bases.push_back(name.getAsString().value_or("").str());
    if (literal.symbols[i].empty())
      continue;
    int64_t size = literal.sizes[i] / literal.factors[i];
    if (symbolSizes.try_emplace(literal.bases.back(), size).first->second != size)
      return error("symbol " + quote(literal.bases.back()) + " has two sizes");
  }
  return success();
}

LogicalResult Reader::readData(const json::Object &object, Literal &literal) {
  const json::Object *data = object.getObject("data");
  std::optional<StringRef> file = data ? data->getString("file") : std::nullopt;
  std::optional<int64_t> offset = data ? data->getInteger("offset") : std::nullopt;
  if (!file || !offset || *offset < 0)
    return error("expected 'data' of " + quote(literal.name) +
                 " to have 'file' and an 'offset' >= 0");
  if (file->contains('/'))
    return error("'data' of " + quote(literal.name) +
                 " is expected in a file beside the text, got " + quote(*file));
  literal.data = DataLocation{file->str(), static_cast<uint64_t>(*offset)};
  return success();
}

LogicalResult Reader::readPermutation(const json::Object &object, Literal &literal) {
  if (failed(readInts(object, "permutation", literal.permutation)))
    return failure();
  SmallVector<int64_t> sorted(literal.permutation);
  llvm::sort(sorted);
  if (sorted != llvm::to_vector(llvm::seq<int64_t>(0, literal.sizes.size())))
    return error("'permutation' of " + quote(literal.name) + " is none");
  return success();
}

LogicalResult Reader::readNumber(const json::Object &object, Literal &literal) {
  const json::Value *value = object.get("value");
  std::optional<StringRef> text = value ? value->getAsString() : std::nullopt;
  if (text && (*text == "inf" || *text == "-inf" || *text == "nan")) {
    double inf = std::numeric_limits<double>::infinity();
    literal.number =
        *text == "nan" ? std::numeric_limits<double>::quiet_NaN() : (*text == "inf" ? inf : -inf);
    return success();
  }
  std::optional<double> number = value ? value->getAsNumber() : std::nullopt;
  if (!number)
    return error("expected a number as 'value'");
  literal.number = *number;
  return success();
}

LogicalResult Reader::readLiteral(const json::Value *value, Literal &literal, unsigned depth) {
  const json::Object *object = value ? value->getAsObject() : nullptr;
  if (!object || depth > maxGraphDepth)
    return error("expected an object that describes a value");
  if (failed(count()))
    return failure();
  StringRef kind = object->getString("kind").value_or("");
  if (kind == "none")
    return success();
  if (kind == "tensor")
    return readTensor(*object, literal);
  if (kind == "list" || kind == "tuple") {
    literal.kind = kind == "list" ? Literal::List : Literal::Tuple;
    const json::Array *elements = object->getArray("elements");
    if (!elements)
      return error("expected 'elements' of a list");
    for (const json::Value &element : *elements)
      if (failed(readLiteral(&element, literal.elements.emplace_back(), depth + 1)))
        return failure();
    return success();
  }
  if (kind == "float") {
    literal.kind = Literal::Float;
    return readNumber(*object, literal);
  }
  if (kind == "string") {
    literal.kind = Literal::String;
    std::optional<StringRef> text = object->getString("value");
    if (!text)
      return error("expected a string as 'value'");
    literal.text = text->str();
    return success();
  }
  const json::Value *number = object->get("value");
  std::optional<int64_t> integer = number ? number->getAsInteger() : std::nullopt;
  if (number && kind == "bool" && number->getAsBoolean())
    integer = *number->getAsBoolean();
  if (!integer || (kind != "int" && kind != "bool"))
    return error("expected a value of a known kind, got " + quote(kind));
  literal.kind = kind == "int" ? Literal::Int : Literal::Bool;
  literal.integer = *integer;
  return success();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

LogicalResult Reader::readLocation(const json::Object &object, SourceLocation &location) {
  const json::Array *at = object.getArray("at");
  if (!at)
    return success();
  SmallVector<int64_t> numbers;
  for (const json::Value &item : *at)
    numbers.push_back(item.getAsInteger().value_or(-1));
  if (numbers.size() != 3 || numbers[0] < 0 || numbers[0] >= static_cast<int64_t>(files.size()) ||
      numbers[1] < 0 || numbers[2] < 0 || numbers[1] > INT32_MAX || numbers[2] > INT32_MAX)
    return error("expected file, line and column as 'at'");
  location = {files[numbers[0]], static_cast<unsigned>(numbers[1]),
              static_cast<unsigned>(numbers[2])};
  return success();
}

LogicalResult Reader::readNode(const json::Value &value, RecordedNode &node, unsigned depth) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return error("expected an object as node");
  node.op = object->getString("op").value_or("").str();
  if (node.op.empty())
    return error("expected 'op' of a node");
  if (failed(count()) || failed(readLocation(*object, node.location)) ||
      failed(readIds(*object, "in", /*define=*/false, node.inputs)))
    return failure();
  if (node.is("prim::Constant") && failed(readLiteral(object->get("value"), node.value, 0)))
    return failure();
  if (const json::Array *blocks = object->getArray("blocks"))
    for (const json::Value &block : *blocks)
      if (failed(readBlock(&block, node.blocks.emplace_back(), depth + 1)))
        return failure();
  return readIds(*object, "out", /*define=*/true, node.outputs);
}

LogicalResult Reader::readOpenDims(const json::Object &object, Block &block) {
  const json::Array *pairs = object.getArray("open");
  if (!pairs)
    return success();
  for (const json::Value &pair : *pairs) {
    SmallVector<int64_t> numbers;
    if (const json::Array *parts = pair.getAsArray())
      for (const json::Value &part : *parts)
        numbers.push_back(part.getAsInteger().value_or(-1));
    if (numbers.size() != 2 || numbers[0] < 0 || numbers[1] < 0 ||
        numbers[0] >= static_cast<int64_t>(block.inputs.size()))
      return error("expected pairs of an input and a dim as 'open'");
    block.openDims.push_back({static_cast<size_t>(numbers[0]), static_cast<size_t>(numbers[1])});
  }
  return success();
}

LogicalResult Reader::readBlock(const json::Value *value, Block &block, unsigned depth) {
  const json::Object *object = value ? value->getAsObject() : nullptr;
  const json::Array *nodes = object ? object->getArray("nodes") : nullptr;
  if (!nodes)
    return error("expected a block with 'nodes'");
  if (depth > maxGraphDepth)
    return fail(report, Fault::Limit, "blocks are nested too deeply");
  size_t numOutside = open.size();
  if (failed(readIds(*object, "inputs", /*define=*/true, block.inputs)) ||
      failed(readOpenDims(*object, block)))
    return failure();
  for (const json::Value &node : *nodes)
    if (failed(readNode(node, block.nodes.emplace_back(), depth)))
      return failure();
  if (failed(readIds(*object, "outputs", /*define=*/false, block.outputs)))
    return failure();
  for (ValueId id : ArrayRef(open).drop_front(numOutside))
    scopes[id] = Scope::Ended;
  open.resize(numOutside);
  return success();
}

FailureOr<RecordedProgram> Reader::read(const json::Object &root) {
  if (root.getString("format") != StringRef("tssa-pytorch") ||
      root.getInteger("version") != formatVersion)
    return error("expected format 'tssa-pytorch', version " + Twine(formatVersion));
  if (const json::Array *names = root.getArray("files"))
    for (const json::Value &name : *names)
      files.push_back(name.getAsString().value_or("").str());
  RecordedProgram program;
  program.name = root.getString("name").value_or("program").str();
  const json::Array *arguments = root.getArray("arguments");
  if (!arguments)
    return error("expected a list 'arguments'");
  for (const json::Value &argument : *arguments)
    if (failed(readLiteral(&argument, program.arguments.emplace_back(), 0)))
      return failure();
  if (failed(readBlock(root.get("graph"), program.body, 0)))
    return failure();
  if (program.body.inputs.size() != program.arguments.size())
    return error("expected " + Twine(program.body.inputs.size()) + " arguments, got " +
                 Twine(program.arguments.size()));
  program.numValues = scopes.size();
  return program;
}

/// Returns whether arrays and objects of a JSON text are nested too deeply for a recursive parser.
static bool isNestedDeeply(StringRef text) {
  // A nested graph adds four levels, a nested literal two.
  constexpr size_t maxDepth = 8 * maxGraphDepth;
  size_t depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString && c == '\\')
      ++i;
    else if (c == '"')
      inString = !inString;
    else if (inString)
      continue;
    else if (c == '[' || c == '{')
      ++depth;
    else if ((c == ']' || c == '}') && depth)
      --depth;
    if (depth > maxDepth)
      return true;
  }
  return false;
}

FailureOr<RecordedProgram> readProgram(StringRef text, ImportReport &report) {
  if (isNestedDeeply(text))
    return fail(report, "the program is nested too deeply");
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return fail(report, "the program is not well formed: " + toString(value.takeError()));
  const json::Object *root = value->getAsObject();
  if (!root)
    return fail(report, "the program is not well formed: expected an object");
  return Reader(report).read(*root);
}

} // namespace tssa::pytorch
