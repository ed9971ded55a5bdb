//===- Status.h - outcome of a runtime call ------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_STATUS_H
#define TSSA_RUNTIME_STATUS_H

#include "tssa/abi.h"

#include <string>
#include <utility>

namespace tssa::runtime {

/// Success, or an error code with a message: a sentence that says what was expected, what
/// was found, and where. `node` is the name of the model's node that failed, or empty.
struct [[nodiscard]] Status {
  tssa_code code = TSSA_OK;
  std::string message;
  std::string node;

  bool ok() const { return code == TSSA_OK; }
  static Status success() { return {}; }
};

inline Status makeError(tssa_code code, std::string message) {
  return Status{code, std::move(message), {}};
}

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_STATUS_H
