//===- cached_call.h - calls that run what is compiled already -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An inline cache for calls of a compiled function: whether a call is like one that a
/// recording has run, and that run, without a step in Python.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_PYTHON_CACHED_CALL_H
#define TSSA_PYTHON_CACHED_CALL_H

#include <nanobind/nanobind.h>

namespace tssa::python {

/// Adds the class `CachedCall`.
void registerCachedCall(nanobind::module_ &module);

} // namespace tssa::python

#endif // TSSA_PYTHON_CACHED_CALL_H
