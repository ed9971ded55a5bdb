//===- LoadedCode.cpp ----------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LoadedCode.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>

using namespace tssa::runtime;

/// Returns whether the dynamic linker, whose message is `reason`, failed for lack of memory. If
/// the linker cannot allocate a copy of the file's name, the message ends with "cannot open shared
/// object file" and gives no cause. As the file exists, this message means a lack of memory.
static bool isOutOfMemory(std::string_view reason) {
  constexpr std::string_view unexplained = "cannot open shared object file";
  return reason.find("annot allocate") != reason.npos ||
         reason.find("annot create") != reason.npos ||
         reason.find("out of memory") != reason.npos ||
         (reason.size() >= unexplained.size() &&
          reason.substr(reason.size() - unexplained.size()) == unexplained);
}

static Status loadError(const char *what) {
  const char *reason = dlerror();
  bool noMemory = reason && isOutOfMemory(reason);
  return makeError(noMemory ? TSSA_OUT_OF_MEMORY : TSSA_INCOMPATIBLE,
                   std::string("cannot load the code: ") + (reason ? reason : what));
}

LoadedCode::~LoadedCode() {
  if (handle)
    dlclose(handle);
}

Status LoadedCode::load(std::string_view bytes, const std::string &suffix) {
  file = File(::memfd_create("tssa-model", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.get() < 0)
    return ioError("memfd", "cannot create");
  if (Status status = file.writeAt("memfd", 0, bytes.data(), bytes.size()); !status.ok())
    return status;
  if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) !=
      0)
    return ioError("memfd", "cannot seal");
  std::string path = "/proc/self/fd/" + std::to_string(file.get());
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return loadError("dlopen failed");
  plan = reinterpret_cast<tssa_plan_fn>(dlsym(handle, ("tssa_plan" + suffix).c_str()));
  run = reinterpret_cast<tssa_run_fn>(dlsym(handle, ("tssa_run" + suffix).c_str()));
  kernels = static_cast<const tssa_emulated_kernel *const *>(
      dlsym(handle, ("tssa_kernels" + suffix).c_str()));
  if (!plan || !run)
    return loadError("tssa_plan or tssa_run is missing");
  return Status::success();
}
