//===- CAPITrace.cpp - the traces of tssa.h ------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CAPI.h"

using namespace tssa::runtime;
using namespace tssa::runtime::capi;

tssa_status *tssa_trace_create(size_t maxEvents, tssa_trace **trace) {
  return guard([&] {
    if (!trace || maxEvents == 0)
      return invalid("trace is null or max_events is 0");
    *trace = new tssa_trace(maxEvents);
    return Status::success();
  });
}

void tssa_trace_clear(tssa_trace *trace) { trace->trace.clear(); }
void tssa_trace_free(tssa_trace *trace) { delete trace; }

size_t tssa_trace_num_events(const tssa_trace *trace) { return trace->trace.getNumEvents(); }
int32_t tssa_trace_is_cut(const tssa_trace *trace) { return trace->trace.isCut(); }

tssa_status *tssa_trace_event(const tssa_trace *trace, size_t index, tssa_event *target) {
  return guard([&] {
    if (!trace)
      return invalid("trace is null");
    if (Status status = checkIndex(index, trace->trace.getNumEvents()); !status.ok())
      return status;
    const TraceEvent &event = trace->trace.getEvent(index);
    tssa_event view{};
    view.kind = event.kind;
    view.launch = event.launch;
    view.thread = event.thread;
    view.run = event.run;
    view.begin_ns = event.begin;
    view.end_ns = event.end;
    view.value = event.value;
    return fill(target, view);
  });
}

/// Refuses a trace with a launch that the program does not have.
static Status checkLaunches(const Trace &trace, const Variant &variant) {
  for (size_t i = 0; i < trace.getNumEvents(); ++i)
    if (trace.getEvent(i).launch >= int64_t(variant.launches.size()))
      return invalid("the trace is one of another session");
  return Status::success();
}

tssa_status *tssa_trace_json(tssa_trace *trace, const tssa_session *session,
                             const tssa_trace_options *given, const char **text) {
  return guard([&] {
    if (!trace || !session || !text)
      return invalid("trace, session or text is null");
    tssa_trace_options read;
    if (Status status = readOptions(given, read); !status.ok())
      return status;
    if (read.style < TSSA_TRACE_CHROME || read.style > TSSA_TRACE_ONNXRUNTIME)
      return invalid("options: style is not a tssa_trace_style");
    const Variant &variant = session->session->getVariant();
    if (Status status = checkLaunches(trace->trace, variant); !status.ok())
      return status;
    TraceTextOptions options;
    if (read.style == TSSA_TRACE_ONNXRUNTIME)
      options.style = TraceTextOptions::ONNXRuntime;
    if (read.has_origin)
      options.origin = read.origin_ns;
    trace->text = writeTrace(trace->trace, session->session->getManifest(), variant, options);
    *text = trace->text.c_str();
    return Status::success();
  });
}
