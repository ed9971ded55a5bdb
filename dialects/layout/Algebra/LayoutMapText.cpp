//===- LayoutMapText.cpp - the text form of layout maps -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Algebra/LayoutMapText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tssa::layout;

using Kind = Primitive::Kind;

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static StringRef getName(Kind kind) {
  switch (kind) {
  case Kind::Split:
    return "split";
  case Kind::Reorder:
    return "reorder";
  case Kind::Fuse:
    return "fuse";
  case Kind::Pad:
  case Kind::PadTo:
    return "pad";
  case Kind::Unpad:
    return "unpad";
  case Kind::Unfold:
    return "unfold";
  case Kind::Fold:
    return "fold";
  }
  return "";
}

static void printFactors(raw_ostream &os, ArrayRef<int64_t> factors) {
  os << '[';
  llvm::interleaveComma(factors, os, [&](int64_t factor) {
    if (factor == Primitive::kRemainder)
      os << '*';
    else
      os << factor;
  });
  os << ']';
}

raw_ostream &tssa::layout::operator<<(raw_ostream &os, const Primitive &primitive) {
  os << getName(primitive.kind) << '(';
  if (primitive.kind != Kind::Reorder)
    os << primitive.dim;
  switch (primitive.kind) {
  case Kind::Split:
    os << ", ";
    printFactors(os, primitive.values);
    break;
  case Kind::Fuse:
    // Only an error message prints a count that is out of range. The limit keeps it short.
    for (int64_t i = 1; i < std::min(primitive.values[0], LayoutMap::kMaxRank); ++i)
      os << ", " << static_cast<int64_t>(static_cast<uint64_t>(primitive.dim) + i);
    break;
  case Kind::PadTo:
    os << ", to " << primitive.values[0];
    break;
  case Kind::Reorder:
    llvm::interleaveComma(primitive.values, os);
    break;
  default:
    os << ", ";
    llvm::interleaveComma(primitive.values, os);
  }
  return os << ')';
}

std::string tssa::layout::toString(const Primitive &primitive) {
  std::string text;
  llvm::raw_string_ostream(text) << primitive;
  return text;
}

void tssa::layout::printPrimitives(raw_ostream &os, ArrayRef<Primitive> primitives) {
  os << '<';
  llvm::interleaveComma(primitives, os);
  os << '>';
}

void LayoutMap::print(raw_ostream &os) const {
  os << "map";
  printPrimitives(os, primitives);
}

raw_ostream &tssa::layout::operator<<(raw_ostream &os, const LayoutMap &map) {
  map.print(os);
  return os;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
class PrimitiveParser {
public:
  explicit PrimitiveParser(TokenReader &reader) : reader(reader) {}

  ParseResult parseMap(SmallVectorImpl<Primitive> &primitives) {
    if (expect('<'))
      return failure();
    if (reader.takeIf('>'))
      return success();
    do {
      if (parsePrimitive(primitives.emplace_back()))
        return failure();
    } while (reader.takeIf(','));
    return expect('>');
  }

private:
  ParseResult parsePrimitive(Primitive &primitive) {
    StringRef name;
    if (reader.readKeyword(name))
      return failure();
    constexpr Kind kinds[] = {Kind::Split, Kind::Reorder, Kind::Fuse, Kind::Pad,
                              Kind::Unpad, Kind::Unfold,  Kind::Fold};
    const Kind *kind = llvm::find_if(kinds, [&](Kind each) { return getName(each) == name; });
    if (kind == std::end(kinds))
      return reader.fail("expected split, reorder, fuse, pad, unpad, unfold or fold, got '" + name +
                         "'");
    primitive.kind = *kind;
    return failure(expect('(') || parseNumbers(primitive) || expect(')'));
  }

  ParseResult parseNumbers(Primitive &primitive) {
    switch (primitive.kind) {
    case Kind::Split:
      return failure(reader.readInteger(primitive.dim) || expect(',') ||
                     parseFactors(primitive.values));
    case Kind::Reorder:
      return parseList(primitive.values);
    case Kind::Fuse:
      return parseFusedDims(primitive);
    default:
      return parsePair(primitive);
    }
  }

  ParseResult parseList(SmallVectorImpl<int64_t> &values) {
    do {
      if (reader.readInteger(values.emplace_back()))
        return failure();
    } while (reader.takeIf(','));
    return success();
  }

  ParseResult parseFactors(SmallVectorImpl<int64_t> &factors) {
    if (expect('['))
      return failure();
    do {
      if (reader.takeIf('*')) {
        factors.push_back(Primitive::kRemainder);
        continue;
      }
      if (reader.readInteger(factors.emplace_back()))
        return failure();
      if (factors.back() < 1)
        return reader.fail("expected factors of at least 1, got " + Twine(factors.back()));
    } while (reader.takeIf(','));
    return expect(']');
  }

  ParseResult parseFusedDims(Primitive &primitive) {
    SmallVector<int64_t> dims;
    if (parseList(dims))
      return failure();
    for (auto [previous, dim] : llvm::zip(dims, llvm::drop_begin(dims)))
      if (previous == INT64_MAX || dim != previous + 1)
        return reader.fail("expected adjacent dims in rising order, got " + Twine(dim) + " after " +
                           Twine(previous));
    primitive.dim = dims.front();
    primitive.values = {static_cast<int64_t>(dims.size())};
    return success();
  }

  ParseResult parsePair(Primitive &primitive) {
    if (reader.readInteger(primitive.dim) || expect(','))
      return failure();
    if (primitive.kind == Kind::Pad && reader.takeKeywordIf("to")) {
      primitive.kind = Kind::PadTo;
      return reader.readInteger(primitive.values.emplace_back());
    }
    return failure(reader.readInteger(primitive.values.emplace_back()) || expect(',') ||
                   reader.readInteger(primitive.values.emplace_back()));
  }

  ParseResult expect(char token) {
    if (reader.takeIf(token))
      return success();
    return reader.fail("expected '" + Twine(token) + "'");
  }

  TokenReader &reader;
};

/// Reads the tokens of a string.
class StringReader : public TokenReader {
public:
  StringReader(StringRef text, Refuse refuse) : whole(text), text(text), refuse(refuse) {}

  bool takeIf(char token) override {
    skipSpace();
    return text.consume_front(StringRef(&token, 1));
  }

  bool takeKeywordIf(StringRef keyword) override {
    skipSpace();
    if (text.take_while(llvm::isAlpha) != keyword)
      return false;
    text = text.drop_front(keyword.size());
    return true;
  }

  ParseResult readKeyword(StringRef &keyword) override {
    skipSpace();
    keyword = text.take_while(llvm::isAlpha);
    if (keyword.empty())
      return fail("expected a keyword");
    text = text.drop_front(keyword.size());
    return success();
  }

  ParseResult readInteger(int64_t &value) override {
    skipSpace();
    if (text.consumeInteger(10, value))
      return fail("expected an integer of 64 bits");
    return success();
  }

  ParseResult fail(const Twine &message) override {
    refuse(message + " at character " + Twine(whole.size() - text.size() + 1) + " of '" + whole +
           "'");
    return failure();
  }

  bool isAtEnd() {
    skipSpace();
    return text.empty();
  }

private:
  void skipSpace() { text = text.ltrim(); }

  StringRef whole, text;
  Refuse refuse;
};
} // namespace

ParseResult tssa::layout::parsePrimitives(TokenReader &reader,
                                          SmallVectorImpl<Primitive> &primitives) {
  return PrimitiveParser(reader).parseMap(primitives);
}

FailureOr<LayoutMap> LayoutMap::parse(StringRef text, Refuse refuse) {
  StringReader reader(text, refuse);
  SmallVector<Primitive> primitives;
  auto read = [&]() -> ParseResult {
    if (!reader.takeKeywordIf("map"))
      return reader.fail("expected 'map'");
    if (parsePrimitives(reader, primitives))
      return failure();
    return reader.isAtEnd() ? ParseResult(success()) : reader.fail("expected the end");
  };
  if (read())
    return failure();
  return get(primitives, refuse);
}
