//===- ProgramLayouts.h - layouts for all kernels of a program --*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The kernels of a program with the ways in which their ends may be stored, and the tensors that
/// flow between them. Each way makes a task of the kernel, and where the ends of a tensor differ,
/// a conversion is a task too. With a time for each task, the program is a search::ChoiceGraph.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TUNER_PROGRAMLAYOUTS_H
#define TSSA_TUNER_PROGRAMLAYOUTS_H

#include "dialects/layout/IR/MachineModel.h"
#include "dialects/layout/Transforms/StoreTable.h"
#include "mlir/IR/OwningOpRef.h"
#include "tssa/Search/Database.h"
#include "tssa/Search/Graph.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>

namespace tssa::tuner {

/// A kernel with some layouts of its ends.
struct StoredKernel {
  mlir::tssa::layout::LaunchStores stores;
  search::Task task;
  double calls = 0; ///< of one run of the program
};

/// One way to store the ends of a kernel.
struct KernelOption {
  std::string name; ///< for people
  /// One for all launches; of what the compiler chooses one for each kind of launch.
  std::vector<StoredKernel> kernels;
};

/// A kernel of the program.
struct KernelNode {
  mlir::tssa::te::KernelOp kernel;
  llvm::SmallVector<unsigned> constants; ///< parameters
  double calls = 0;                      ///< of one run of the program
  /// The first is what the compiler chooses.
  std::vector<KernelOption> options;
};

/// What a program takes, in seconds.
struct ProgramTimes {
  /// Returns the seconds of one run of a kernel.
  llvm::function_ref<double(const search::Task &)> kernel;
  /// Returns the seconds in which a tensor is brought from one layout to another.
  llvm::function_ref<double(mlir::RankedTensorType, const mlir::tssa::layout::LayoutMap &,
                            const mlir::tssa::layout::LayoutMap &)>
      conversion;
};

class ProgramLayouts {
public:
  /// Looks at `module`, which is at the end of stage te and must live as long as this. Kernels that
  /// have stores keep them, and so do those that cannot be tuned. Fails with the text of a
  /// diagnostic.
  static llvm::Expected<std::unique_ptr<ProgramLayouts>>
  create(mlir::ModuleOp module, const mlir::tssa::layout::MachineModel &machine);

  llvm::ArrayRef<KernelNode> getNodes() const { return nodes; }
  /// Whether other layouts can be chosen for a kernel.
  bool isOpen(size_t node) const { return open[node]; }

  /// Returns the task that a kernel is with these stores; nothing if they cannot be applied to it.
  std::optional<search::Task> makeTask(size_t node,
                                       const mlir::tssa::layout::LaunchStores &stores) const;
  /// Adds an option to a kernel that is open, and returns its number: that of an equal one if there
  /// is one. Returns nothing if the stores cannot be applied to the kernel.
  std::optional<uint32_t> addOption(size_t node, const mlir::tssa::layout::LaunchStores &stores,
                                    std::string name);
  /// Adds options to the open kernels: each layout that a neighbour gives a tensor by an option for
  /// which `leads` holds, for this tensor alone and with the others of about its size, and on from
  /// there. No kernel gets more than `most` options.
  void addFollowers(llvm::function_ref<bool(size_t node, uint32_t option)> leads, size_t most);

  /// Returns the seconds of conversions of the ends of a kernel that are left with an option in one
  /// run, whatever others choose: those of tensors that come from outside of open kernels or go
  /// there.
  double getFixedConversions(size_t node, uint32_t option, const ProgramTimes &times) const;
  /// Returns the graph of the program, whose nodes are those of `getNodes` and one that stands for
  /// what is outside of kernels, where all tensors are stored as they are.
  llvm::Expected<search::ChoiceGraph> makeGraph(const ProgramTimes &times) const;
  /// Returns the seconds that the launches of a kernel take with an option in one run.
  double getSeconds(size_t node, uint32_t option, const ProgramTimes &times) const;
  /// Returns the open kernels that have a space of layouts (StoreSpace), in the order of the program:
  /// ALT's "complex operators". Others follow their neighbours.
  std::vector<uint32_t> getTunedNodes() const;

  /// Returns the tasks of the program with these options, kernels and conversions.
  std::vector<search::Task> getTasks(llvm::ArrayRef<uint32_t> options);
  /// Returns the open nodes whose option is not the first, and those with which they exchange
  /// tensors.
  std::vector<size_t> findChanged(llvm::ArrayRef<uint32_t> options) const;
  /// Returns a copy of a kernel with the stores of an option.
  mlir::OwningOpRef<mlir::tssa::te::KernelOp> getStored(size_t node, uint32_t option) const;
  /// Returns a copy of the module in which the kernels of `findChanged` have the stores of these
  /// options, one for each node; the compiler chooses those of others, and of kernels that it
  /// stores in several ways.
  mlir::OwningOpRef<mlir::ModuleOp> write(llvm::ArrayRef<uint32_t> options) const;
  /// Returns the conversion of a tensor from one layout to another as a task; nothing if both are
  /// the same in memory.
  std::optional<search::Task> getConversion(mlir::RankedTensorType type,
                                            const mlir::tssa::layout::LayoutMap &from,
                                            const mlir::tssa::layout::LayoutMap &to);
  /// Returns what the function has returned if it was called before, else null.
  const std::optional<search::Task> *findConversion(mlir::RankedTensorType type,
                                                    const mlir::tssa::layout::LayoutMap &from,
                                                    const mlir::tssa::layout::LayoutMap &to) const;

private:
  /// A tensor that flows from a result of one node to an operand of another. The node behind the
  /// last one is what is outside.
  struct Flow {
    size_t from, to;
    unsigned fromKernel, toKernel; ///< which of those of the first option
    unsigned result, operand;
    mlir::RankedTensorType type;
    double calls;
  };

  ProgramLayouts(mlir::ModuleOp module, const mlir::tssa::layout::MachineModel &machine)
      : module(module), machine(machine) {}
  llvm::Error findNodes();
  void findFlows();
  /// Returns a copy of a kernel with exactly these stores.
  static mlir::OwningOpRef<mlir::tssa::te::KernelOp>
  store(const KernelNode &node, const mlir::tssa::layout::LaunchStores &stores);
  double getSeconds(const Flow &flow, uint32_t from, uint32_t to, const ProgramTimes &times) const;
  mlir::tssa::layout::LayoutMap getFrom(const Flow &flow, uint32_t option) const;
  mlir::tssa::layout::LayoutMap getTo(const Flow &flow, uint32_t option) const;
  bool follow(size_t node, bool isResult, unsigned end, const mlir::tssa::layout::LayoutMap &map);

  mlir::ModuleOp module;
  mlir::tssa::layout::MachineModel machine;
  std::vector<KernelNode> nodes;
  std::vector<bool> open;
  llvm::DenseMap<mlir::Operation *, unsigned> kinds; ///< of launches, in the first option
  std::vector<Flow> flows;
  std::map<std::string, std::optional<search::Task>> conversions; ///< by type and maps
};

} // namespace tssa::tuner

#endif // TSSA_TUNER_PROGRAMLAYOUTS_H
