//===- abi.h - contract between a compiled model and its host ------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The contract between compiled code and the program that runs it. The header is
/// plain C, includes only <stdint.h>, and is stable: fields are only ever appended to its structs,
/// and each such change increases `version`.
///
/// The first variant of a compiled model exports exactly
///
///     int32_t tssa_plan(const int64_t *sizes, int64_t *arena_bytes);
///     int32_t tssa_run(const tssa_host *, tssa_tensor *args,
///                      tssa_tensor *results, void *arena);
///
/// and, if it is for the emulator, the table `tssa_kernels` (emulator.h). The other variants export
/// the same names with the suffixes `_1`, `_2` ... A compiled model imports no symbols: it calls
/// the outside only through `tssa_host`. Both functions return a `tssa_code`.
///
/// The host guarantees the following when it calls `tssa_run`:
/// - `args` are in the manifest's order, and their dtypes, ranks and sizes have been
///   checked. They are contiguous (`strides` is NULL, `byte_offset` is 0). `data` is
///   never NULL, even for an empty tensor. It is aligned to the element's size only,
///   because it may be the user's memory. Bools are 0 or 1, and an element of less
///   than a byte holds a value of its type.
/// - `results` have their dtype and rank. `data` is NULL, except for results that are
///   the storage of an argument. The program calls `tssa_host::result` once for each
///   of the other results. The program may also call it for a result that is the storage
///   of an argument that the program overwrites. `tssa_host::result` then returns
///   separate memory, and the host copies its contents to the argument when the run has
///   succeeded. All other writes to an argument happen in place.
/// - `arena` is aligned to 64 bytes; its contents are unspecified.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_ABI_H
#define TSSA_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TSSA_ABI_VERSION 6

/// The result of every call; 0 is success.
typedef enum tssa_code {
  TSSA_OK = 0,
  TSSA_INVALID_ARGUMENT = 1, ///< a wrong name, dtype, rank or size, or a null pointer
  TSSA_OUT_OF_RANGE = 2,     ///< an index or a size in the data is out of range
  TSSA_OUT_OF_MEMORY = 3,    ///< an allocation failed or exceeded the limit
  TSSA_CANCELLED = 4,        ///< cancelled, or its time ran out
  TSSA_CORRUPT = 5,          ///< the artifact is damaged
  TSSA_INCOMPATIBLE = 6,     ///< the artifact needs another machine or version
  TSSA_IO = 7,               ///< a file could not be read or written
  TSSA_INTERNAL = 8          ///< a bug in tssa
} tssa_code;

/// DLPack's DLDevice, DLDataType and DLTensor, field for field
/// (https://dmlc.github.io/dlpack). `code`: 0 int, 1 uint, 2 float, 4 bfloat,
/// 6 bool, 10 to 14 f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz and f8e8m0fnu, 17
/// f4e2m1fn. A bool or i1 element is one byte, 0 or 1. Elements of 4 and 2 bits take a
/// byte each and use its low bits.
typedef struct tssa_device {
  int32_t type;
  int32_t id;
} tssa_device;
typedef struct tssa_dtype {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} tssa_dtype;
typedef struct tssa_tensor {
  void *data;
  tssa_device device;
  int32_t ndim;
  tssa_dtype dtype;
  int64_t *shape;
  int64_t *strides; ///< in elements; NULL means contiguous, row-major
  uint64_t byte_offset;
} tssa_tensor;

struct tssa_host;
typedef struct tssa_host tssa_host;

/// The body of a parallel loop: runs iterations [begin, end).
typedef void (*tssa_body)(void *context, int64_t begin, int64_t end);

/// The functions and data that the host offers to compiled code. Each run has its own tssa_host.
struct tssa_host {
  uint32_t version;     ///< TSSA_ABI_VERSION of the host
  uint32_t struct_size; ///< sizeof(tssa_host) in the host
  void *user;           ///< the host's own state for this run
  const void *weights;  ///< first byte of the mapped weights, 64-byte aligned

  /// Runs `body` over [0, n) in chunks of at least `grain` iterations, in any order,
  /// and returns when all are done.
  void (*parallel_for)(const tssa_host *, int64_t n, int64_t grain, tssa_body body, void *context);
  /// Allocates memory whose size depends on data. It is aligned to 64 bytes, counts
  /// against the host's limit, and is freed by `release` or at the end of the run.
  /// Returns NULL on failure.
  void *(*grow)(const tssa_host *, uint64_t bytes);
  void (*release)(const tssa_host *, void *);
  /// Returns the contiguous storage of result `index`, whose shape is now known: the
  /// caller's buffer if it gave one that fits, else memory of the host. Fills `data`
  /// and `shape` of `result`. On failure, reports the error and returns NULL.
  void *(*result)(const tssa_host *, tssa_tensor *result, int32_t index, int32_t ndim,
                  const int64_t *shape);
  /// Reports an error and returns `code`. `node` is an index into the manifest's node
  /// table, or -1 for no node. A run keeps its first report only. Thread-safe.
  int32_t (*fail)(const tssa_host *, int32_t code, int32_t node, const char *text);
  /// Returns nonzero when the run must stop. Called between kernels and in loops.
  int32_t (*poll_cancel)(const tssa_host *);
  /// Called before (phase 0) and after (phase 1) launch `launch` of the manifest's
  /// launch table. NULL unless the run is profiled.
  void (*profile)(const tssa_host *, int32_t launch, int32_t phase);
  /// Evaluates a scalar function that compiled code does not expand inline, on doubles. `function`
  /// is a tssa_math_function.
  double (*math)(int32_t function, double x, double y);

  // The members from here on exist since version 2. In a program for a device, `weights`, `arena`,
  // the data of arguments and results, and the memory from `grow` are in the device's memory.

  /// Starts launch `launch` of the manifest's launch table: `blocks` blocks (>= 0) of
  /// its kernel, which has n parameters. `params` has 2n entries:
  /// - `params[i]`, i < n, is the address of parameter i, which is a device address, an
  ///   int64_t size, or a scalar of its type.
  /// - `params[n + i]` is the address of an int64_t with the number of bytes of the
  ///   tensor that parameter i points to, or NULL for a scalar.
  /// Parameter n - 1 is the error word; the host fills both of its entries. The launch
  /// runs in order with all other work of the run on the device. Starting it also polls for
  /// cancellation and records the profile. Returns a tssa_code. If that is an error, the host has
  /// already reported it.
  int32_t (*launch)(const tssa_host *, int32_t launch, int64_t blocks, void **params);
  /// Copies `bytes` bytes, in order with launches; `kind` is a tssa_copy_kind. A copy to the host
  /// returns when it is done, a copy to the device when `from` may be overwritten. Returns a
  /// tssa_code. If that is an error, the host has already reported it.
  int32_t (*copy)(const tssa_host *, void *to, const void *from, uint64_t bytes, int32_t kind);
  /// The table to pass to code that works on the host's memory: its `grow` allocates host memory.
  /// In a program for the CPU, `on_host` points to this tssa_host itself.
  const tssa_host *on_host;

  // The members from here on exist since version 3.

  /// Returns the key from which the next execution of a node computes its random numbers. `stream`
  /// identifies the node. `seed` points to the seed of the node, or is NULL if it has none; the key
  /// then depends on the seed of the session. The keys of all executions differ, in this run and
  /// in later ones. Only the thread that called `tssa_run` calls this.
  uint64_t (*random_key)(const tssa_host *, uint64_t stream, const uint64_t *seed);

  // The members from here on exist since version 4.

  /// Called before launch `launch` of the manifest's launch table, which has `flops` floating-point
  /// operations. NULL unless the run is profiled.
  void (*count_flops)(const tssa_host *, int32_t launch, int64_t flops);

  // The members from here on exist since version 5.

  /// Returns memory for the chunk of a parallel loop that the calling thread is about to run: as
  /// many bytes as the manifest says or `reserve_scratch` asked for, aligned to 64. No other thread
  /// gets it until `release_scratch`. If none is free, waits until it is. Never returns NULL;
  /// allocates nothing. Not called if neither says that threads need memory.
  void *(*acquire_scratch)(const tssa_host *);
  void (*release_scratch)(const tssa_host *, void *);

  // The members from here on exist since version 6.

  /// Makes sure that `acquire_scratch` returns at least `bytes` bytes until the end of the run. The
  /// memory counts against the host's limit. Called while no kernel runs. Returns 0, or another
  /// number if there is no memory.
  int32_t (*reserve_scratch)(const tssa_host *, uint64_t bytes);
};

/// The direction of tssa_host::copy.
typedef enum tssa_copy_kind {
  TSSA_COPY_TO_HOST = 0,
  TSSA_COPY_TO_DEVICE = 1,
  TSSA_COPY_ON_DEVICE = 2
} tssa_copy_kind;

/// The functions of `tssa_host::math`. Only the binary ones use `y`.
typedef enum tssa_math_function {
  TSSA_MATH_EXP,
  TSSA_MATH_EXP2,
  TSSA_MATH_EXPM1,
  TSSA_MATH_LOG,
  TSSA_MATH_LOG2,
  TSSA_MATH_LOG10,
  TSSA_MATH_LOG1P,
  TSSA_MATH_SIN,
  TSSA_MATH_COS,
  TSSA_MATH_TAN,
  TSSA_MATH_ASIN,
  TSSA_MATH_ACOS,
  TSSA_MATH_ATAN,
  TSSA_MATH_ATAN2,
  TSSA_MATH_SINH,
  TSSA_MATH_COSH,
  TSSA_MATH_TANH,
  TSSA_MATH_ASINH,
  TSSA_MATH_ACOSH,
  TSSA_MATH_ATANH,
  TSSA_MATH_ERF,
  TSSA_MATH_ERFC,
  TSSA_MATH_POW,
  TSSA_MATH_FMOD,
  TSSA_MATH_CBRT
} tssa_math_function;

/// A routine of a user, which an operator of `tssa-compile --operators` calls with `te.extern
/// @name`. The object has it as the global function `tssa_extern_<name>`.
///
/// `tensors` are the inputs, then the results. All are contiguous; a scalar is a tensor of rank 0.
/// The routine writes to the memory of each result whose sizes are known. For the others, `data` is
/// NULL: the routine sets all sizes in `shape` and takes the memory from `host->grow`. In a program
/// for a GPU, the tensors are copies in the host's memory. The routine must not keep pointers, and
/// runs may call it at the same time. It returns TSSA_OK, or what `host->fail(host, code, node,
/// text)` returns. `reserved` is for routines of the compiler. Routines import nothing: they have
/// the functions of `host`, memcpy, memmove, memset, and what is in the object.
typedef int32_t (*tssa_routine)(const tssa_host *host, int32_t node, tssa_tensor *tensors,
                                const void *reserved);

typedef int32_t (*tssa_plan_fn)(const int64_t *sizes, int64_t *arena_bytes);
typedef int32_t (*tssa_run_fn)(const tssa_host *, tssa_tensor *args, tssa_tensor *results,
                               void *arena);

#ifdef __cplusplus
}
#endif
#endif // TSSA_ABI_H
