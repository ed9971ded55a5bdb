// RUN: tssa-opt %s --tssa-parallelize-loops --split-input-file | FileCheck %s
// RUN: tssa-opt %s --tssa-parallelize-loops --split-input-file --remarks-filter=tssa-parallelize-loops --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Loops over images whose iterations depend on each other, and what else stays a loop.

// An iteration reads the image after its own from the version that it has written.
// REMARK: one iteration may read or write elements that another one writes
// CHECK-LABEL: func @neighbour
// CHECK: scf.for
func.func @neighbour(%b: tensor<?x4xf32>, %x: tensor<4xf32>, %n: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %b) -> (tensor<?x4xf32>) {
    %d = tssa.assign %x into %c [select(0, ?)](%i) : tensor<4xf32> into tensor<?x4xf32>
    %j = arith.addi %i, %c1 : index
    %next = tssa.access %d [select(0, ?)](%j) : tensor<?x4xf32> -> tensor<4xf32>
    %e = tssa.assign %next into %d [select(0, ?)](%i) : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %e : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

// Two iterations write to one image.
// REMARK: one iteration may read or write elements that another one writes
// CHECK-LABEL: func @halves
// CHECK: scf.for
func.func @halves(%b: tensor<?x4xf32>, %x: tensor<?x4xf32>, %n: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %b) -> (tensor<?x4xf32>) {
    %j = arith.floordivsi %i, %c2 : index
    %row = tssa.access %x [select(0, ?)](%i) : tensor<?x4xf32> -> tensor<4xf32>
    %d = tssa.assign %row into %c [select(0, ?)](%j) : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %d : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

// The sum of all images, after the write to one of them.
// REMARK: one iteration may read or write elements that another one writes
// CHECK-LABEL: func @total
// CHECK: scf.for
func.func @total(%b: tensor<8xf32>, %x: tensor<f32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%c = %b) -> (tensor<8xf32>) {
    %d = tssa.assign %x into %c [select(0, ?)](%i) : tensor<f32> into tensor<8xf32>
    %sum = te.compute () reduce (d0: 8) init (0.0 : f32) {
      %e = te.read %d[d0] : tensor<8xf32>
      te.yield %e : f32
    } combine arith.addf : tensor<f32>
    %e = tssa.assign %sum into %d [select(0, ?)](%i) : tensor<f32> into tensor<8xf32>
    scf.yield %e : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// A scalar.
// REMARK: it carries a scalar that is no counter
// CHECK-LABEL: func @scalar
// CHECK: scf.for
func.func @scalar(%b: tensor<?xf32>, %x: tensor<f32>, %z: f32, %n: index) -> (tensor<?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%c = %b, %s = %z) -> (tensor<?xf32>, f32) {
    %t = arith.addf %s, %s : f32
    %d = tssa.assign %x into %c [select(0, ?)](%i) : tensor<f32> into tensor<?xf32>
    scf.yield %d, %t : tensor<?xf32>, f32
  }
  return %r#0, %r#1 : tensor<?xf32>, f32
}

// -----

// A sum over the iterations.
// REMARK: a carried tensor is yielded as something other than a chain of writes to it
// CHECK-LABEL: func @accumulated
// CHECK: scf.for
func.func @accumulated(%b: tensor<4xf32>, %x: tensor<?x4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %b) -> (tensor<4xf32>) {
    %y = te.compute (d0: 4) {
      %e = te.read %c[d0] : tensor<4xf32>
      %f = te.read %x[s0, d0](%i) : tensor<?x4xf32>
      %g = arith.addf %e, %f : f32
      te.yield %g : f32
    } : tensor<4xf32>
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A version of one carried tensor is yielded for another one.
// REMARK: a carried tensor is yielded as something other than a chain of writes to it
// CHECK-LABEL: func @swapped
// CHECK: scf.for
func.func @swapped(%a: tensor<?xf32>, %b: tensor<?xf32>, %x: tensor<f32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%c = %a, %d = %b) -> (tensor<?xf32>, tensor<?xf32>) {
    %e = tssa.assign %x into %c [select(0, ?)](%i) : tensor<f32> into tensor<?xf32>
    scf.yield %d, %e : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// Two tensors begin with one version.
// REMARK: a carried tensor has a use other than reads and writes of slices
// CHECK-LABEL: func @forked
// CHECK: scf.for
func.func @forked(%b: tensor<?xf32>, %x: tensor<f32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %b) -> (tensor<?xf32>) {
    %d = tssa.assign %x into %c [select(0, ?)](%i) : tensor<f32> into tensor<?xf32>
    %fork = tssa.assign %x into %d [select(0, 0)] : tensor<f32> into tensor<?xf32>
    %y = tssa.access %fork [select(0, ?)](%i) : tensor<?xf32> -> tensor<f32>
    %e = tssa.assign %y into %d [select(0, ?)](%i) : tensor<f32> into tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// A check of data.
// REMARK: a check is no comparison of the loop's variable with a bound
// CHECK-LABEL: func @checked
// CHECK: scf.for
func.func @checked(%b: tensor<?xf32>, %x: tensor<f32>, %m: index, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %b) -> (tensor<?xf32>) {
    %ok = arith.cmpi ne, %i, %m : index
    te.check %ok, "not this one"
    %d = tssa.assign %x into %c [select(0, ?)](%i) : tensor<f32> into tensor<?xf32>
    scf.yield %d : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Each iteration fills a large tensor and keeps one number of it.
// REMARK: a tensor of all iterations takes 256000000 bytes, more than 67108864
// CHECK-LABEL: func @large
// CHECK: scf.for
func.func @large(%b: tensor<64xf32>, %x: tensor<64x1000xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%c = %b) -> (tensor<64xf32>) {
    %y = te.compute (d0: 1000, d1: 1000) {
      %e = te.read %x[s0, d0](%i) : tensor<64x1000xf32>
      %f = te.read %x[s0, d1](%i) : tensor<64x1000xf32>
      %g = arith.subf %e, %f : f32
      te.yield %g : f32
    } : tensor<1000x1000xf32>
    %z = tssa.access %y [select(0, 3), select(0, 5)] : tensor<1000x1000xf32> -> tensor<f32>
    %d = tssa.assign %z into %c [select(0, ?)](%i) : tensor<f32> into tensor<64xf32>
    scf.yield %d : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}
