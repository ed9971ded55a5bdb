//===- Det.cpp - determinants --------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Routine.h"

using namespace tssa;

/// Computes the determinant of an n x n matrix by elimination with partial pivoting. Overwrites the
/// matrix.
static double computeDeterminant(double *matrix, int64_t n) {
  double determinant = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i)
      if (__builtin_fabs(matrix[i * n + k]) > __builtin_fabs(matrix[pivot * n + k]))
        pivot = i;
    if (pivot != k) {
      determinant = -determinant;
      for (int64_t j = 0; j < n; ++j) {
        double other = matrix[k * n + j];
        matrix[k * n + j] = matrix[pivot * n + j];
        matrix[pivot * n + j] = other;
      }
    }
    determinant *= matrix[k * n + k];
    if (matrix[k * n + k] == 0)
      return determinant;
    for (int64_t i = k + 1; i < n; ++i) {
      double factor = matrix[i * n + k] / matrix[k * n + k];
      for (int64_t j = k + 1; j < n; ++j)
        matrix[i * n + j] -= factor * matrix[k * n + j];
    }
  }
  return determinant;
}

/// (x [.., n, n]) -> determinants [..], in f32 or f64.
extern "C" int32_t tssa_extern_det(const tssa_host *host, int32_t node, tssa_tensor *tensors,
                                   const Attributes *) {
  const tssa_tensor &x = tensors[0], &result = tensors[1];
  bool isDouble = x.dtype.code == 2 && x.dtype.bits == 64;
  if (!isDouble && !(x.dtype.code == 2 && x.dtype.bits == 32))
    return host->fail(host, TSSA_INVALID_ARGUMENT, node, "expected elements of f32 or f64");
  int64_t n = x.shape[x.ndim - 1], count = countElements(result);
  Scratch<double> matrix(host, node, n * n);
  if (!matrix)
    return TSSA_OUT_OF_MEMORY;
  for (int64_t m = 0; m < count; ++m) {
    for (int64_t i = 0; i < n * n; ++i)
      matrix[i] = isDouble ? getData<double>(x)[m * n * n + i] : getData<float>(x)[m * n * n + i];
    double determinant = computeDeterminant(matrix.get(), n);
    if (isDouble)
      getData<double>(result)[m] = determinant;
    else
      getData<float>(result)[m] = float(determinant);
  }
  return TSSA_OK;
}
