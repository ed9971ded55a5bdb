//===- StoreKnobs.cpp - a point of the space of layouts -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/StoreKnobs.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

raw_ostream &layout::operator<<(raw_ostream &stream, const StoreKnobs &knobs) {
  std::string image, weights;
  for (const ImageTile &tile : knobs.image)
    if (tile.extent)
      image += " d" + std::to_string(tile.dim) + " " + std::to_string(tile.extent);
  if (knobs.weightsIn)
    weights += " in " + std::to_string(knobs.weightsIn);
  if (knobs.weightsOut)
    weights += " out " + std::to_string(knobs.weightsOut);
  SmallVector<std::string> parts;
  if (!image.empty())
    parts.push_back("image" + image);
  for (auto [name, block] : {std::pair("group ", knobs.group), std::pair("out ", knobs.out),
                             std::pair("in ", knobs.in)})
    if (block)
      parts.push_back(name + std::to_string(block));
  if (!weights.empty())
    parts.push_back("weights" + weights);
  return stream << (parts.empty() ? "none" : llvm::join(parts, ", "));
}

FailureOr<StoreKnobs> layout::getALTPoint(const Roles &roles, ArrayRef<int64_t> numbers,
                                          Refuse refuse) {
  SmallVector<unsigned> image = roles.getDims(Role::Image);
  bool hasOut = !roles.getDims(Role::Out).empty(), hasIn = !roles.getDims(Role::In).empty();
  size_t fewest = image.size() + (hasIn ? 2 : 1), most = fewest + (hasIn && hasOut ? 2 : 0);
  if (numbers.size() != fewest && numbers.size() != most) {
    std::string tiles;
    for (unsigned dim : image)
      tiles += (tiles.empty() ? "the tiles of d" : " d") + std::to_string(dim);
    refuse("alt: expected " + tiles + (tiles.empty() ? "" : ", ") + "the block of " +
           (hasOut ? "output channels" : "groups") + (hasIn ? " and that of input channels" : "") +
           (most > fewest ? ", and perhaps those of input and output channels of weights" : ""));
    return failure();
  }
  StoreKnobs knobs;
  for (unsigned dim : image) {
    knobs.image.push_back({dim, numbers.front()});
    numbers = numbers.drop_front();
  }
  (hasOut ? knobs.out : knobs.group) = numbers.front();
  if (hasIn)
    knobs.in = knobs.weightsIn = numbers[1];
  knobs.weightsOut = knobs.out;
  if (numbers.size() == 4) {
    knobs.weightsIn = numbers[2];
    knobs.weightsOut = numbers[3];
  }
  return knobs;
}

namespace {
/// Parses the words of one part of the text, what stands between two commas.
class PartParser {
public:
  PartParser(StringRef part, Refuse refuse) : part(part.trim()), refuse(refuse) {
    llvm::SplitString(part, words);
  }

  LogicalResult parse(StoreKnobs &knobs) {
    StringRef knob = takeWord();
    if (knob == "image" && !words.empty())
      return parseImage(knobs);
    if (knob == "weights" && !words.empty())
      return parseWeights(knobs);
    int64_t *block = knob == "group" ? &knobs.group
                     : knob == "out" ? &knobs.out
                     : knob == "in"  ? &knobs.in
                                     : nullptr;
    return block && takeNumber(*block) && words.empty() ? success() : fail();
  }

  FailureOr<StoreKnobs> parseALT(const Roles &roles) {
    SmallVector<int64_t> numbers;
    takeWord();
    while (!words.empty())
      if (!takeNumber(numbers.emplace_back()))
        return fail();
    return getALTPoint(roles, numbers, refuse);
  }

private:
  LogicalResult parseImage(StoreKnobs &knobs) {
    while (!words.empty()) {
      ImageTile tile;
      StringRef dim = takeWord();
      if (!dim.consume_front("d") || dim.getAsInteger(10, tile.dim) || !takeNumber(tile.extent))
        return fail();
      knobs.image.push_back(tile);
    }
    return success();
  }

  LogicalResult parseWeights(StoreKnobs &knobs) {
    while (!words.empty()) {
      StringRef knob = takeWord();
      int64_t *block = knob == "in"    ? &knobs.weightsIn
                       : knob == "out" ? &knobs.weightsOut
                                       : nullptr;
      if (!block || !takeNumber(*block))
        return fail();
    }
    return success();
  }

  StringRef takeWord() {
    StringRef word = words.empty() ? StringRef() : words.front();
    if (!words.empty())
      words.erase(words.begin());
    return word;
  }

  bool takeNumber(int64_t &number) { return !takeWord().getAsInteger(10, number); }

  LogicalResult fail() {
    refuse("expected knobs such as 'image d2 4 d3 4, group 8, out 16, in 16, weights in 8 out 8', "
           "'alt 4 4 16 16' or 'none', but got '" +
           part + "'");
    return failure();
  }

  StringRef part;
  SmallVector<StringRef> words;
  Refuse refuse;
};
} // namespace

FailureOr<StoreKnobs> layout::parseStoreKnobs(StringRef text, const Roles &roles, Refuse refuse) {
  StoreKnobs knobs;
  if (text.trim() == "none")
    return knobs;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  if (parts.size() == 1 && text.trim().split(' ').first == "alt")
    return PartParser(text, refuse).parseALT(roles);
  for (StringRef part : parts)
    if (failed(PartParser(part, refuse).parse(knobs)))
      return failure();
  return knobs;
}
