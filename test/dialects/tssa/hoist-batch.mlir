// RUN: tssa-opt %s --tssa-hoist-batch --canonicalize --split-input-file | FileCheck %s
// RUN: tssa-opt %s --tssa-hoist-batch --split-input-file --remarks-filter=tssa-hoist-batch --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// x[t] @ w of all iterations is one product; a cast and an expression that it needs go along. The
// product of what the loop carries stays.
// CHECK-LABEL: func @recurrent
// CHECK: %[[X:.*]] = te.compute (d0: 16, d1: 8) {
// CHECK-NEXT: te.read %arg0[d0, d1]
// CHECK: %[[E:.*]] = te.compute (d0: 16, d1: 8) {
// CHECK-NEXT: te.read %[[X]][d0, d1]
// CHECK-NEXT: math.exp
// CHECK: %[[P:.*]] = te.compute (d0: 16, d1: 8) reduce (d2: 8) init (0.000000e+00 : f32) {
// CHECK-NEXT: te.read %[[E]][d0, d2] : tensor<16x8xf32>
// CHECK-NEXT: te.read %arg1[d2, d1]
// CHECK: scf.for %[[T:.*]] = %c0 to %c16 step %c1 iter_args(%[[S:.*]] =
// CHECK-NEXT: %[[A:.*]] = tssa.access %[[P]] [select(0, ?)](%[[T]]) : tensor<16x8xf32> -> tensor<8xf32>
// CHECK-NEXT: te.compute (d0: 8) reduce (d1: 8)
// CHECK-NEXT: te.read %[[S]][d1]
// CHECK: te.read %[[A]][d0]
// REMARK: [Passed] product | Category:tssa-hoist-batch
// REMARK-SAME: Bytes=512, Iterations=16, Remark="computed for all iterations, before the loop"
// REMARK: [Missed] product
// REMARK-SAME: it depends on a value that the loop carries
func.func @recurrent(%x: tensor<16x8xf32>, %w: tensor<8x8xf32>, %u: tensor<8x8xf32>, %h: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %t = %c0 to %c16 step %c1 iter_args(%s = %h) -> (tensor<8xf32>) {
    %row = tssa.access %x [select(0, ?)](%t) : tensor<16x8xf32> -> tensor<8xf32>
    %open = tensor.cast %row : tensor<8xf32> to tensor<?xf32>
    %e = te.compute (d0: 8) {
      %a = te.read %open[d0] : tensor<?xf32>
      %b = math.exp %a : f32
      te.yield %b : f32
    } : tensor<8xf32>
    %p = te.compute (d0: 8) reduce (d1: 8) init (0.0 : f32) {
      %a = te.read %e[d1] : tensor<8xf32>
      %b = te.read %w[d1, d0] : tensor<8x8xf32>
      %m = arith.mulf %a, %b : f32
      te.yield %m : f32
    } combine arith.addf : tensor<8xf32>
    %q = te.compute (d0: 8) reduce (d1: 8) init (0.0 : f32) {
      %a = te.read %s[d1] : tensor<8xf32>
      %b = te.read %u[d1, d0] : tensor<8x8xf32>
      %m = arith.mulf %a, %b : f32
      te.yield %m : f32
    } combine arith.addf : tensor<8xf32>
    %n = te.compute (d0: 8) {
      %a = te.read %p[d0] : tensor<8xf32>
      %b = te.read %q[d0] : tensor<8xf32>
      %m = arith.addf %a, %b : f32
      te.yield %m : f32
    } : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// The next row, in a loop that starts at 2 and makes steps of 3. The iteration number is computed.
// CHECK-LABEL: func @steps
// CHECK: %[[P:.*]] = te.compute (d0: 5, d1: 4) reduce (d2: 4)
// CHECK: te.read %arg0[d0 * 3 + 3, d2]
// CHECK: scf.for %[[T:.*]] = %c2 to %c16 step %c3
// CHECK: %[[D:.*]] = arith.subi %[[T]], %c2
// CHECK: %[[N:.*]] = arith.floordivsi %[[D]], %c3
// CHECK: tssa.access %[[P]] [select(0, ?)](%[[N]])
func.func @steps(%x: tensor<17x4xf32>, %w: tensor<4x4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %t = %c2 to %c16 step %c3 iter_args(%s = %h) -> (tensor<4xf32>) {
    %next = arith.addi %t, %c1 : index
    %p = te.compute (d0: 4) reduce (d1: 4) init (0.0 : f32) {
      %a = te.read %x[s0, d1](%next) : tensor<17x4xf32>
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

// From the last row to the first, by a counter that the loop carries. The number of iterations is a
// size of a tensor that the loop reads.
// CHECK-LABEL: func @reverse
// CHECK: %[[N:.*]] = tensor.dim %arg0, %c0
// CHECK: %[[P:.*]] = te.compute (d0: %[[N]], d1: 4) reduce (d2: 4)
// CHECK: te.read %arg0[-d0 + s0 - 1, d2](%[[N]])
// CHECK: scf.for %[[T:.*]] = %c0 to %[[N]] step %c1
// CHECK: tssa.access %[[P]] [select(0, ?)](%[[T]])
// REMARK: Bytes=16, Iterations=open
func.func @reverse(%x: tensor<?x4xf32>, %w: tensor<4x4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = tensor.dim %x, %c0 : tensor<?x4xf32>
  %last = arith.subi %count, %c1 : index
  %r:2 = scf.for %t = %c0 to %count step %c1 iter_args(%s = %h, %k = %last) -> (tensor<4xf32>, index) {
    %p = te.compute (d0: 4) reduce (d1: 4) init (0.0 : f32) {
      %a = te.read %x[s0, d1](%k) : tensor<?x4xf32>
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
    %next = arith.subi %k, %c1 : index
    scf.yield %n, %next : tensor<4xf32>, index
  }
  return %r#0 : tensor<4xf32>
}

// -----

// Two loops: the product leaves both.
// CHECK-LABEL: func @nested
// CHECK: %[[P:.*]] = te.compute (d0: 3, d1: 5, d2: 4) reduce (d3: 4)
// CHECK: te.read %arg0[d0, d1, d3]
// CHECK: scf.for %[[I:.*]] = %c0 to %c3
// CHECK: scf.for %[[J:.*]] = %c0 to %c5
// CHECK: tssa.access %[[P]] [select(0, ?), select(0, ?)](%[[I]], %[[J]])
func.func @nested(%x: tensor<3x5x4xf32>, %w: tensor<4x4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%o = %h) -> (tensor<4xf32>) {
    %q = scf.for %j = %c0 to %c5 step %c1 iter_args(%s = %o) -> (tensor<4xf32>) {
      %p = te.compute (d0: 4) reduce (d1: 4) init (0.0 : f32) {
        %a = te.read %x[s0, s1, d1](%i, %j) : tensor<3x5x4xf32>
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
    scf.yield %q : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A reduction that is the same in each iteration is computed once; its view of the weights is
// copied out of the loop.
// CHECK-LABEL: func @same
// CHECK: %[[W:.*]] = tssa.access %arg0 [permute(1, 0)]
// CHECK: %[[P:.*]] = te.compute (d0: 4) reduce (d1: 4)
// CHECK-NEXT: te.read %[[W]][d0, d1]
// CHECK: scf.for
// CHECK-NEXT: te.compute (d0: 4) {
// CHECK-NEXT: te.read %[[P]][d0]
// REMARK: computed once, before the loop: it is the same in each iteration
func.func @same(%w: tensor<4x4xf32>, %h: tensor<4xf32>, %count: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %t = %c0 to %count step %c1 iter_args(%s = %h) -> (tensor<4xf32>) {
    %v = tssa.access %w [permute(1, 0)] : tensor<4x4xf32> -> tensor<4x4xf32>
    %p = te.compute (d0: 4) reduce (d1: 4) init (0.0 : f32) {
      %a = te.read %v[d0, d1] : tensor<4x4xf32>
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
