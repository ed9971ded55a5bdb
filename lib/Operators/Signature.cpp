//===- Signature.cpp - checks of operators without a schema -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Operators/OperatorRow.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tssa::operators {

namespace {
/// One entry of a signature.
struct Formal {
  StringRef name, type;
  char mark = 0; ///< '?', '*' or '!'
};
} // namespace

static SmallVector<Formal> parse(StringRef words) {
  SmallVector<Formal> formals;
  for (StringRef word : llvm::split(words, ' ')) {
    if (word.empty())
      continue;
    auto [name, type] = word.split(':');
    char last = name.back();
    bool isMarked = last == '?' || last == '*' || last == '!';
    formals.push_back({isMarked ? name.drop_back() : name, type, isMarked ? last : '\0'});
  }
  return formals;
}

static bool accepts(StringRef type, DType given) {
  if (type == "any" || type == "S")
    return true;
  if (type == "float" || type == "T")
    return isFloat(given) && !isSmallFloat(given);
  if (type == "int8" || type == "Q")
    return given == DType::I8 || given == DType::U8;
  if (type == "index")
    return given == DType::I32 || given == DType::I64;
  return llvm::is_contained(llvm::to_vector(llvm::split(type, '|')), getName(given));
}

static std::string describeType(StringRef type) {
  if (type == "T")
    return "float";
  return (type == "Q" ? "int8" : type).str();
}

static LogicalResult checkInputs(Builder &builder, const Node &node, ArrayRef<Formal> formals) {
  bool isVariadic = !formals.empty() && formals.back().mark == '*';
  if (!isVariadic && node.inputs.size() > formals.size())
    return builder.error("expected at most " + Twine(formals.size()) + " inputs, got " +
                         Twine(node.inputs.size()));
  llvm::StringMap<DType> bound;
  for (size_t i = 0; i < std::max(node.inputs.size(), formals.size()); ++i) {
    const Formal &formal = formals[std::min(i, formals.size() - 1)];
    std::string subject = ("input " + Twine(i) + " (" + formal.name + ")").str();
    Tensor tensor = node.input(i);
    if (!tensor) {
      if (formal.mark == '?' || (formal.mark == '*' && i >= node.inputs.size()))
        continue;
      return builder.error(subject + " is missing");
    }
    if (!accepts(formal.type, tensor.dtype()))
      return builder.error("expected " + describeType(formal.type) + " for " + subject + ", got " +
                           tensor.str());
    if (formal.type.size() != 1)
      continue;
    auto [it, isNew] = bound.try_emplace(formal.type, tensor.dtype());
    if (!isNew && it->second != tensor.dtype())
      return builder.error(Twine("expected ") + getName(it->second) + " for " + subject + ", got " +
                           tensor.str());
  }
  return success();
}

static StringRef getKind(Attribute attribute) {
  return llvm::TypeSwitch<Attribute, StringRef>(attribute)
      .Case<IntegerAttr>([](Attribute) { return "int"; })
      .Case<FloatAttr>([](Attribute) { return "float"; })
      .Case<StringAttr>([](Attribute) { return "string"; })
      .Case<DenseI64ArrayAttr>([](Attribute) { return "ints"; })
      .Case<DenseF32ArrayAttr>([](Attribute) { return "floats"; })
      .Case<ArrayAttr>([](Attribute) { return "strings"; })
      .Default([](Attribute) { return "other"; });
}

static LogicalResult checkAttributes(Builder &builder, const Node &node, ArrayRef<Formal> formals) {
  for (NamedAttribute attribute : node.attributes) {
    StringRef name = attribute.getName().getValue();
    const Formal *formal = llvm::find_if(formals, [&](const Formal &f) { return f.name == name; });
    if (formal == formals.end())
      return builder.unsupported("attribute '" + Twine(name) + "' is not known");
    if (getKind(attribute.getValue()) != formal->type)
      return builder.error("expected " + Twine(formal->type) + " for attribute '" + name + "'");
  }
  if (!node.tensors.empty() || !node.subgraphs.empty())
    return builder.unsupported("an attribute that is a tensor or a graph");
  for (const Formal &formal : formals)
    if (formal.mark == '!' && !node.has(formal.name))
      return builder.error("attribute '" + Twine(formal.name) + "' is missing");
  return success();
}

LogicalResult checkSignature(Builder &builder, const Node &node, const Signature &signature) {
  if (failed(checkInputs(builder, node, parse(signature.inputs))))
    return failure();
  return checkAttributes(builder, node, parse(signature.attributes));
}

} // namespace tssa::operators
