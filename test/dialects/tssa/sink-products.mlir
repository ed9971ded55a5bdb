// RUN: tssa-opt %s --tssa-hoist-batch --canonicalize --split-input-file | FileCheck %s
// RUN: tssa-opt %s --tssa-hoist-batch --split-input-file --remarks-filter=tssa-hoist-batch --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// out[t + 1] = s @ w is only stored: the loop stores s, and one product follows.
// CHECK-LABEL: func @stored
// CHECK: %[[N:.*]] = tensor.dim %arg0, %c0
// CHECK: %[[E:.*]] = tensor.empty(%[[N]]) : tensor<?x4xf32>
// CHECK: %[[R:.*]]:2 = scf.for %[[T:.*]] = %c0 to %[[N]] step %c1 iter_args(%[[S:.*]] = %{{.*}}, %[[K:.*]] = %[[E]])
// CHECK-NOT: reduce
// CHECK: tssa.assign %[[S]] into %[[K]] [select(0, ?)](%[[T]])
// CHECK: %[[P:.*]] = te.compute (d0: %[[N]], d1: 8) reduce (d2: 4)
// CHECK-NEXT: te.read %[[R]]#1[d0, d2] : tensor<?x4xf32>
// CHECK-NEXT: te.read %arg1[d2, d1]
// CHECK: te.update (d0: %[[N]], d1: 8) into %arg3[d0 + 1, d1]
// CHECK-NEXT: te.read %[[P]][d0, d1]
// REMARK: [Passed] stored-product | Category:tssa-hoist-batch
// REMARK-SAME: Bytes=16, Iterations=open, Remark="computed for all iterations, after the loop"
func.func @stored(%x: tensor<?x4xf32>, %w: tensor<4x8xf32>, %h: tensor<4xf32>, %o: tensor<?x8xf32>) -> (tensor<4xf32>, tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = tensor.dim %x, %c0 : tensor<?x4xf32>
  %r:2 = scf.for %t = %c0 to %count step %c1 iter_args(%s = %h, %out = %o) -> (tensor<4xf32>, tensor<?x8xf32>) {
    %p = te.compute (d0: 8) reduce (d1: 4) init (0.0 : f32) {
      %a = te.read %s[d1] : tensor<4xf32>
      %b = te.read %w[d1, d0] : tensor<4x8xf32>
      %m = arith.mulf %a, %b : f32
      te.yield %m : f32
    } combine arith.addf : tensor<8xf32>
    %next = arith.addi %t, %c1 : index
    %q = tssa.assign %p into %out [select(0, ?)](%next) : tensor<8xf32> into tensor<?x8xf32>
    %n = te.compute (d0: 4) {
      %a = te.read %x[s0, d0](%t) : tensor<?x4xf32>
      %b = te.read %s[d0] : tensor<4xf32>
      %m = arith.addf %a, %b : f32
      te.yield %m : f32
    } : tensor<4xf32>
    scf.yield %n, %q : tensor<4xf32>, tensor<?x8xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<?x8xf32>
}

// -----

// The tensor of all iterations would take more than 64 MB.
// CHECK-LABEL: func @large
// CHECK: scf.for
// CHECK: te.compute (d0: 1) reduce (d1: 4)
// CHECK: tssa.assign
// REMARK: a tensor of all iterations takes 67108880 bytes, more than 67108864
func.func @large(%w: tensor<4x1xf32>, %h: tensor<4xf32>, %o: tensor<4194305x1xf32>) -> (tensor<4xf32>, tensor<4194305x1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.constant 4194305 : index
  %r:2 = scf.for %t = %c0 to %count step %c1 iter_args(%s = %h, %out = %o) -> (tensor<4xf32>, tensor<4194305x1xf32>) {
    %p = te.compute (d0: 1) reduce (d1: 4) init (0.0 : f32) {
      %a = te.read %s[d1] : tensor<4xf32>
      %b = te.read %w[d1, d0] : tensor<4x1xf32>
      %m = arith.mulf %a, %b : f32
      te.yield %m : f32
    } combine arith.addf : tensor<1xf32>
    %q = tssa.assign %p into %out [select(0, ?)](%t) : tensor<1xf32> into tensor<4194305x1xf32>
    %n = te.compute (d0: 4) {
      %b = te.read %s[d0] : tensor<4xf32>
      %m = math.tanh %b : f32
      te.yield %m : f32
    } : tensor<4xf32>
    scf.yield %n, %q : tensor<4xf32>, tensor<4194305x1xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4194305x1xf32>
}

// -----

// The product is read in the next iteration.
// CHECK-LABEL: func @read_again
// CHECK: scf.for
// CHECK: te.compute (d0: 4) reduce (d1: 4)
// CHECK: tssa.assign
func.func @read_again(%w: tensor<4x4xf32>, %h: tensor<4xf32>, %o: tensor<9x4xf32>) -> tensor<9x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %t = %c0 to %c8 step %c1 iter_args(%out = %o) -> (tensor<9x4xf32>) {
    %s = tssa.access %out [select(0, ?)](%t) : tensor<9x4xf32> -> tensor<4xf32>
    %p = te.compute (d0: 4) reduce (d1: 4) init (0.0 : f32) {
      %a = te.read %s[d1] : tensor<4xf32>
      %b = te.read %w[d1, d0] : tensor<4x4xf32>
      %m = arith.mulf %a, %b : f32
      te.yield %m : f32
    } combine arith.addf : tensor<4xf32>
    %next = arith.addi %t, %c1 : index
    %q = tssa.assign %p into %out [select(0, ?)](%next) : tensor<4xf32> into tensor<9x4xf32>
    scf.yield %q : tensor<9x4xf32>
  }
  return %r : tensor<9x4xf32>
}

// -----

// Each iteration overwrites the same row.
// CHECK-LABEL: func @last
// CHECK: scf.for
// CHECK: te.compute (d0: 4) reduce (d1: 4)
// CHECK: tssa.assign
func.func @last(%w: tensor<4x4xf32>, %h: tensor<4xf32>, %o: tensor<9x4xf32>) -> (tensor<4xf32>, tensor<9x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r:2 = scf.for %t = %c0 to %c8 step %c1 iter_args(%s = %h, %out = %o) -> (tensor<4xf32>, tensor<9x4xf32>) {
    %p = te.compute (d0: 4) reduce (d1: 4) init (0.0 : f32) {
      %a = te.read %s[d1] : tensor<4xf32>
      %b = te.read %w[d1, d0] : tensor<4x4xf32>
      %m = arith.mulf %a, %b : f32
      te.yield %m : f32
    } combine arith.addf : tensor<4xf32>
    %q = tssa.assign %p into %out [select(0, 3)] : tensor<4xf32> into tensor<9x4xf32>
    %n = te.compute (d0: 4) {
      %b = te.read %s[d0] : tensor<4xf32>
      %m = math.tanh %b : f32
      te.yield %m : f32
    } : tensor<4xf32>
    scf.yield %n, %q : tensor<4xf32>, tensor<9x4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<9x4xf32>
}

// -----

// The operand is a view of open sizes, which are known before the loop.
// CHECK-LABEL: func @open_view
// CHECK: %[[E:.*]] = tensor.empty(%{{.*}}, %{{.*}}) : tensor<?x?xf32>
// CHECK: %[[R:.*]]:2 = scf.for
// CHECK-NOT: reduce
// CHECK: %[[V:.*]] = tssa.access %{{.*}} [reshape(?)]
// CHECK: tssa.assign %[[V]] into
// CHECK: te.compute (d0: %{{.*}}, d1: 8) reduce (d2: %{{.*}})
// CHECK-NEXT: te.read %[[R]]#1[d0, d2] : tensor<?x?xf32>
// REMARK: [Passed] stored-product | Category:tssa-hoist-batch
func.func @open_view(%x: tensor<?x4xf32>, %w: tensor<?x8xf32>, %h: tensor<?x4xf32>, %o: tensor<?x8xf32>) -> (tensor<?x4xf32>, tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %count = tensor.dim %x, %c0 : tensor<?x4xf32>
  %rows = tensor.dim %h, %c0 : tensor<?x4xf32>
  %flat = arith.muli %rows, %c4 : index
  %r:2 = scf.for %t = %c0 to %count step %c1 iter_args(%s = %h, %out = %o) -> (tensor<?x4xf32>, tensor<?x8xf32>) {
    %v = tssa.access %s [reshape(?)](%flat) : tensor<?x4xf32> -> tensor<?xf32>
    %p = te.compute (d0: 8) reduce (d1: %flat) init (0.0 : f32) {
      %a = te.read %v[d1] : tensor<?xf32>
      %b = te.read %w[d1, d0] : tensor<?x8xf32>
      %m = arith.mulf %a, %b : f32
      te.yield %m : f32
    } combine arith.addf : tensor<8xf32>
    %q = tssa.assign %p into %out [select(0, ?)](%t) : tensor<8xf32> into tensor<?x8xf32>
    %n = te.compute (d0: %rows, d1: 4) {
      %a = te.read %x[s0, d1](%t) : tensor<?x4xf32>
      %b = te.read %s[d0, d1] : tensor<?x4xf32>
      %m = arith.addf %a, %b : f32
      te.yield %m : f32
    } : tensor<?x4xf32>
    scf.yield %n, %q : tensor<?x4xf32>, tensor<?x8xf32>
  }
  return %r#0, %r#1 : tensor<?x4xf32>, tensor<?x8xf32>
}
