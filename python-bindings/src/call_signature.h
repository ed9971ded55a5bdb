//===- call_signature.h - what a call passes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The structure of the arguments of a call, and what is fixed in them, for a quick look at
/// whether another call is like it.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_PYTHON_CALL_SIGNATURE_H
#define TSSA_PYTHON_CALL_SIGNATURE_H

#include "exchange.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <vector>

namespace tssa::python {

constexpr tssa_device cpu = {1, 0};

/// A part of the arguments of the known call, in preorder.
struct Node {
  enum Kind { Tensor, Int, Float, Literal, Tuple, List, Dict };
  Kind kind;
  /// How many parts a container has.
  size_t count = 0;
  /// The literal, the number if it is fixed, the keys of a dict as a tuple.
  nanobind::object expected = {};
  tssa_dtype dtype = {};
  /// Of a tensor; -1 for those that are open.
  std::vector<int64_t> sizes = {};

  bool accepts(const tssa_tensor &tensor) const;
  bool acceptsNumber(nanobind::handle number) const;
  bool acceptsLiteral(nanobind::handle value) const;
};

/// The parts of the arguments of a call. They live as long as it runs.
struct Parts {
  std::vector<nanobind::object> values;
  /// The memory of the values; null for those that are no tensors.
  std::vector<ManagedPointer> memory;
  /// The lists and dicts, each of which occurs once.
  std::vector<PyObject *> containers;

  bool isFirst(nanobind::handle tensor) const {
    return std::none_of(values.begin(), values.end(),
                        [&](const nanobind::object &value) { return value.is(tensor); });
  }
  bool addContainer(PyObject *container) {
    if (std::find(containers.begin(), containers.end(), container) != containers.end())
      return false;
    containers.push_back(container);
    return true;
  }
};

/// Calls of one kind.
class CallSignature {
public:
  /// tensors: the class of tensors. literalTypes: of values that are compared.
  CallSignature(nanobind::object tensors, nanobind::tuple literalTypes)
      : tensorType(std::move(tensors)), literals(std::move(literalTypes)),
        exchange(nanobind::cast<nanobind::capsule>(tensorType.attr("__dlpack_c_exchange_api__"))) {}

  /// Takes the parts of the known call. fixed: for each the sizes of a tensor, with None for
  /// those that are open, and None for an open number. Returns whether all are of known kinds.
  bool learn(nanobind::tuple arguments, nanobind::list fixed);
  /// Whether a call is like the known one; then `parts` has what it passes.
  bool match(nanobind::tuple args, nanobind::dict kwargs, Parts &parts) const;
  const Exchange &getExchange() const { return exchange; }
  /// What the garbage collector should know of.
  const std::vector<Node> &getNodes() const { return nodes; }
  void clear() { std::vector<Node> dropped = std::move(nodes); }

private:
  bool learnPart(nanobind::handle part, nanobind::list fixed, Parts &parts);
  bool learnTensor(nanobind::handle tensor, nanobind::handle sizes, Parts &parts);
  bool learnDict(nanobind::handle dict, nanobind::list fixed, Parts &parts);
  bool match(nanobind::handle part, const Node *&node, Parts &parts) const;
  bool matchTensor(nanobind::handle tensor, const Node &node, Parts &parts) const;
  bool matchDict(nanobind::handle dict, const Node *&node, Parts &parts) const;

  nanobind::object tensorType;
  nanobind::tuple literals;
  Exchange exchange;
  std::vector<Node> nodes;
};

} // namespace tssa::python

#endif // TSSA_PYTHON_CALL_SIGNATURE_H
