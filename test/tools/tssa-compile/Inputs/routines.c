/* Routines for operators of --operators; with -DWRONG, what an object must not have. */
#include "tssa/abi.h"

/* (x [N, C], by) -> y [N, C], whose rows are those of x in the reverse order, times `by`. */
int32_t tssa_extern_reverse(const tssa_host *host, int32_t node, tssa_tensor *tensors, const void *reserved) {
  const float *x = tensors[0].data, by = *(const float *)tensors[1].data;
  float *y = tensors[2].data;
  int64_t rows = tensors[0].shape[0], columns = tensors[0].shape[1];
  (void)reserved;
  if (by == 0)
    return host->fail(host, TSSA_OUT_OF_RANGE, node, "expected a factor other than 0");
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      y[row * columns + column] = x[(rows - 1 - row) * columns + column] * by;
  return TSSA_OK;
}

/* (labels [N], blank) -> those that are neither blank nor equal to the one before. */
int32_t tssa_extern_collapse(const tssa_host *host, int32_t node, tssa_tensor *tensors, const void *reserved) {
  const int64_t *labels = tensors[0].data, blank = *(const int64_t *)tensors[1].data;
  int64_t count = tensors[0].shape[0], kept = 0;
  int64_t *result = host->grow(host, (count + 1) * sizeof(int64_t));
  (void)reserved;
  if (!result)
    return host->fail(host, TSSA_OUT_OF_MEMORY, node, "no memory for the labels");
  for (int64_t i = 0; i < count; ++i)
    if (labels[i] != blank && (i == 0 || labels[i] != labels[i - 1]))
      result[kept++] = labels[i];
  tensors[2].data = result;
  tensors[2].shape[0] = kept;
  return TSSA_OK;
}

#if defined(WRONG_IMPORT)
extern int printf(const char *format, ...);
int32_t tssa_extern_say(void) { return printf("\n"); }
#elif defined(WRONG_NAME)
int32_t tssa_run(void) { return 0; }
#elif defined(WRONG_LIBRARY)
int32_t tssa_extern_topk(void) { return 0; }
#endif
