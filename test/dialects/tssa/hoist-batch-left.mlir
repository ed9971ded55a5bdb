// RUN: tssa-opt %s --tssa-hoist-batch --split-input-file | FileCheck %s
// RUN: tssa-opt %s --tssa-hoist-batch --split-input-file --remarks-filter=tssa-hoist-batch --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// A check before the product may end the run before the product is needed.
// CHECK-LABEL: func @check
// CHECK: scf.for
// CHECK: te.compute (d0: 4) reduce (d1: 4)
// REMARK: 'te.check' before it may end the run
func.func @check(%x: tensor<16x4xf32>, %c: i1, %w: tensor<4x4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.constant 16 : index
  %r = scf.for %t = %c0 to %count step %c1 iter_args(%s = %h) -> (tensor<4xf32>) {
    te.check %c, "stop"
    %p = te.compute (d0: 4) reduce (d1: 4) init (0.0 : f32) {
      %a = te.read %x[s0, d1](%t) : tensor<16x4xf32>
      %b = te.read %w[d1, d0] : tensor<4x4xf32>
      %m = arith.mulf %a, %b : f32
      te.yield %m : f32
    } combine arith.addf : tensor<4xf32>
    %n = te.compute (d0: 4) {
      %a = te.read %p[d0] : tensor<4xf32>
      %b = te.read %s[d0] : tensor<4xf32>
      %m = arith.addf %a, %b : f32
      te.yield %m : f32
    } : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A sum reads each row once: there is nothing to reuse.
// CHECK-LABEL: func @sum
// CHECK: scf.for
// CHECK: te.compute (d0: 4) reduce (d1: 4)
func.func @sum(%x: tensor<16x4xf32>, %w: tensor<4x4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.constant 16 : index
  %r = scf.for %t = %c0 to %count step %c1 iter_args(%s = %h) -> (tensor<4xf32>) {
    %p = te.compute (d0: 4) reduce (d1: 4) init (0.0 : f32) {
      %a = te.read %x[s0, d1](%t) : tensor<16x4xf32>
      te.yield %a : f32
    } combine arith.addf : tensor<4xf32>
    %n = te.compute (d0: 4) {
      %a = te.read %p[d0] : tensor<4xf32>
      %b = te.read %s[d0] : tensor<4xf32>
      %m = arith.addf %a, %b : f32
      te.yield %m : f32
    } : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// The results of all iterations take more than 64 MB.
// CHECK-LABEL: func @large
// CHECK: scf.for
// CHECK: te.compute (d0: 4) reduce (d1: 4)
// REMARK: a tensor of all iterations takes 67108880 bytes, more than 67108864
func.func @large(%x: tensor<4194305x4xf32>, %w: tensor<4x4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.constant 4194305 : index
  %r = scf.for %t = %c0 to %count step %c1 iter_args(%s = %h) -> (tensor<4xf32>) {
    %p = te.compute (d0: 4) reduce (d1: 4) init (0.0 : f32) {
      %a = te.read %x[s0, d1](%t) : tensor<4194305x4xf32>
      %b = te.read %w[d1, d0] : tensor<4x4xf32>
      %m = arith.mulf %a, %b : f32
      te.yield %m : f32
    } combine arith.addf : tensor<4xf32>
    %n = te.compute (d0: 4) {
      %a = te.read %p[d0] : tensor<4xf32>
      %b = te.read %s[d0] : tensor<4xf32>
      %m = arith.addf %a, %b : f32
      te.yield %m : f32
    } : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// No tensor tells that the number of iterations is a size that memory has room for.
// CHECK-LABEL: func @open
// CHECK: scf.for
// CHECK: te.compute (d0: 4) reduce (d1: 4)
// REMARK: no tensor has a dim of the loop's iterations
func.func @open(%x: tensor<?x4xf32>, %count: index, %w: tensor<4x4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %t = %c0 to %count step %c1 iter_args(%s = %h) -> (tensor<4xf32>) {
    %p = te.compute (d0: 4) reduce (d1: 4) init (0.0 : f32) {
      %a = te.read %x[s0, d1](%t) : tensor<?x4xf32>
      %b = te.read %w[d1, d0] : tensor<4x4xf32>
      %m = arith.mulf %a, %b : f32
      te.yield %m : f32
    } combine arith.addf : tensor<4xf32>
    %n = te.compute (d0: 4) {
      %a = te.read %p[d0] : tensor<4xf32>
      %b = te.read %s[d0] : tensor<4xf32>
      %m = arith.addf %a, %b : f32
      te.yield %m : f32
    } : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// An index that is no sum of the variable.
// CHECK-LABEL: func @square
// CHECK: scf.for
// CHECK: te.compute (d0: 4) reduce (d1: 4)
// REMARK: an index is no sum of the loop's variable
func.func @square(%x: tensor<16x4xf32>, %w: tensor<4x4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.constant 4 : index
  %r = scf.for %t = %c0 to %count step %c1 iter_args(%s = %h) -> (tensor<4xf32>) {
    %k = arith.muli %t, %t : index
    %p = te.compute (d0: 4) reduce (d1: 4) init (0.0 : f32) {
      %a = te.read %x[s0, d1](%k) : tensor<16x4xf32>
      %b = te.read %w[d1, d0] : tensor<4x4xf32>
      %m = arith.mulf %a, %b : f32
      te.yield %m : f32
    } combine arith.addf : tensor<4xf32>
    %n = te.compute (d0: 4) {
      %a = te.read %p[d0] : tensor<4xf32>
      %b = te.read %s[d0] : tensor<4xf32>
      %m = arith.addf %a, %b : f32
      te.yield %m : f32
    } : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// An expression that computes with the variable.
// CHECK-LABEL: func @number
// CHECK: scf.for
// CHECK: te.compute (d0: 4) reduce (d1: 4)
// REMARK: it computes with the loop's variable
func.func @number(%x: tensor<16x4xf32>, %w: tensor<4x4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.constant 16 : index
  %r = scf.for %t = %c0 to %count step %c1 iter_args(%s = %h) -> (tensor<4xf32>) {
    %i = arith.index_cast %t : index to i32
    %f = arith.sitofp %i : i32 to f32
    %p = te.compute (d0: 4) reduce (d1: 4) init (0.0 : f32) {
      %a = te.read %w[d1, d0] : tensor<4x4xf32>
      %m = arith.mulf %a, %f : f32
      te.yield %m : f32
    } combine arith.addf : tensor<4xf32>
    %n = te.compute (d0: 4) {
      %a = te.read %p[d0] : tensor<4xf32>
      %b = te.read %s[d0] : tensor<4xf32>
      %m = arith.addf %a, %b : f32
      te.yield %m : f32
    } : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A step that only the run knows.
// CHECK-LABEL: func @step
// CHECK: scf.for
// CHECK: te.compute (d0: 4) reduce (d1: 4)
// REMARK: its step is not constant
func.func @step(%x: tensor<16x4xf32>, %step: index, %w: tensor<4x4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.constant 16 : index
  %r = scf.for %t = %c0 to %count step %step iter_args(%s = %h) -> (tensor<4xf32>) {
    %p = te.compute (d0: 4) reduce (d1: 4) init (0.0 : f32) {
      %a = te.read %x[s0, d1](%t) : tensor<16x4xf32>
      %b = te.read %w[d1, d0] : tensor<4x4xf32>
      %m = arith.mulf %a, %b : f32
      te.yield %m : f32
    } combine arith.addf : tensor<4xf32>
    %n = te.compute (d0: 4) {
      %a = te.read %p[d0] : tensor<4xf32>
      %b = te.read %s[d0] : tensor<4xf32>
      %m = arith.addf %a, %b : f32
      te.yield %m : f32
    } : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Row 20 may not exist; a loop without iterations does not read it.
// CHECK-LABEL: func @fails
// CHECK: scf.for
// CHECK: te.compute (d0: 4) reduce (d1: 4)
// REMARK: it may fail, and the loop may run no iteration
func.func @fails(%x: tensor<?x4xf32>, %count: index, %w: tensor<4x4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %t = %c0 to %count step %c1 iter_args(%s = %h) -> (tensor<4xf32>) {
    %p = te.compute (d0: 4) reduce (d1: 4) init (0.0 : f32) {
      %a = te.read %x[20, d1] : tensor<?x4xf32>
      %b = te.read %w[d1, d0] : tensor<4x4xf32>
      %m = arith.mulf %a, %b : f32
      te.yield %m : f32
    } combine arith.addf : tensor<4xf32>
    %n = te.compute (d0: 4) {
      %a = te.read %p[d0] : tensor<4xf32>
      %b = te.read %s[d0] : tensor<4xf32>
      %m = arith.addf %a, %b : f32
      te.yield %m : f32
    } : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// An outer product writes more than it reads.
// CHECK-LABEL: func @wide
// CHECK: scf.for
// CHECK: te.compute (d0: 1024, d1: 1024) reduce (d2: 1)
// REMARK: an iteration writes 4194304 bytes, more than 4 times the 8192 it reads
func.func @wide(%y: tensor<4x1024x1xf32>, %v: tensor<1024x1xf32>, %w: tensor<4x4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.constant 4 : index
  %r = scf.for %t = %c0 to %count step %c1 iter_args(%s = %h) -> (tensor<4xf32>) {
    %p = te.compute (d0: 1024, d1: 1024) reduce (d2: 1) init (0.0 : f32) {
      %a = te.read %y[s0, d0, d2](%t) : tensor<4x1024x1xf32>
      %b = te.read %v[d1, d2] : tensor<1024x1xf32>
      %m = arith.mulf %a, %b : f32
      te.yield %m : f32
    } combine arith.addf : tensor<1024x1024xf32>
    %n = te.compute (d0: 4) {
      %a = te.read %p[d0, d0] : tensor<1024x1024xf32>
      %b = te.read %s[d0] : tensor<4xf32>
      %m = arith.addf %a, %b : f32
      te.yield %m : f32
    } : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Whether a while loop goes on is known only when it does.
// CHECK-LABEL: func @while
// CHECK: scf.while
// CHECK: te.compute (d0: 4) reduce (d1: 4)
// REMARK: Products=1, Reason="the number of iterations of a while loop is not known before"
func.func @while(%x: tensor<16x4xf32>, %w: tensor<4x4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %r:2 = scf.while (%s = %h, %t = %c0) : (tensor<4xf32>, index) -> (tensor<4xf32>, index) {
    %go = arith.cmpi slt, %t, %c16 : index
    scf.condition(%go) %s, %t : tensor<4xf32>, index
  } do {
  ^bb0(%s: tensor<4xf32>, %t: index):
    %p = te.compute (d0: 4) reduce (d1: 4) init (0.0 : f32) {
      %a = te.read %x[s0, d1](%t) : tensor<16x4xf32>
      %b = te.read %w[d1, d0] : tensor<4x4xf32>
      %m = arith.mulf %a, %b : f32
      te.yield %m : f32
    } combine arith.addf : tensor<4xf32>
    %next = arith.addi %t, %c1 : index
    scf.yield %p, %next : tensor<4xf32>, index
  }
  return %r#0 : tensor<4xf32>
}
