//===- RandomStores.cpp - random layouts for the tensors of kernels -------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomStores.h"
#include "dialects/layout/Template/StoreMaps.h"
#include "dialects/layout/Transforms/ApplyStores.h"
#include "tssa/Reference/RandomInputs.h"

using namespace mlir::tssa;
using layout::LayoutMap;
using layout::Primitive;

namespace tssa::reference {

namespace {
class StoreMaker {
public:
  StoreMaker(uint64_t seed, llvm::StringRef kind) : random(seed), kind(kind) {}

  unsigned add(te::KernelOp kernel) {
    if (kind == "template")
      return addFromTemplate(kernel);
    unsigned count = 0;
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
      if (auto type = llvm::dyn_cast<mlir::RankedTensorType>(kernel.getArgumentTypes()[i]))
        count += tryToAdd(kernel, type,
                          [&](te::KernelOp to, const LayoutMap &map) { addStore(to, i, map); });
    for (auto compute : kernel.getBodyBlock().getOps<te::ComputeOp>()) {
      std::string label = compute.getLabel()->str();
      count += tryToAdd(kernel, llvm::cast<mlir::RankedTensorType>(compute.getResult(0).getType()),
                        [&](te::KernelOp to, const LayoutMap &map) {
                          addStore(to, llvm::StringRef(label), map);
                        });
    }
    return count;
  }

private:
  using AddFn = llvm::function_ref<void(te::KernelOp, const LayoutMap &)>;

  /// Returns a number from `low` to `high`.
  int64_t pick(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random.below(high - low + 1));
  }

  /// Adds the stores of a random point of the template for the first sum of products. A point that
  /// is not refused can be applied, except that a row of several expressions may no longer be one.
  unsigned addFromTemplate(te::KernelOp kernel) {
    for (auto compute : kernel.getBodyBlock().getOps<te::ComputeOp>()) {
      layout::Roles roles = layout::getRoles(compute);
      for (int tries = roles.weights.empty() ? 0 : 40; tries > 0; --tries) {
        layout::StoreKnobs knobs = makeKnobs(roles);
        auto maps = layout::getStoreMaps(compute, roles, knobs, [](const llvm::Twine &) {});
        if (failed(maps))
          continue;
        mlir::OwningOpRef<te::KernelOp> copy = kernel.clone();
        if (addStores(*copy, *compute.getLabel(), *maps) == 0)
          continue;
        bool isAlone = llvm::hasSingleElement(kernel.getBodyBlock().getOps<te::ComputeOp>());
        if (!isAlone && !layout::applyStoresToCopy(*copy))
          continue;
        return addStores(kernel, *compute.getLabel(), *maps);
      }
    }
    return 0;
  }

  layout::StoreKnobs makeKnobs(const layout::Roles &roles) {
    layout::StoreKnobs knobs;
    auto pickBlock = [&] { return pick(0, 1) * pick(1, 6); };
    for (unsigned dim : roles.getDims(layout::Role::Image))
      knobs.image.push_back({dim, pickBlock()});
    for (int64_t *block :
         {&knobs.group, &knobs.out, &knobs.in, &knobs.weightsIn, &knobs.weightsOut})
      *block = pickBlock();
    return knobs;
  }

  static unsigned addStores(te::KernelOp kernel, llvm::StringRef label,
                            const layout::StoreMaps &maps) {
    unsigned count = 0;
    if (!maps.result.isEmpty()) {
      addStore(kernel, label, maps.result);
      ++count;
    }
    for (const auto &[source, map] : maps.sources) {
      auto parameter = llvm::dyn_cast<mlir::BlockArgument>(source);
      if (!parameter || map.isEmpty())
        continue;
      addStore(kernel, parameter.getArgNumber(), map);
      ++count;
    }
    return count;
  }

  bool tryToAdd(te::KernelOp kernel, mlir::RankedTensorType type, AddFn add) {
    if (pick(0, 1))
      return false;
    auto ignore = [](const llvm::Twine &) {};
    llvm::FailureOr<LayoutMap> map = LayoutMap::get(
        kind == "illegal" ? makeAnything() : makePrimitives(type.getShape()), ignore);
    if (failed(map) || (kind != "illegal" && !canApply(kernel, *map, add)))
      return false;
    add(kernel, *map);
    return true;
  }

  static bool canApply(te::KernelOp kernel, const LayoutMap &map, AddFn add) {
    mlir::OwningOpRef<te::KernelOp> copy = kernel.clone();
    add(*copy, map);
    return static_cast<bool>(layout::applyStoresToCopy(*copy));
  }

  /// Returns primitives of the kind for a tensor of this shape.
  llvm::SmallVector<Primitive> makePrimitives(llvm::ArrayRef<int64_t> shape) {
    llvm::SmallVector<Primitive> primitives;
    llvm::SmallVector<int64_t> sizes(shape);
    for (int64_t count = kind == "any" ? pick(1, 4) : 1; count > 0; --count)
      addPrimitive(primitives, sizes);
    return primitives;
  }

  void addPrimitive(llvm::SmallVectorImpl<Primitive> &primitives,
                    llvm::SmallVectorImpl<int64_t> &sizes) {
    constexpr llvm::StringRef kinds[] = {"reorder", "split", "fuse", "pad", "unfold"};
    llvm::StringRef next = kind == "any" ? kinds[pick(0, 4)] : kind;
    int64_t rank = sizes.size();
    if (rank == 0)
      return;
    int64_t dim = pick(0, rank - 1);
    if (next == "fuse" && dim + 1 < rank) {
      primitives.push_back(Primitive::fuse(dim, 2));
      sizes[dim] *= sizes[dim + 1];
      sizes.erase(sizes.begin() + dim + 1);
    } else if (next == "pad" && pick(0, 1)) {
      primitives.push_back(Primitive::pad(dim, pick(0, 2), pick(0, 3)));
      sizes[dim] += primitives.back().values[0] + primitives.back().values[1];
    } else if (next == "pad") {
      int64_t multiple = pick(2, 5);
      primitives.push_back(Primitive::padTo(dim, multiple));
      sizes[dim] = (sizes[dim] + multiple - 1) / multiple * multiple;
      split(primitives, sizes, dim, multiple);
      reorder(primitives, sizes);
    } else if (next == "split" && sizes[dim] > 1) {
      int64_t factor = pick(1, sizes[dim]);
      while (sizes[dim] % factor)
        --factor;
      split(primitives, sizes, dim, factor);
      reorder(primitives, sizes);
    } else if (next == "unfold" && sizes[dim] > 1) {
      int64_t tile = pick(1, std::min<int64_t>(sizes[dim], 8)), stride = pick(1, tile);
      primitives.push_back(Primitive::unfold(dim, tile, stride));
      sizes[dim] = (sizes[dim] - tile + stride - 1) / stride + 1;
      sizes.insert(sizes.begin() + dim + 1, tile);
    } else if (next == "reorder") {
      reorder(primitives, sizes);
    }
  }

  static void split(llvm::SmallVectorImpl<Primitive> &primitives,
                    llvm::SmallVectorImpl<int64_t> &sizes, int64_t dim, int64_t factor) {
    primitives.push_back(Primitive::split(dim, {Primitive::kRemainder, factor}));
    sizes[dim] /= factor;
    sizes.insert(sizes.begin() + dim + 1, factor);
  }

  void reorder(llvm::SmallVectorImpl<Primitive> &primitives,
               llvm::SmallVectorImpl<int64_t> &sizes) {
    llvm::SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, sizes.size()));
    llvm::SmallVector<int64_t> old(sizes.begin(), sizes.end());
    for (size_t i = 1; i < order.size(); ++i)
      std::swap(order[i], order[random.below(i + 1)]);
    primitives.push_back(Primitive::reorder(order));
    for (auto [i, dim] : llvm::enumerate(order))
      sizes[i] = old[dim];
  }

  /// Returns primitives with any numbers.
  llvm::SmallVector<Primitive> makeAnything() {
    llvm::SmallVector<Primitive> primitives;
    for (int64_t count = pick(1, 4); count > 0; --count) {
      Primitive primitive{static_cast<Primitive::Kind>(pick(0, 7)), pick(0, 3), {}};
      if (primitive.kind == Primitive::Kind::Reorder)
        primitive.dim = 0;
      for (int64_t values = pick(1, 3); values > 0; --values)
        primitive.values.push_back(pick(0, 9) ? pick(-1, 9) : int64_t(1) << pick(20, 62));
      primitives.push_back(primitive);
    }
    return primitives;
  }

  Random random;
  llvm::StringRef kind;
};
} // namespace

unsigned addRandomStores(mlir::ModuleOp module, uint64_t seed, llvm::StringRef kind) {
  module.getContext()->loadDialect<layout::LayoutDialect>();
  StoreMaker maker(seed, kind);
  unsigned count = 0;
  for (auto kernel : module.getOps<te::KernelOp>()) {
    count += maker.add(kernel);
    if (count && kind == "illegal")
      break;
  }
  return count;
}

} // namespace tssa::reference
