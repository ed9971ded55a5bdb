//===- exchange.cpp -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "exchange.h"

namespace nb = nanobind;
using namespace tssa::python;

namespace {
/// The version of DLPack's structures above.
constexpr uint32_t majorVersion = 1;

/// A result of a run that a framework holds.
struct Owned {
  ManagedTensor managed;
  tssa_value value;

  static void release(ManagedTensor *managed) {
    std::unique_ptr<Owned> owned(static_cast<Owned *>(managed->context));
    tssa_value_release(&owned->value);
  }
};
} // namespace

Exchange::Exchange(nb::capsule capsule)
    : functions(static_cast<const Functions *>(capsule.data("dlpack_exchange_api"))) {
  if (functions->major != majorVersion)
    throw nb::value_error("expected version 1 of DLPack");
}

ManagedPointer Exchange::take(nb::handle tensor) const {
  ManagedTensor *made = nullptr;
  if (functions->fromObject(tensor.ptr(), &made) == 0)
    return ManagedPointer(made);
  PyErr_Clear();
  return nullptr;
}

nb::object Exchange::wrap(tssa_value &value) const {
  auto owned = std::make_unique<Owned>();
  owned->managed = {majorVersion, 0, owned.get(), Owned::release, 0, value.tensor};
  owned->value = value;
  value = {};
  void *made = nullptr;
  if (functions->toObject(&owned.release()->managed, &made) != 0)
    throw nb::python_error();
  return nb::steal(static_cast<PyObject *>(made));
}
