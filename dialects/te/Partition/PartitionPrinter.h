//===- PartitionPrinter.h - a partition as text and as a graph -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_PARTITION_PARTITIONPRINTER_H
#define DIALECTS_TE_PARTITION_PARTITIONPRINTER_H

#include "dialects/te/Analysis/ValueNames.h"
#include "dialects/te/Partition/Partition.h"

namespace mlir::tssa::te {

/// Prints each group with its members, their places and points, and what it computes and moves, and
/// the cost of all groups.
void printPartition(Partition &partition, ValueNames &names, raw_ostream &stream);

/// Prints the groups as boxes with their expressions, and the tensors between them as edges with
/// their bytes, in the language of Graphviz.
void printPartitionGraph(Partition &partition, ValueNames &names, raw_ostream &stream);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_PARTITION_PARTITIONPRINTER_H
