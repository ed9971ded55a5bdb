//===- tssa.h - run compiled models from C -------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The C interface of libtssart: load a compiled model, look at its signature, run
/// it. The interface is stable: structs that may get more fields begin with their
/// size, and all other structs are opaque. A function that can fail returns a status.
/// NULL is success; the caller releases any other status with tssa_status_free.
///
/// A compiled model is a program: load only models that you built or trust. The hashes
/// in a model detect damage, not malice.
///
///     tssa_session *session;
///     tssa_status *status = tssa_session_load("model.so", NULL, &session);
///     float x[6] = {0};
///     int64_t shape[2] = {2, 3};
///     tssa_value in = {"x", {x, {1, 0}, 2, {2, 32, 1}, shape, NULL, 0}, NULL};
///     tssa_value out = {"y", {0}, NULL};
///     status = tssa_session_run(session, NULL, &in, 1, &out, 1);
///     ... out.tensor ...
///     tssa_value_release(&out);
///     tssa_session_free(session);
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TSSA_H
#define TSSA_TSSA_H

#include "tssa/abi.h"

#include <stddef.h>

#if defined(__GNUC__)
#define TSSA_API __attribute__((visibility("default")))
#else
#define TSSA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Status
//===----------------------------------------------------------------------===//

typedef struct tssa_status tssa_status;

/// Returns the code of `status`; TSSA_OK for NULL.
TSSA_API tssa_code tssa_status_code(const tssa_status *status);
/// Returns a sentence that says what was expected, what was found, and where; "" for NULL.
TSSA_API const char *tssa_status_message(const tssa_status *status);
/// Returns the name of the model's node that failed, or "".
TSSA_API const char *tssa_status_node(const tssa_status *status);
TSSA_API void tssa_status_free(tssa_status *status);

/// Returns the version of the library, such as "0.1.0".
TSSA_API const char *tssa_version(void);

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

typedef struct tssa_session tssa_session;

typedef enum tssa_verify {
  TSSA_VERIFY_AUTO = 0, ///< the default: as TSSA_VERIFY_ALWAYS
  TSSA_VERIFY_ALWAYS = 1,
  TSSA_VERIFY_NEVER = 2
} tssa_verify;

/// Options of tssa_session_load. Zero in any field selects the default.
typedef struct tssa_session_options {
  size_t struct_size;
  uint32_t threads;       ///< of a run, including the caller; 0: one per core
  uint32_t pin_threads;   ///< nonzero: each worker stays on one core
  uint64_t memory_limit;  ///< bytes one run may hold; 0: no limit
  int32_t verify_weights; ///< a tssa_verify
  /// Runs parallel loops on the embedder's threads instead of the library's: calls
  /// `body` over [0, n) in chunks of at least `grain` iterations and returns when all
  /// are done. `grain` iterations take about a microsecond, so if waking another thread takes
  /// longer, a loop of few grains is best run on the calling thread alone.
  void (*parallel_for)(void *user, int64_t n, int64_t grain, tssa_body body, void *context);
  void *parallel_for_user;
  /// "cpu", "cuda:<number>", "cuda-emu" or "auto". "auto" and NULL select the first CUDA
  /// device that can run a variant of the program, else the CPU, else the emulator.
  /// Arguments and results are in the host's memory in all cases.
  const char *device;
  /// If `has_seed` is nonzero, random numbers depend on `seed`: sessions of one program with equal
  /// seeds draw the same numbers, run by run. Otherwise each session has a seed of its own from the
  /// operating system. The numbers of a node that has a seed in the model depend on that seed only.
  uint64_t has_seed;
  uint64_t seed;
} tssa_session_options;

#define TSSA_SESSION_OPTIONS_INIT {sizeof(tssa_session_options), 0, 0, 0, 0, 0, 0, 0, 0, 0}

/// Reads and checks the artifact, then loads its code. `options` may be NULL.
TSSA_API tssa_status *tssa_session_load(const char *path, const tssa_session_options *options,
                                        tssa_session **session);
/// Waits for runs in progress, then releases code, weights and memory. Results of runs
/// stay valid. Runs that begin later return an error. Any thread may call this, and it may be
/// called again.
TSSA_API void tssa_session_close(tssa_session *session);
/// Closes and destroys the session; NULL is allowed. In the child of a fork, a session
/// of the parent refuses to run and can only be freed.
TSSA_API void tssa_session_free(tssa_session *session);

/// Returns the name of the device that the session runs on: "cpu",
/// "cuda:0 (NVIDIA H200, sm_90)" or "cuda-emu". It is valid as long as the session.
TSSA_API const char *tssa_session_device(const tssa_session *session);

/// Checks that the artifact is undamaged and that this machine can run it, without
/// loading its code.
TSSA_API tssa_status *tssa_artifact_check(const char *path);

//===----------------------------------------------------------------------===//
// Signature
//===----------------------------------------------------------------------===//

typedef enum tssa_port_kind {
  TSSA_PORT_IN = 0,
  TSSA_PORT_OUT = 1,
  TSSA_PORT_INOUT = 2, ///< an input that the program overwrites
  TSSA_PORT_ALIAS = 3  ///< an output that is the storage of input `alias_of`
} tssa_port_kind;

/// An input or output. Its pointers are valid as long as the session.
typedef struct tssa_port {
  size_t struct_size;
  const char *name;
  tssa_dtype dtype;
  int32_t kind; ///< tssa_port_kind
  int32_t ndim;
  /// The size of each dimension; -1 if it is a symbol or known only after the run.
  const int64_t *dims;
  /// The index of each dimension's symbol; -1 if it has none.
  const int32_t *symbols;
  int32_t alias_of; ///< -1 if the port is no alias
} tssa_port;

/// A size that the inputs determine, such as N in f32[N,3,224,224].
typedef struct tssa_symbol {
  size_t struct_size;
  const char *name;
  int64_t min, max;
} tssa_symbol;

TSSA_API size_t tssa_session_num_inputs(const tssa_session *session);
TSSA_API size_t tssa_session_num_outputs(const tssa_session *session);
TSSA_API size_t tssa_session_num_symbols(const tssa_session *session);
/// These functions fill `port` or `symbol`. The caller must set `struct_size` in it first.
TSSA_API tssa_status *tssa_session_input(const tssa_session *session, size_t index,
                                         tssa_port *port);
TSSA_API tssa_status *tssa_session_output(const tssa_session *session, size_t index,
                                          tssa_port *port);
TSSA_API tssa_status *tssa_session_symbol(const tssa_session *session, size_t index,
                                          tssa_symbol *symbol);

//===----------------------------------------------------------------------===//
// Labels
//===----------------------------------------------------------------------===//

/// What the elements of an output stand for.
typedef enum tssa_labels_kind {
  TSSA_LABELS_NONE = 0, ///< numbers
  /// An element, an int64, is the index of a label. The output is a tensor of strings in the model.
  TSSA_LABELS_STRINGS = 1,
  /// A row of the output, [N, C], is a map from the labels 0 to C-1, strings, to its elements.
  TSSA_LABELS_STRING_KEYS = 2,
  TSSA_LABELS_INT_KEYS = 3 ///< the same with labels that are int64
} tssa_labels_kind;

/// The labels of an output.
typedef struct tssa_labels {
  size_t struct_size;
  int32_t kind; ///< tssa_labels_kind
  size_t count;
} tssa_labels;

/// A label of an output. Its pointer is valid as long as the session.
typedef struct tssa_label {
  size_t struct_size;
  const char *text; ///< as in the model, usually UTF-8, and ended by a zero byte; "" of an int64
  size_t size;      ///< the bytes of the text, which may have zero bytes itself
  int64_t number;   ///< of TSSA_LABELS_INT_KEYS; otherwise 0
} tssa_label;

/// These functions fill `labels` or `label`. The caller must set `struct_size` in it first. An
/// index from `count` on, which an element of a damaged program may have, is TSSA_INVALID_ARGUMENT.
TSSA_API tssa_status *tssa_session_output_labels(const tssa_session *session, size_t output,
                                                 tssa_labels *labels);
TSSA_API tssa_status *tssa_session_output_label(const tssa_session *session, size_t output,
                                                size_t index, tssa_label *label);

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// A node of the model. Its pointers are valid as long as the session.
typedef struct tssa_node {
  size_t struct_size;
  const char *name; ///< "" if it has none
  const char *op;   ///< such as "Conv"
} tssa_node;

/// A part of the program that runs as one. Its pointers are valid as long as the session.
typedef struct tssa_launch {
  size_t struct_size;
  const char *kernel;
  size_t num_nodes;
  const int32_t *nodes; ///< what the launch computes, by the indexes of tssa_session_node
} tssa_launch;

TSSA_API size_t tssa_session_num_launches(const tssa_session *session);
/// These functions fill `launch` or `node`. The caller must set `struct_size` in it first.
TSSA_API tssa_status *tssa_session_launch(const tssa_session *session, size_t index,
                                          tssa_launch *launch);
TSSA_API tssa_status *tssa_session_node(const tssa_session *session, size_t index, tssa_node *node);

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// A tensor, and the name of the input or output that it belongs to.
///
/// Input: may have any strides; the runtime copies tensors that are not contiguous.
/// After a run that succeeds, an input of kind TSSA_PORT_INOUT has its new contents. Such an input
/// must share no memory with another input or output.
///
/// Output: if `data` is NULL, the runtime allocates the tensor and sets `owner`, and
/// tssa_value_release frees it; the session may then use its memory for results of later runs.
/// Otherwise the runtime writes the result to the caller's
/// contiguous memory; before the run, `tensor.shape` has the sizes of that memory, and after the
/// run the sizes of the result. For an output of kind TSSA_PORT_ALIAS, the runtime returns the
/// input's memory, or a dense copy if the input is not contiguous.
typedef struct tssa_value {
  const char *name;
  tssa_tensor tensor;
  void *owner; ///< set by the runtime; NULL before the run
} tssa_value;

TSSA_API void tssa_value_release(tssa_value *value);

/// A flag that stops runs. A run polls it after each kernel and each loop iteration.
typedef struct tssa_cancel tssa_cancel;
TSSA_API tssa_status *tssa_cancel_create(tssa_cancel **cancel);
TSSA_API void tssa_cancel_request(tssa_cancel *cancel);
TSSA_API void tssa_cancel_reset(tssa_cancel *cancel);
TSSA_API void tssa_cancel_free(tssa_cancel *cancel);

/// What happened in runs, and when: a trace that many runs of one session may write at once. Its
/// memory is allocated when it is created; events beyond `max_events` are left out. The functions
/// below that take a trace must not be called while a run writes it.
typedef struct tssa_trace tssa_trace;
TSSA_API tssa_status *tssa_trace_create(size_t max_events, tssa_trace **trace);
/// Removes all events.
TSSA_API void tssa_trace_clear(tssa_trace *trace);
TSSA_API void tssa_trace_free(tssa_trace *trace);

typedef enum tssa_event_kind {
  TSSA_EVENT_RUN = 0,    ///< `value` is the tssa_code of the run
  TSSA_EVENT_LAUNCH = 1, ///< `value` is the number of floating-point operations, -1 if unknown
  TSSA_EVENT_PART = 2,   ///< a thread's part of a parallel loop; `value` is its iterations
  TSSA_EVENT_MEMORY = 3  ///< from `begin_ns` on the run holds `value` bytes; `end_ns` is equal
} tssa_event_kind;

/// Events are in the order in which they were added: one with a length when it ends, and that of a
/// run before all others of the run. Parts are recorded if the session has more than one thread.
typedef struct tssa_event {
  size_t struct_size;
  int32_t kind;             ///< tssa_event_kind
  int32_t launch;           ///< as tssa_session_launch; -1: the event belongs to no launch
  int64_t thread;           ///< its number in the operating system
  uint64_t run;             ///< the number of the run in the trace
  int64_t begin_ns, end_ns; ///< of CLOCK_MONOTONIC
  int64_t value;
} tssa_event;

TSSA_API size_t tssa_trace_num_events(const tssa_trace *trace);
/// Returns 1 if an event was left out, else 0. A run that began after that has no events at all.
TSSA_API int32_t tssa_trace_is_cut(const tssa_trace *trace);
/// Fills `event`. The caller must set `struct_size` in it first.
TSSA_API tssa_status *tssa_trace_event(const tssa_trace *trace, size_t index, tssa_event *event);

typedef enum tssa_trace_style {
  TSSA_TRACE_CHROME = 0,     ///< an object of Chrome's Trace Event format, which Perfetto shows
  TSSA_TRACE_ONNXRUNTIME = 1 ///< an array of events under the names of ONNX Runtime's profiles
} tssa_trace_style;

typedef struct tssa_trace_options {
  size_t struct_size;
  int32_t style;      ///< tssa_trace_style
  int32_t has_origin; ///< otherwise the first event is at time 0
  int64_t origin_ns;  ///< the time of CLOCK_MONOTONIC that is 0 in the text
} tssa_trace_options;

#define TSSA_TRACE_OPTIONS_INIT {sizeof(tssa_trace_options), 0, 0, 0}

/// Sets `text` to the events of the runs that succeeded, as JSON. `session` is the one that wrote
/// `trace`; `options` may be NULL. The text is valid until this is called again or the trace is
/// freed.
TSSA_API tssa_status *tssa_trace_json(tssa_trace *trace, const tssa_session *session,
                                      const tssa_trace_options *options, const char **text);

/// The calls of one launch in a run, and what they took. Each call is waited for.
typedef struct tssa_launch_time {
  uint64_t calls;
  double seconds;
  double flops; ///< floating-point operations
} tssa_launch_time;

typedef struct tssa_run_options {
  size_t struct_size;
  const tssa_cancel *cancel; ///< may be NULL
  double timeout_seconds;    ///< 0: none
  /// If not NULL, gets the times of a run that succeeds, in the order of tssa_session_launch.
  tssa_launch_time *launch_times;
  size_t num_launch_times; ///< must be tssa_session_num_launches if `launch_times` is not NULL
  tssa_trace *trace;       ///< if not NULL, gets the events of the run
} tssa_run_options;

#define TSSA_RUN_OPTIONS_INIT {sizeof(tssa_run_options), 0, 0, 0, 0, 0}

/// Runs the program; any number of threads may call this at once. Random numbers differ from run to
/// run. The caller gives all
/// inputs, in any order, and the outputs that it wants; other outputs are dropped. Wrong
/// arguments are reported before anything is written. `options` may be NULL.
TSSA_API tssa_status *tssa_session_run(tssa_session *session, const tssa_run_options *options,
                                       const tssa_value *inputs, size_t num_inputs,
                                       tssa_value *outputs, size_t num_outputs);

/// Sets `bytes` to the working memory that a run on these inputs needs besides its
/// results.
TSSA_API tssa_status *tssa_session_plan(tssa_session *session, const tssa_value *inputs,
                                        size_t num_inputs, int64_t *bytes);

#ifdef __cplusplus
}
#endif
#endif // TSSA_TSSA_H
