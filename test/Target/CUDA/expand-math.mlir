// RUN: tssa-opt %s -split-input-file -pass-pipeline='builtin.module(gpu.module(cuda-expand-math))' | FileCheck %s

gpu.module @device {
  // Functions on f32 get the same expansion as on a CPU.
  // CHECK-LABEL: func.func @exp
  // CHECK-NOT: math.exp
  // CHECK: math.fma %{{.*}} : vector<4xf32>
  func.func @exp(%x: vector<4xf32>) -> vector<4xf32> {
    %r = math.exp %x : vector<4xf32>
    return %r : vector<4xf32>
  }

  // Functions on f16 are computed in f32.
  // CHECK-LABEL: func.func @half
  // CHECK: arith.extf %{{.*}} : f16 to f32
  // CHECK: math.fma %{{.*}} : f32
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  func.func @half(%x: f16) -> f16 {
    %r = math.tanh %x : f16
    return %r : f16
  }

  // Functions on f32 that need more bits are computed in f64.
  // CHECK-LABEL: func.func @acosh
  // CHECK: arith.extf %{{.*}} : f32 to f64
  // CHECK: math.fma %{{.*}} : f64
  // CHECK: arith.truncf %{{.*}} : f64 to f32
  func.func @acosh(%x: f32) -> f32 {
    %r = math.acosh %x : f32
    return %r : f32
  }

  // CHECK-LABEL: func.func @erf
  // CHECK-NOT: math.erf
  // CHECK: math.fma %{{.*}} : f64
  func.func @erf(%x: f64) -> f64 {
    %r = math.erf %x : f64
    return %r : f64
  }

  // A large angle is reduced with as many digits of 2 / pi as it needs.
  // CHECK-LABEL: func.func @sin
  // CHECK: scf.if
  // CHECK: arith.constant 2734261102 : i64
  // CHECK: arith.muli %{{.*}} : i64
  // CHECK-NOT: math.sin
  func.func @sin(%x: f32) -> f32 {
    %r = math.sin %x : f32
    return %r : f32
  }

  // CHECK-LABEL: func.func @remainder
  // CHECK: scf.while
  // CHECK-NOT: arith.remf
  func.func @remainder(%x: f32, %y: f32) -> f32 {
    %r = arith.remf %x, %y : f32
    return %r : f32
  }

  // Functions that are instructions stay.
  // CHECK-LABEL: func.func @instructions
  // CHECK: math.sqrt %{{.*}} : f64
  // CHECK: math.floor %{{.*}} : f64
  func.func @instructions(%x: f64) -> f64 {
    %s = math.sqrt %x : f64
    %r = math.floor %s : f64
    return %r : f64
  }
}
