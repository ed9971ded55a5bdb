//===- Parts.cpp - a program in parts that are compiled apart -------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

using namespace mlir;

namespace tssa::cpu {

namespace {

/// What one function or global refers to.
struct References {
  SmallVector<Operation *> called, addressed;
};

/// The functions and globals of a program, and what refers to what.
class SymbolUses {
public:
  explicit SymbolUses(ModuleOp module) {
    for (Operation &op : *module.getBody())
      if (isa<LLVM::LLVMFuncOp, LLVM::GlobalOp>(op)) {
        symbols[SymbolTable::getSymbolName(&op)] = &op;
        ops.push_back(&op);
      }
    for (Operation *op : ops)
      collect(op);
  }

  ArrayRef<Operation *> getOps() const { return ops; }
  const References &getReferences(Operation *op) const { return references.find(op)->second; }

private:
  SmallVector<Operation *> ops;
  DenseMap<StringAttr, Operation *> symbols;
  DenseMap<Operation *, References> references;

  void collect(Operation *op) {
    References &found = references[op];
    op->walk([&](Operation *nested) {
      if (auto address = dyn_cast<LLVM::AddressOfOp>(nested))
        add(address.getGlobalNameAttr().getAttr(), found.addressed);
      else if (auto call = dyn_cast<LLVM::CallOp>(nested); call && call.getCallee())
        add(call.getCalleeAttr().getAttr(), found.called);
    });
  }

  void add(StringAttr name, SmallVectorImpl<Operation *> &list) {
    if (Operation *op = symbols.lookup(name))
      list.push_back(op);
  }
};

bool isDefinition(Operation *op) {
  if (auto global = dyn_cast<LLVM::GlobalOp>(op))
    return global.getValueOrNull() || !global.getInitializerRegion().empty();
  return !cast<LLVM::LLVMFuncOp>(op).isExternal();
}

/// Whether parts may have copies of their own.
bool isCopied(Operation *op) {
  auto global = dyn_cast<LLVM::GlobalOp>(op);
  return global && global.getConstant() && isDefinition(op) &&
         (global.getLinkage() == LLVM::Linkage::Private ||
          global.getLinkage() == LLVM::Linkage::Internal);
}

/// Assigns the definitions of a program to its parts.
class Splitter {
public:
  explicit Splitter(ModuleOp module) : program(module) {
    for (Operation *op : program.getOps())
      for (Operation *used : program.getReferences(op).addressed)
        if (isa<LLVM::LLVMFuncOp>(used) && isDefinition(used))
          entries.insert(used);
  }

  std::vector<Part> run() {
    std::vector<Part> parts(1);
    for (Operation *op : program.getOps())
      if (entries.contains(op)) {
        parts.emplace_back().entry = cast<LLVM::LLVMFuncOp>(op);
        visit(op, parts.size() - 1);
      }
    visitHost();
    for (Operation *op : program.getOps())
      place(op, parts);
    for (Part &part : parts)
      declare(part);
    for (Part &part : parts)
      for (Operation *op : part.declared)
        isDefinition(op) ? parts[owners.lookup(op)].shared.insert(op)
                         : parts.front().declared.insert(op);
    return parts;
  }

private:
  SymbolUses program;
  DenseSet<Operation *> entries;
  /// The parts from whose entries calls lead to an operation.
  DenseMap<Operation *, SetVector<size_t>> users;
  /// The parts that define what is not copied.
  DenseMap<Operation *, size_t> owners;

  void visit(Operation *op, size_t part) {
    if (!users[op].insert(part))
      return;
    const References &references = program.getReferences(op);
    for (Operation *called : references.called)
      if (!entries.contains(called))
        visit(called, part);
    for (Operation *used : references.addressed)
      if (!isa<LLVM::LLVMFuncOp>(used))
        visit(used, part);
  }

  /// Visits what no entry leads to, and what this uses.
  void visitHost() {
    DenseSet<Operation *> reached;
    for (Operation *op : program.getOps())
      if (users.contains(op))
        reached.insert(op);
    for (Operation *op : program.getOps())
      if (!reached.contains(op))
        visit(op, 0);
  }

  void place(Operation *op, std::vector<Part> &parts) {
    if (!isDefinition(op))
      return;
    const SetVector<size_t> &known = users[op];
    if (isCopied(op)) {
      for (size_t part : known)
        parts[part].defined.insert(op);
      return;
    }
    owners[op] = known.size() == 1 ? known.front() : 0;
    parts[owners[op]].defined.insert(op);
  }

  void declare(Part &part) {
    for (Operation *op : part.defined) {
      const References &references = program.getReferences(op);
      for (Operation *used :
           llvm::concat<Operation *const>(references.called, references.addressed))
        if (!part.defined.contains(used))
          part.declared.insert(used);
    }
  }
};

} // namespace

static void setExternal(Operation *op) {
  if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
    function.setLinkage(LLVM::Linkage::External);
  else
    cast<LLVM::GlobalOp>(op).setLinkage(LLVM::Linkage::External);
}

OwningOpRef<ModuleOp> Part::clone() const {
  Operation *first = defined.front();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(first->getContext()));
  for (Operation *op : declared) {
    Operation *copy = op->cloneWithoutRegions();
    module->push_back(copy);
    setExternal(copy);
    if (auto global = dyn_cast<LLVM::GlobalOp>(copy))
      global.removeValueAttr();
  }
  for (Operation *op : defined) {
    Operation *copy = op->clone();
    module->push_back(copy);
    if (shared.contains(op))
      setExternal(copy);
  }
  return module;
}

std::vector<Part> splitProgram(ModuleOp module) { return Splitter(module).run(); }

} // namespace tssa::cpu
