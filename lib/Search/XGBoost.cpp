//===- XGBoost.cpp - the library XGBoost, if it is there ------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "XGBoost.h"

#include <cstdlib>
#include <dlfcn.h>
#include <vector>

using namespace tssa::search;

namespace {
/// What the first attempt to load came to.
struct Attempt {
  XGBoost library = {};
  std::string problem;
};
} // namespace

static void *openLibrary(std::string &problem) {
  const char *chosen = std::getenv("TSSA_XGBOOST");
  std::vector<std::string> names = {"libxgboost.so.0", "libxgboost.so"};
  if (chosen && *chosen)
    names = {chosen};
  for (const std::string &name : names) {
    if (void *handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))
      return handle;
    problem = ::dlerror();
  }
  return nullptr;
}

template <typename Function>
static void find(void *handle, const char *name, Function &function, std::string &problem) {
  function = reinterpret_cast<Function>(::dlsym(handle, name));
  if (!function && problem.empty())
    problem = std::string("the library of XGBoost has no function '") + name + "'";
}

static Attempt load() {
  Attempt attempt;
  auto &[library, problem] = attempt;
  void *handle = openLibrary(problem);
  if (!handle)
    return attempt;
  problem.clear();
  decltype(&::XGBoostVersion) getVersion = nullptr;
  find(handle, "XGBoostVersion", getVersion, problem);
  find(handle, "XGBGetLastError", library.getLastError, problem);
  find(handle, "XGDMatrixCreateFromMat_omp", library.createMatrix, problem);
  find(handle, "XGDMatrixSetFloatInfo", library.setFloats, problem);
  find(handle, "XGDMatrixFree", library.freeMatrix, problem);
  find(handle, "XGBoosterCreate", library.createBooster, problem);
  find(handle, "XGBoosterSetParam", library.setParameter, problem);
  find(handle, "XGBoosterUpdateOneIter", library.update, problem);
  find(handle, "XGBoosterPredictFromDMatrix", library.predict, problem);
  find(handle, "XGBoosterFree", library.freeBooster, problem);
  if (!problem.empty())
    return attempt;
  int major = 0, minor = 0, patch = 0;
  getVersion(&major, &minor, &patch);
  library.version =
      std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch);
  return attempt;
}

llvm::Expected<const XGBoost *> XGBoost::get() {
  static const Attempt attempt = load();
  if (!attempt.problem.empty())
    return llvm::createStringError(attempt.problem);
  return &attempt.library;
}
