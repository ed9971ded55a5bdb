//===- nearest.c - runs a compiled model from C --------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Loads nearest.so, prints its signature, and asks for the nearest centre of some
/// rows: once into memory that the runtime makes, once into our own.
///
//===----------------------------------------------------------------------===//
#include <tssa/tssa.h>

#include <stdio.h>
#include <stdlib.h>

/// Exits with the message of `status` unless it is success.
static void check(tssa_status *status) {
  if (!status)
    return;
  fprintf(stderr, "error: %s\n", tssa_status_message(status));
  tssa_status_free(status);
  exit(1);
}

static void printPort(const char *what, const tssa_session *session,
                      const tssa_port *port) {
  printf("%s %s: %d dimensions [", what, port->name, (int)port->ndim);
  for (int32_t i = 0; i < port->ndim; ++i) {
    tssa_symbol symbol = {sizeof(symbol), NULL, 0, 0};
    if (port->symbols[i] >= 0)
      check(tssa_session_symbol(session, (size_t)port->symbols[i], &symbol));
    if (symbol.name)
      printf(i ? ", %s" : "%s", symbol.name);
    else
      printf(i ? ", %lld" : "%lld", (long long)port->dims[i]);
  }
  printf("]\n");
}

static void printSignature(const tssa_session *session) {
  tssa_port port = {.struct_size = sizeof(port)};
  for (size_t i = 0; i < tssa_session_num_inputs(session); ++i) {
    check(tssa_session_input(session, i, &port));
    printPort("input ", session, &port);
  }
  for (size_t i = 0; i < tssa_session_num_outputs(session); ++i) {
    check(tssa_session_output(session, i, &port));
    printPort("output", session, &port);
  }
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: nearest MODEL.so\n");
    return 2;
  }
  tssa_session *session;
  check(tssa_session_load(argv[1], NULL, &session));
  printSignature(session);

  enum { rows = 3 };
  float x[rows][4] = {
      {5.1f, 3.5f, 1.4f, 0.2f}, {6.7f, 3.1f, 5.6f, 2.4f}, {5.7f, 2.8f, 4.1f, 1.3f}};
  int64_t shape[2] = {rows, 4};
  const tssa_dtype f32 = {2, 32, 1}, i64 = {0, 64, 1};
  const tssa_device cpu = {1, 0};
  tssa_value input = {"x", {x, cpu, 2, f32, shape, NULL, 0}, NULL};

  // With no memory given, the runtime makes the result.
  tssa_value distances = {.name = "distances"};
  check(tssa_session_run(session, NULL, &input, 1, &distances, 1));
  const float *d = distances.tensor.data;
  for (int64_t i = 0; i < distances.tensor.shape[0]; ++i)
    printf("row %d: %.3f %.3f %.3f\n", (int)i, d[3 * i], d[3 * i + 1],
           d[3 * i + 2]);
  tssa_value_release(&distances);

  // Or it writes into ours.
  int64_t indices[rows], indicesShape[1] = {rows};
  tssa_value nearest = {
      "nearest", {indices, cpu, 1, i64, indicesShape, NULL, 0}, NULL};
  check(tssa_session_run(session, NULL, &input, 1, &nearest, 1));
  printf("nearest:");
  for (int i = 0; i < rows; ++i)
    printf(" %d", (int)indices[i]);
  printf("\n");

  // A wrong input is a status, not a crash.
  shape[1] = 5;
  tssa_status *status = tssa_session_run(session, NULL, &input, 1, &nearest, 1);
  printf("with 5 columns: %s\n", tssa_status_message(status));
  tssa_status_free(status);

  tssa_session_free(session);
  return 0;
}
