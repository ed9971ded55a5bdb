//===- MergedKernel.cpp - one kernel for several launches -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/MergedKernel.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

namespace {
/// The launches and their kernels, and the parameters of the kernel that takes their place.
struct Members {
  SmallVector<te::LaunchOp> launches;
  SmallVector<te::KernelOp> kernels;
  /// The values that become parameters: tensors, then values of type index, then other scalars.
  SmallVector<Value> values;
  /// The results of all members.
  SmallVector<Value> results;
  /// For each member, what replaces each of its parameters: the number of a parameter, or behind
  /// these, of a result.
  SmallVector<SmallVector<unsigned>> numbers;

  Members(ArrayRef<te::LaunchOp> launches, LaunchMerger &merger) : launches(launches) {
    llvm::SetVector<Value> kinds[3];
    for (te::LaunchOp launch : launches) {
      kernels.push_back(merger.lookup(launch));
      for (Value value : launch.getInputs()) {
        unsigned kind = isa<TensorType>(value.getType()) ? 0 : value.getType().isIndex() ? 1 : 2;
        if (!llvm::is_contained(results, value))
          kinds[kind].insert(value);
      }
      llvm::append_range(results, launch.getResults());
    }
    for (const llvm::SetVector<Value> &kind : kinds)
      llvm::append_range(values, kind);
    for (te::LaunchOp launch : launches) {
      SmallVector<unsigned> &own = numbers.emplace_back();
      for (Value value : launch.getInputs()) {
        unsigned number = llvm::find(values, value) - values.begin();
        own.push_back(
            isParameter(number) ? number : number + (llvm::find(results, value) - results.begin()));
      }
    }
  }

  bool isParameter(unsigned number) const { return number < values.size(); }

  /// Returns a text that is the same for launches that can share a kernel.
  std::string getKey() {
    std::string key;
    llvm::raw_string_ostream stream(key);
    stream << values.size() << ':';
    for (auto [kernel, own] : llvm::zip_equal(kernels, numbers)) {
      stream << kernel.getSymName() << '(';
      llvm::interleave(own, stream, ",");
      stream << ')';
    }
    return key;
  }
};
} // namespace

/// Gives `kernel` the attributes that the parameters of the members have.
static void setParameterAttributes(te::KernelOp kernel, Members &members) {
  for (auto [member, numbers] : llvm::zip_equal(members.kernels, members.numbers))
    for (auto [own, number] : llvm::enumerate(numbers)) {
      if (!members.isParameter(number))
        continue;
      if (member.isFinite(own)) // which holds in each launch of the member
        kernel.setFinite(number);
      if (te::WindowAttr window = member.getArgumentWindow(own))
        kernel.setArgumentWindow(number, window);
      if (DenseI64ArrayAttr sizes = member.getSizesAttr(own)) {
        SmallVector<int64_t> renumbered;
        for (int64_t size : sizes.asArrayRef())
          renumbered.push_back(size < 0 ? size : int64_t(numbers[size]));
        kernel.setSizes(number, renumbered);
      }
    }
}

static void setResultWindows(te::KernelOp kernel, Members &members) {
  unsigned result = 0;
  for (te::KernelOp member : members.kernels)
    for (unsigned own = 0; own < member.getResultTypes().size(); ++own, ++result)
      if (te::WindowAttr window = member.getResultWindow(own))
        kernel.setResultWindow(result, window);
}

/// Returns `label`, with a number behind it if it is in `used` already, and adds it to `used`.
static std::string makeUnique(StringRef label, llvm::StringSet<> &used) {
  std::string unique = label.str();
  for (unsigned number = 1; !used.insert(unique).second; ++number)
    unique = (label + Twine(number)).str();
  return unique;
}

/// Replaces the labels that `op`, an op of a schedule, names.
static void rename(Operation &op, const llvm::StringMap<std::string> &labels) {
  llvm::TypeSwitch<Operation *>(&op).Case<LoopsOp, ComputeAtOp, ComputeAfterOp, InlineOp>(
      [&](auto named) { named.setLabel(labels.lookup(named.getLabel())); });
}

/// Appends the expressions and the schedule of `member` to `kernel`. `parameters` take the places
/// of the member's own. Returns the member's results.
static SmallVector<Value> append(te::KernelOp kernel, te::KernelOp member,
                                 ArrayRef<Value> parameters, llvm::StringSet<> &used) {
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.getBodyBlock());
  IRMapping mapping;
  mapping.map(member.getBodyBlock().getArguments(), parameters);
  llvm::StringMap<std::string> labels;
  for (Operation &op : member.getBodyBlock().without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    if (auto compute = dyn_cast<te::ComputeOp>(copy)) {
      std::string &label = labels[*compute.getLabel()];
      label = makeUnique(*compute.getLabel(), used);
      compute.setLabel(label);
    }
  }
  builder.setInsertionPointToEnd(&kernel.getSchedule().front());
  for (Operation &op : member.getSchedule().getOps())
    rename(*builder.clone(op, mapping), labels);
  SmallVector<Value> results;
  for (Value value : member.getBodyBlock().getTerminator()->getOperands())
    results.push_back(mapping.lookup(value));
  return results;
}

static te::KernelOp createKernel(Members &members) {
  MLIRContext *context = members.kernels.front().getContext();
  OpBuilder builder(context);
  SmallVector<Type> results;
  SmallVector<Location> locations;
  for (te::KernelOp member : members.kernels) {
    llvm::append_range(results, member.getResultTypes());
    locations.push_back(member.getLoc());
  }
  auto type = builder.getFunctionType(ValueRange(members.values).getTypes(), results);
  std::string name =
      (members.kernels.front().getSymName() + "_and_" + Twine(members.kernels.size() - 1)).str();
  Location loc = FusedLoc::get(context, locations);
  auto kernel =
      te::KernelOp::create(builder, loc, name, type, StringAttr(), ArrayAttr(), ArrayAttr());
  Block &body = kernel.getBody().emplaceBlock();
  for (Value value : members.values)
    body.addArgument(value.getType(), loc);
  kernel.getSchedule().emplaceBlock();
  setParameterAttributes(kernel, members);
  setResultWindows(kernel, members);
  llvm::StringSet<> used;
  SmallVector<Value> returned;
  for (auto [member, numbers] : llvm::zip_equal(members.kernels, members.numbers)) {
    SmallVector<Value> parameters;
    for (unsigned number : numbers)
      parameters.push_back(members.isParameter(number) ? Value(kernel.getArgument(number))
                                                       : returned[number - members.values.size()]);
    llvm::append_range(returned, append(kernel, member, parameters, used));
  }
  builder.setInsertionPointToEnd(&body);
  te::ReturnOp::create(builder, loc, returned);
  return kernel;
}

te::LaunchOp LaunchMerger::merge(ArrayRef<te::LaunchOp> launches) {
  Members group(launches, *this);
  members.insert_range(group.kernels);
  StringAttr &name = merged[group.getKey()];
  if (!name)
    name = symbols.insert(createKernel(group), Block::iterator(group.kernels.front()));
  SmallVector<Type> types;
  SmallVector<Value> sizes;
  SmallVector<Location> locations;
  for (te::LaunchOp launch : launches) {
    llvm::append_range(types, launch.getResultTypes());
    llvm::append_range(sizes, launch.getResultSizes());
    locations.push_back(launch.getLoc());
  }
  OpBuilder builder(launches.front());
  auto launch = te::LaunchOp::create(builder, FusedLoc::get(module.getContext(), locations), types,
                                     name, group.values, sizes, ValueRange());
  ResultRange rest = launch.getResults();
  for (te::LaunchOp member : launches) {
    member.replaceAllUsesWith(rest.take_front(member.getNumResults()));
    rest = rest.drop_front(member.getNumResults());
    member.erase();
  }
  return launch;
}

void LaunchMerger::eraseUnused() {
  for (te::KernelOp kernel : members)
    if (SymbolTable::symbolKnownUseEmpty(kernel, module))
      symbols.erase(kernel);
}
