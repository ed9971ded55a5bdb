// RUN: tssa-opt %s -pass-pipeline='builtin.module(gpu.module(cuda-expand-math))' -verify-diagnostics

// Each function that has no expansion is named.
gpu.module @device {
  func.func @k(%x: f64, %y: f64) -> f64 {
    // expected-error @+1 {{kernel 'k': 'math.cos' on 'f64' has no expansion for devices}}
    %c = math.cos %x : f64
    // expected-error @+1 {{kernel 'k': 'arith.remf' on 'f64' has no expansion for devices}}
    %r = arith.remf %c, %y : f64
    return %r : f64
  }
}
