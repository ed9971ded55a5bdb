//===- CAPI.h - what the functions of tssa.h share -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_CAPI_H
#define TSSA_LIB_RUNTIME_CAPI_H

#include "tssa/Runtime/Session.h"
#include "tssa/Runtime/Trace.h"
#include "tssa/tssa.h"

#include <algorithm>
#include <cstring>
#include <new>

struct tssa_status {
  tssa::runtime::Status status;
};

struct tssa_trace {
  explicit tssa_trace(size_t maxEvents) : trace(maxEvents) {}
  tssa::runtime::Trace trace;
  std::string text; ///< the last one that tssa_trace_json gave
};

namespace tssa::runtime::capi {

/// The dimensions of a port in the form of the C interface.
struct PortView {
  std::vector<int64_t> dims;
  std::vector<int32_t> symbols;
};

/// Returns the status as the caller gets it: null for success.
tssa_status *give(Status status);
/// Returns the status for an allocation that failed, without allocating.
tssa_status *giveOutOfMemory();

/// Calls `work` and converts exceptions to a status, so that none reaches C code.
template <typename Work> tssa_status *guard(Work work) {
  try {
    return give(work());
  } catch (const std::bad_alloc &) {
    return giveOutOfMemory();
  } catch (const std::exception &error) {
    return give(makeError(TSSA_INTERNAL, error.what()));
  }
}

inline Status invalid(const char *what) { return makeError(TSSA_INVALID_ARGUMENT, what); }

/// Reads an options struct of this or another version. Fields that the struct lacks become zero;
/// fields that this version does not know must be zero.
template <typename T> Status readOptions(const T *given, T &options) {
  std::memset(&options, 0, sizeof(options));
  if (!given)
    return Status::success();
  size_t size = given->struct_size;
  if (size < sizeof(size_t) || size > 4096)
    return invalid("options: struct_size is not set");
  const char *bytes = reinterpret_cast<const char *>(given);
  for (size_t i = sizeof(T); i < size; ++i)
    if (bytes[i])
      return makeError(TSSA_INCOMPATIBLE,
                       "options: a field is set that this library, version " TSSA_VERSION
                       ", does not know");
  std::memcpy(&options, given, std::min(size, sizeof(T)));
  return Status::success();
}

/// Fills the caller's struct up to its struct_size.
template <typename T> Status fill(T *target, T value) {
  if (!target || target->struct_size < sizeof(size_t))
    return invalid("struct_size is not set");
  value.struct_size = target->struct_size;
  std::memcpy(target, &value, std::min(sizeof(T), target->struct_size));
  return Status::success();
}

/// Reports an index that is not below `count`.
inline Status checkIndex(size_t index, size_t count) {
  if (index < count)
    return Status::success();
  return makeError(TSSA_INVALID_ARGUMENT,
                   "index " + std::to_string(index) + ", there are " + std::to_string(count));
}

} // namespace tssa::runtime::capi

struct tssa_session {
  std::unique_ptr<tssa::runtime::Session> session;
  std::vector<tssa::runtime::capi::PortView> inputs, outputs;
};

#endif // TSSA_LIB_RUNTIME_CAPI_H
