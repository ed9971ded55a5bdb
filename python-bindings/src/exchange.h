//===- exchange.h - tensors to and from a framework -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// DLPack's C exchange API (1.3): functions of a framework that take its tensors apart and make
/// new ones without a call in Python. A DLTensor is a tssa_tensor.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_PYTHON_EXCHANGE_H
#define TSSA_PYTHON_EXCHANGE_H

#include "tssa/tssa.h"

#include <nanobind/nanobind.h>

#include <memory>

namespace tssa::python {

/// DLManagedTensorVersioned.
struct ManagedTensor {
  uint32_t major, minor;
  void *context;
  void (*deleter)(ManagedTensor *);
  uint64_t flags;
  tssa_tensor tensor;
};

struct DeleteManaged {
  void operator()(ManagedTensor *managed) const { managed->deleter(managed); }
};
using ManagedPointer = std::unique_ptr<ManagedTensor, DeleteManaged>;

/// The functions of a framework.
class Exchange {
public:
  /// capsule: the class attribute `__dlpack_c_exchange_api__` of the framework's tensors.
  explicit Exchange(nanobind::capsule capsule);

  /// The memory of a tensor, which lives as long as the result; null if it has none to share.
  ManagedPointer take(nanobind::handle tensor) const;
  /// A tensor of the framework over a result of a run, which it takes over.
  nanobind::object wrap(tssa_value &value) const;

private:
  /// DLPackExchangeAPI.
  struct Functions {
    uint32_t major, minor;
    void *previous;
    void *allocate;
    int (*fromObject)(void *object, ManagedTensor **made);
    int (*toObject)(ManagedTensor *tensor, void **made);
  };
  const Functions *functions;
};

} // namespace tssa::python

#endif // TSSA_PYTHON_EXCHANGE_H
