//===- StoreSpace.cpp - the layouts of a kernel's ends as integers --------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/StoreSpace.h"
#include "dialects/layout/Template/StoreMaps.h"
#include "dialects/layout/Transforms/KernelStores.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ::tssa;
using namespace ::tssa::tuner;
namespace te = mlir::tssa::te;
namespace layout = mlir::tssa::layout;
using layout::Role;
using layout::StoreKnobs;
using llvm::Expected;

namespace {
/// A knob of StoreKnobs that is one number.
struct BlockKnob {
  StringLiteral name;
  Role role;
  int64_t StoreKnobs::*block;
  bool isOfWeights;
};
} // namespace

static constexpr BlockKnob blockKnobs[] = {
    {"store.group", Role::Group, &StoreKnobs::group, false},
    {"store.out", Role::Out, &StoreKnobs::out, false},
    {"store.in", Role::In, &StoreKnobs::in, false},
    {"store.weights_in", Role::In, &StoreKnobs::weightsIn, true},
    {"store.weights_out", Role::Out, &StoreKnobs::weightsOut, true}};

/// Returns those of `sizes` that are smaller than `size` and do not pad it by more than a share.
static std::vector<int64_t> selectParts(ArrayRef<int64_t> sizes, int64_t size) {
  constexpr double mostGrowth = 1.15;
  std::vector<int64_t> parts{0};
  for (int64_t part : sizes)
    if (part < size &&
        static_cast<double>(llvm::alignTo(size, part)) <= mostGrowth * static_cast<double>(size))
      parts.push_back(part);
  return parts;
}

StoreSpace::StoreSpace(te::KernelOp kernel, te::ComputeOp root, ArrayRef<unsigned> constants)
    : kernel(kernel), root(root), constants(constants), roles(layout::getRoles(root)) {}

/// Returns the last expression that is a sum of products and a result of the kernel, or null.
static te::ComputeOp findRoot(te::KernelOp kernel) {
  te::ComputeOp found;
  for (Value value : kernel.getBodyBlock().getTerminator()->getOperands())
    if (auto compute = value.getDefiningOp<te::ComputeOp>();
        compute && compute.getLabel() && !layout::getRoles(compute).weights.empty())
      found = compute;
  return found;
}

std::vector<search::Knob> StoreSpace::makeKnobs() {
  std::vector<search::Knob> knobs;
  for (unsigned dim : roles.getDims(Role::Image)) {
    std::vector<int64_t> tiles =
        selectParts({2, 4, 7, 8, 14, 16, 28, 32, 56, 64}, root.getStaticSizes()[dim]);
    if (tiles.size() == 1)
      continue;
    image.push_back(dim);
    knobs.push_back({"store.image.d" + std::to_string(dim), std::move(tiles)});
  }
  auto isConstant = [&](te::ReadOp read) {
    auto parameter = dyn_cast<BlockArgument>(read.getSource());
    return !parameter || llvm::is_contained(constants, parameter.getArgNumber());
  };
  bool followsLoops = llvm::all_of(roles.weights, isConstant);
  for (const BlockKnob &knob : blockKnobs) {
    SmallVector<unsigned> dims = roles.getDims(knob.role);
    llvm::erase_if(dims, [&](unsigned dim) { return root.getStaticSizes()[dim] == 1; });
    if (dims.size() != 1 || (knob.isOfWeights && followsLoops))
      continue;
    int64_t size = root.getStaticSizes()[dims.front()];
    std::vector<int64_t> values = selectParts({4, 8, 16, 32, 64}, size);
    values.push_back(size);
    blocks.push_back(knob.block);
    knobs.push_back({knob.name.str(), std::move(values)});
  }
  return knobs;
}

Expected<std::unique_ptr<StoreSpace>> StoreSpace::create(te::KernelOp kernel,
                                                         ArrayRef<unsigned> constants) {
  te::ComputeOp root = findRoot(kernel);
  if (!root || !kernel.getSchedule().empty())
    return llvm::createStringError("no result of the kernel is a sum of products without a "
                                   "schedule");
  if (llvm::any_of(root.getStaticSizes(), ShapedType::isDynamic))
    return llvm::createStringError("the sizes of the kernel are open");
  std::unique_ptr<StoreSpace> result(new StoreSpace(kernel, root, constants));
  std::vector<search::Knob> knobs = result->makeKnobs();
  if (knobs.empty())
    return llvm::createStringError("no dim of the kernel can be split");
  Expected<search::Space> space =
      search::Space::create(std::move(knobs), [own = result.get()](ArrayRef<int64_t> values) {
        return own->makeStores(values).has_value();
      });
  if (!space)
    return space.takeError();
  result->space = std::move(*space);
  return result;
}

search::Point StoreSpace::getPlain() const { return search::Point(space->getKnobs().size(), 0); }

std::vector<search::Point> StoreSpace::getUsualPoints(int64_t lanes) const {
  constexpr int64_t last = INT64_MAX;
  std::vector<search::Point> points;
  for (int64_t block : {lanes, last, int64_t(0)}) {
    search::Point point = getPlain();
    for (size_t knob = image.size(); knob < point.size(); ++knob) {
      llvm::ArrayRef<int64_t> values = space->getKnobs()[knob].values;
      const auto *found = block == last ? std::prev(values.end()) : llvm::find(values, block);
      if (found != values.end())
        point[knob] = found - values.begin();
    }
    if (space->isLegal(point) && !llvm::is_contained(points, point))
      points.push_back(std::move(point));
  }
  return points;
}

StoreKnobs StoreSpace::decode(ArrayRef<int64_t> values) const {
  StoreKnobs knobs;
  for (auto [dim, extent] : llvm::zip_equal(image, values.take_front(image.size())))
    knobs.image.push_back({dim, extent});
  for (auto [block, value] : llvm::zip_equal(blocks, values.drop_front(image.size())))
    knobs.*block = value;
  return knobs;
}

std::optional<layout::LaunchStores> StoreSpace::makeStores(ArrayRef<int64_t> values) const {
  FailureOr<layout::StoreMaps> maps =
      layout::getStoreMaps(root, roles, decode(values), [](const Twine &) {});
  if (failed(maps))
    return std::nullopt;
  layout::LaunchStores stores(kernel.getNumArguments(), kernel.getResultTypes().size());
  ValueRange results = kernel.getBodyBlock().getTerminator()->getOperands();
  for (auto [value, map] : llvm::zip_equal(results, stores.outputs))
    if (value.getDefiningOp() == root)
      map = maps->result;
  for (auto [parameter, map] :
       llvm::zip_equal(kernel.getBodyBlock().getArguments(), stores.inputs)) {
    unsigned number = parameter.getArgNumber();
    if (llvm::is_contained(constants, number) || !isa<RankedTensorType>(parameter.getType()))
      continue;
    if (parameter.getType() == root.getResult(0).getType())
      map = maps->result;
    for (auto &[source, own] : maps->sources)
      if (source == parameter)
        map = own;
    if (!map.isEmpty() && !layout::canStore(kernel, number, map))
      return std::nullopt;
  }
  return stores;
}

layout::LaunchStores StoreSpace::getStores(ArrayRef<uint32_t> point) const {
  return *makeStores(space->getValues(point));
}

std::string StoreSpace::describe(ArrayRef<uint32_t> point) const {
  std::string text;
  llvm::raw_string_ostream(text) << decode(space->getValues(point));
  return text;
}
