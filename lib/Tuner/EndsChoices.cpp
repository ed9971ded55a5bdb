//===- EndsChoices.cpp - other layouts for the ends of a kernel -----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/StoreMaps.h"
#include "dialects/layout/Transforms/KernelStores.h"
#include "tssa/Tuner/ModelTasks.h"

using namespace mlir;
using namespace ::tssa;
using namespace ::tssa::tuner;
namespace te = mlir::tssa::te;
namespace layout = mlir::tssa::layout;
using layout::Role;

/// Channels in blocks of this many.
static constexpr int64_t block = 16;
/// Stands for a block of all channels.
static constexpr int64_t all = std::numeric_limits<int64_t>::max();

namespace {
/// Writes the stores of one kernel.
class EndsWriter {
public:
  EndsWriter(te::KernelOp kernel, ArrayRef<unsigned> constants, te::ComputeOp op)
      : kernel(kernel), constants(constants), op(op), roles(layout::getRoles(op)) {}

  /// Returns the kernel with blocks of `in` input and `out` output channels, or null if they do not
  /// fit.
  OwningOpRef<te::KernelOp> write(int64_t in, int64_t out) {
    layout::StoreKnobs knobs;
    knobs.in = getBlock(Role::In, in);
    knobs.out = getBlock(Role::Out, out);
    bool isDepthwise = roles.kind == layout::Kind::DepthwiseConvolution;
    if (isDepthwise && in != out)
      return nullptr;
    if (isDepthwise || roles.kind == layout::Kind::GroupedConvolution)
      knobs.group = getBlock(Role::Group, out);
    FailureOr<layout::StoreMaps> maps =
        layout::getStoreMaps(op, roles, knobs, [](const Twine &) {});
    if (failed(maps))
      return nullptr;
    OwningOpRef<te::KernelOp> copy = kernel.clone();
    layout::addStore(*copy, *op.getLabel(), maps->result);
    for (BlockArgument parameter : kernel.getBodyBlock().getArguments())
      if (!addStore(*copy, parameter, *maps))
        return nullptr;
    return copy;
  }

private:
  int64_t getBlock(Role role, int64_t block) {
    SmallVector<unsigned> dims = roles.getDims(role);
    if (block == 0 || dims.empty())
      return 0;
    int64_t size = 1;
    for (unsigned dim : dims)
      size = std::max(size, op.getStaticSizes()[dim]);
    return std::min(block, size);
  }

  /// Stores a parameter as the template says, and one of the result's shape like the result.
  bool addStore(te::KernelOp copy, BlockArgument parameter, const layout::StoreMaps &maps) {
    unsigned number = parameter.getArgNumber();
    if (llvm::is_contained(constants, number) || !isa<RankedTensorType>(parameter.getType()))
      return true;
    layout::LayoutMap map;
    if (parameter.getType() == op.getResult(0).getType())
      map = maps.result;
    for (auto &[source, own] : maps.sources)
      if (source == parameter)
        map = own;
    if (!map.isEmpty() && !layout::canStore(kernel, number, map))
      return false;
    layout::addStore(copy, number, map);
    return true;
  }

  te::KernelOp kernel;
  ArrayRef<unsigned> constants;
  te::ComputeOp op;
  layout::Roles roles;
};
} // namespace

static std::string describe(int64_t block) {
  return block == 0 ? "as it is" : block == all ? "channels last" : "blocks of 16";
}

std::vector<EndsChoice> tuner::findEndsChoices(te::KernelOp kernel, ArrayRef<unsigned> constants) {
  std::vector<EndsChoice> choices;
  auto ops = kernel.getBodyBlock().getOps<te::ComputeOp>();
  if (!llvm::hasSingleElement(ops) || !kernel.getSchedule().empty())
    return choices;
  te::ComputeOp op = *ops.begin();
  layout::Roles roles = layout::getRoles(op);
  bool isConvolution = roles.kind == layout::Kind::Convolution ||
                       roles.kind == layout::Kind::GroupedConvolution ||
                       roles.kind == layout::Kind::DepthwiseConvolution;
  if (!isConvolution || op.getNumResults() != 1 || !op.getLabel())
    return choices;
  EndsWriter writer(kernel, constants, op);
  for (auto [in, out] : {std::pair<int64_t, int64_t>(0, 0), {all, all}, {0, all}, {all, 0},
                         {block, block}})
    if (OwningOpRef<te::KernelOp> stored = writer.write(in, out))
      choices.push_back({"data " + describe(in) + ", result " + describe(out), std::move(stored)});
  return choices;
}
