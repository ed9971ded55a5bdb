//===- XGBoost.h - the library XGBoost, if it is there ----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_SEARCH_XGBOOST_H
#define LIB_SEARCH_XGBOOST_H

#include "llvm/Support/Error.h"

#include <string>
#include <xgboost/c_api.h>

namespace tssa::search {

/// The functions of XGBoost's C interface that the cost model calls. Releases 1.7 and 3.2 have all
/// of them.
struct XGBoost {
  decltype(&::XGBGetLastError) getLastError;
  decltype(&::XGDMatrixCreateFromMat_omp) createMatrix;
  decltype(&::XGDMatrixSetFloatInfo) setFloats;
  decltype(&::XGDMatrixFree) freeMatrix;
  decltype(&::XGBoosterCreate) createBooster;
  decltype(&::XGBoosterSetParam) setParameter;
  decltype(&::XGBoosterUpdateOneIter) update;
  decltype(&::XGBoosterPredictFromDMatrix) predict;
  decltype(&::XGBoosterFree) freeBooster;
  std::string version; ///< such as 1.7.4

  /// Returns the library at $TSSA_XGBOOST, or else the one that the system's loader finds. It is
  /// loaded once and stays. Fails with a sentence if there is none, or one that lacks a function.
  static llvm::Expected<const XGBoost *> get();
};

} // namespace tssa::search

#endif // LIB_SEARCH_XGBOOST_H
