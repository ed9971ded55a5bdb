//===- PartitionPrinter.cpp - a partition as text and as a graph -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Partition/PartitionPrinter.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/GraphWriter.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Returns the name of an expression and those of the nodes of the model that it comes from.
static std::string describe(Operation *op, ValueNames &names) {
  llvm::SetVector<StringRef> nodes;
  collectNodes(op->getLoc(), nodes);
  std::string text = names.getStep(op);
  return nodes.empty() ? text : text + " (" + llvm::join(nodes, ", ") + ")";
}

/// Returns a number of points, bytes or cycles, which is an estimate if sizes are open.
static std::string count(double number) { return llvm::formatv("{0:F0}", number); }

static double getReadBytes(const Group &group) {
  double bytes = 0;
  for (const GroupRead &read : group.reads)
    bytes += read.bytes;
  return bytes;
}

static StringRef getPlace(Place place) {
  switch (place) {
  case Place::Read:
    return " where it is read";
  case Place::Epilogue:
    return " in the epilogue";
  case Place::Row:
    return " row by row";
  case Place::Box:
    return " in a box";
  }
  llvm_unreachable("no such place");
}

static void print(const Group &group, unsigned number, const CostModel &model, ValueNames &names,
                  raw_ostream &stream) {
  stream << "  group " << number << ": " << describe(group.root, names);
  if (group.trips != 1)
    stream << ", " << count(group.trips) << " times";
  stream << ": " << count(group.getCycles(model)) << " cycles\n";
  for (const Member &member : group.members)
    stream << "    " << describe(member.op, names) << getPlace(member.place) << ", "
           << count(member.points) << " points\n";
  if (group.boxes)
    stream << "    in boxes of " << count(group.boxes->rows) << " rows and "
           << count(group.boxes->bytes) << " bytes: " << count(group.boxes->savedBytes)
           << " bytes stay in caches, " << count(group.boxes->repeatedBytes)
           << " are read again; as launches " << count(group.boxes->cyclesAsLaunches)
           << " cycles\n";
  stream << "    computes for " << count(group.computing) << " cycles, moves for "
         << count(group.moving) << ": " << count(getReadBytes(group)) << " bytes read, "
         << count(group.writtenBytes) << " written\n";
}

void te::printPartition(Partition &partition, ValueNames &names, raw_ostream &stream) {
  SmallVector<Group, 0> groups = partition.getGroups();
  double cycles = 0, launches = 0;
  for (auto [number, group] : llvm::enumerate(groups)) {
    print(group, number + 1, partition.getModel(), names, stream);
    cycles += group.getCycles(partition.getModel());
    launches += group.trips;
  }
  stream << "  " << count(launches) << " launches of " << groups.size()
         << " groups: " << count(cycles) << " cycles\n";
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

static std::string quote(const std::string &text) {
  return '"' + llvm::DOT::EscapeString(text) + '"';
}

void te::printPartitionGraph(Partition &partition, ValueNames &names, raw_ostream &stream) {
  SmallVector<Group, 0> groups = partition.getGroups();
  llvm::DenseMap<Operation *, unsigned> numbers; // of the groups, by what they store
  for (auto [number, group] : llvm::enumerate(groups))
    numbers[group.stored] = number;
  stream << "digraph partition {\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n"
            "  edge [fontname=\"sans-serif\", fontsize=9];\n";
  for (auto [number, group] : llvm::enumerate(groups)) {
    std::string label = (Twine(number + 1) + ". " + describe(group.root, names)).str();
    for (const Member &member : group.members)
      label += (member.place == Place::Epilogue ? "\nthen " : "\n+ ") + describe(member.op, names);
    label += "\n" + count(group.getCycles(partition.getModel())) + " cycles";
    stream << "  g" << number << " [label=" << quote(label)
           << (group.computing >= group.moving ? ", style=bold" : "") << "];\n";
  }
  for (auto [number, group] : llvm::enumerate(groups))
    for (const GroupRead &read : group.reads) {
      auto from = numbers.find(read.tensor.getDefiningOp());
      if (from != numbers.end())
        stream << "  g" << from->second << " -> g" << number
               << " [label=" << quote(count(read.bytes) + " bytes") << "];\n";
    }
  stream << "}\n";
}
