//===- fma_peak.c - the roof: fused multiply-adds per second --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: fma_peak [THREADS] [MILLISECONDS] [BITS]
//
// Prints the best rate, in GFLOP/s, that THREADS threads reach together with
// independent f32 fused multiply-adds on vectors of BITS bits: 256, 512, or 0
// for the widest of this CPU. Thread i is pinned to the i-th CPU that the
// process may use.
//
//   cc -O2 -pthread fma_peak.c -o fma_peak
//
//===----------------------------------------------------------------------===//
#define _GNU_SOURCE
#include <immintrin.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

// Enough independent chains to cover the latency of two FMA ports.
#define EACH_CHAIN(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
enum { chains = 12, steps = 100000, most_threads = 256 };

// One burst; gives the number of f32 operations done. The asm keeps each chain
// in a register without letting the compiler fold the loop.
#define START(I) __typeof__(add) acc##I = add;
#define STEP(I)                                                                \
  acc##I = fmadd(acc##I, scale, add);                                          \
  __asm__ volatile("" : "+v"(acc##I));
#define BURST(NAME, TARGET, TYPE, SET1, LANES)                                 \
  __attribute__((target(TARGET))) static double NAME(void) {                   \
    TYPE scale = SET1(0.999f), add = SET1(0.001f);                             \
    EACH_CHAIN(START)                                                          \
    for (int s = 0; s < steps; ++s) {                                          \
      EACH_CHAIN(STEP)                                                         \
    }                                                                          \
    return 2.0 * LANES * chains * steps;                                       \
  }

#define fmadd _mm512_fmadd_ps
BURST(burst512, "avx512f", __m512, _mm512_set1_ps, 16)
#undef fmadd
#define fmadd _mm256_fmadd_ps
BURST(burst256, "avx2,fma", __m256, _mm256_set1_ps, 8)
#undef fmadd

static double (*burst)(void);
static double seconds;
static pthread_barrier_t start;

struct worker {
  pthread_t thread;
  int cpu;
  double rate;
};

static void *work(void *argument) {
  struct worker *self = argument;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(self->cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  burst();
  pthread_barrier_wait(&start);
  for (double begin = now(); now() - begin < seconds;) {
    double before = now();
    double rate = burst() / (now() - before);
    if (rate > self->rate)
      self->rate = rate;
  }
  return NULL;
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 1;
  seconds = (argc > 2 ? atof(argv[2]) : 300) * 1e-3;
  int bits = argc > 3 ? atoi(argv[3]) : 0;
  if (threads < 1 || threads > most_threads || seconds <= 0 ||
      (bits != 0 && bits != 256 && bits != 512)) {
    fprintf(stderr, "usage: fma_peak [THREADS] [MILLISECONDS] [0|256|512]\n");
    return 2;
  }
  if (bits != 256 && __builtin_cpu_supports("avx512f"))
    burst = burst512;
  else if (bits != 512 && __builtin_cpu_supports("fma"))
    burst = burst256;
  else {
    fprintf(stderr, "fma_peak: error: this CPU has no fused multiply-add on "
                    "such vectors\n");
    return 1;
  }

  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  if (threads > CPU_COUNT(&allowed)) {
    fprintf(stderr, "fma_peak: error: %d threads, but only %d CPUs allowed\n",
            threads, CPU_COUNT(&allowed));
    return 1;
  }
  static struct worker workers[most_threads];
  pthread_barrier_init(&start, NULL, threads);
  for (int i = 0, cpu = 0; i < threads; ++i, ++cpu) {
    while (!CPU_ISSET(cpu, &allowed))
      ++cpu;
    workers[i].cpu = cpu;
    pthread_create(&workers[i].thread, NULL, work, &workers[i]);
  }
  double rate = 0;
  for (int i = 0; i < threads; ++i) {
    pthread_join(workers[i].thread, NULL);
    rate += workers[i].rate;
  }
  printf("%.1f\n", rate * 1e-9);
  return 0;
}
