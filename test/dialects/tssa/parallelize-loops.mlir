// RUN: tssa-opt %s --tssa-parallelize-loops --canonicalize --split-input-file | FileCheck %s
// RUN: tssa-opt %s --tssa-parallelize-loops --split-input-file --remarks-filter=tssa-parallelize-loops --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// Every second row of a slice, from a start that only the run knows.
// CHECK-LABEL: func @rows
// CHECK-NOT: scf.for
// CHECK: te.update (d0: %{{.*}}, d1: 4) into %arg0[d0 * 2 + s0, d1](%arg2) injective {
// CHECK:   te.read %{{.*}}[d0, d1] : tensor<?x4xf32>
func.func @rows(%b: tensor<?x4xf32>, %x: tensor<?x4xf32>, %lower: index, %upper: index) -> tensor<?x4xf32> {
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %lower to %upper step %c2 iter_args(%c = %b) -> (tensor<?x4xf32>) {
    %row = tssa.access %c [select(0, ?)](%i) : tensor<?x4xf32> -> tensor<4xf32>
    %y = te.compute (d0: 4) {
      %e = te.read %row[d0] : tensor<4xf32>
      %f = te.read %x[s0, d0](%i) : tensor<?x4xf32>
      %g = arith.addf %e, %f : f32
      te.yield %g : f32
    } : tensor<4xf32>
    %n = tssa.assign %y into %c [select(0, ?)](%i) : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %n : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

// Values computed from the induction variable are computed from a te.index at each point.
// CHECK-LABEL: func @number
// CHECK-NOT: scf.for
// CHECK: te.compute (d0: %{{.*}}, d1: 4) {
// CHECK:   te.index d0
func.func @number(%b: tensor<?x4xf32>, %n: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %b) -> (tensor<?x4xf32>) {
    %k = arith.index_cast %i : index to i64
    %f = arith.sitofp %k : i64 to f32
    %row = tssa.access %c [select(0, ?)](%i) : tensor<?x4xf32> -> tensor<4xf32>
    %y = te.compute (d0: 4) {
      %e = te.read %row[d0] : tensor<4xf32>
      %g = arith.addf %e, %f : f32
      te.yield %g : f32
    } : tensor<4xf32>
    %d = tssa.assign %y into %c [select(0, ?)](%i) : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %d : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

// A further counter, and two assigns to different columns in each iteration; neither overlaps with
// the other one or with another iteration.
// CHECK-LABEL: func @counter
// CHECK-NOT: scf.for
// CHECK: %[[A:.*]] = te.update (d0: %{{.*}}, d1: 4) into %arg0[d1, d0 * 2]
// CHECK: te.update (d0: %{{.*}}, d1: 4) into %[[A]][d1, d0 * 2 + 1]
func.func @counter(%b: tensor<4x?xf32>, %x: tensor<4xf32>, %n: index) -> (tensor<4x?xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%c = %b, %p = %c0) -> (tensor<4x?xf32>, index) {
    %d = tssa.assign %x into %c [select(1, ?)](%p) : tensor<4xf32> into tensor<4x?xf32>
    %q = arith.addi %p, %c1 : index
    %e = tssa.assign %x into %d [select(1, ?)](%q) : tensor<4xf32> into tensor<4x?xf32>
    %s = arith.addi %p, %c2 : index
    scf.yield %e, %s : tensor<4x?xf32>, index
  }
  return %r#0, %r#1 : tensor<4x?xf32>, index
}

// -----

// A reduction in the body keeps its own dims.
// CHECK-LABEL: func @sums
// CHECK-NOT: scf.for
// CHECK: te.compute (d0: 8) reduce (d1: %{{.*}}) init (0.000000e+00 : f32) {
// CHECK:   te.read %{{.*}}[d0, d1]
// CHECK: te.update
func.func @sums(%b: tensor<8xf32>, %x: tensor<8x?xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%c = %b) -> (tensor<8xf32>) {
    %sum = te.compute () reduce (d0: %n) init (0.0 : f32) {
      %e = te.read %x[s0, d0](%i) : tensor<8x?xf32>
      te.yield %e : f32
    } combine arith.addf : tensor<f32>
    %d = tssa.assign %sum into %c [select(0, ?)](%i) : tensor<f32> into tensor<8xf32>
    scf.yield %d : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// b[i + 1] = b[i] is not parallel.
// CHECK-LABEL: func @shifted
// CHECK: scf.for
// REMARK: one iteration may read or write elements that another one writes
func.func @shifted(%b: tensor<?x4xf32>, %n: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %b) -> (tensor<?x4xf32>) {
    %row = tssa.access %c [select(0, ?)](%i) : tensor<?x4xf32> -> tensor<4xf32>
    %j = arith.addi %i, %c1 : index
    %d = tssa.assign %row into %c [select(0, ?)](%j) : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %d : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

// Slices of two rows overlap if they move by one row.
// CHECK-LABEL: func @overlapping
// CHECK: scf.for
// REMARK: one iteration may read or write elements that another one writes
func.func @overlapping(%b: tensor<?xf32>, %x: tensor<2xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %b) -> (tensor<?xf32>) {
    %d = tssa.assign %x into %c [slice(0, ?, 2, 1)](%i) : tensor<2xf32> into tensor<?xf32>
    scf.yield %d : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// The whole carried tensor is read.
// CHECK-LABEL: func @whole
// CHECK: scf.for
// REMARK: one iteration may read or write elements that another one writes
func.func @whole(%b: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %b) -> (tensor<?xf32>) {
    %sum = te.compute () reduce (d0: %n) init (0.0 : f32) {
      %e = te.read %c[d0] : tensor<?xf32>
      te.yield %e : f32
    } combine arith.addf : tensor<f32>
    %d = tssa.assign %sum into %c [select(0, ?)](%i) : tensor<f32> into tensor<?xf32>
    scf.yield %d : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// An index that depends on data may occur twice.
// CHECK-LABEL: func @data
// CHECK: scf.for
func.func @data(%b: tensor<?xf32>, %x: tensor<f32>, %idx: tensor<?xindex>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %b) -> (tensor<?xf32>) {
    %j = tensor.extract %idx[%i] : tensor<?xindex>
    %d = tssa.assign %x into %c [select(0, ?)](%j) : tensor<f32> into tensor<?xf32>
    scf.yield %d : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Constants of the body are moved out of the loop.
// CHECK-LABEL: func @constant
// CHECK: %[[C:.*]] = te.constant
// CHECK-NOT: scf.for
// CHECK: te.update (d0: 4, d1: 2)
// CHECK-NEXT: te.read %[[C]][d1]
func.func @constant(%b: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %b) -> (tensor<4x2xf32>) {
    %x = te.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %d = tssa.assign %x into %c [select(0, ?)](%i) : tensor<2xf32> into tensor<4x2xf32>
    scf.yield %d : tensor<4x2xf32>
  }
  return %r : tensor<4x2xf32>
}

// -----

// A scalar that each iteration sets is what an iteration sets, if there is one.
// CHECK-LABEL: func @sets_a_scalar
// CHECK-NOT: scf.for
// CHECK: %[[RUNS:.*]] = arith.cmpi sgt, %{{.*}} : index
// CHECK: %[[TAG:.*]] = arith.select %[[RUNS]], %{{.*}}, %{{.*}} : index
// CHECK: return %{{.*}}, %[[TAG]]
func.func @sets_a_scalar(%x: tensor<?x4xf32>, %n: index) -> (tensor<?x4xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.maxsi %n, %c0 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%now = %x, %tag = %c0) -> (tensor<?x4xf32>, index) {
    %row = tssa.access %now [select(0, ?)](%i) : tensor<?x4xf32> -> tensor<4xf32>
    %e = te.compute (d0: 4) {
      %v = te.read %row[d0] : tensor<4xf32>
      %w = math.exp %v : f32
      te.yield %w : f32
    } : tensor<4xf32>
    %next = tssa.assign %e into %now [select(0, ?)](%i) : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %next, %c1 : tensor<?x4xf32>, index
  }
  return %r#0, %r#1 : tensor<?x4xf32>, index
}
