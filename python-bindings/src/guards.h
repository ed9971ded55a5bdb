//===- guards.h - what a recording depends on, compared fast -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A module has hundreds of dicts and tensors, and each call asks whether any has
/// changed since it was recorded.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_PYTHON_GUARDS_H
#define TSSA_PYTHON_GUARDS_H

#include <nanobind/nanobind.h>

namespace tssa::python {

/// Adds the classes `Dicts` and `Contents`, and `are_same`.
void registerGuards(nanobind::module_ &module);

} // namespace tssa::python

#endif // TSSA_PYTHON_GUARDS_H
