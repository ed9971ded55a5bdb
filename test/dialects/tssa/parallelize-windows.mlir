// RUN: tssa-opt %s --tssa-parallelize-loops --canonicalize --split-input-file | FileCheck %s

// Loops over images. An iteration writes to its image in several steps and reads in between what it
// has written.

// A chain of two assigns; the second one reads the result of the first.
// CHECK-LABEL: func @twice
// CHECK-NOT: scf.for
// CHECK: %[[A:.*]] = te.update (d0: %[[N:.*]], d1: 2) into %arg0[d0, d1] injective {
// CHECK: te.compute (d0: %[[N]], d1: 4)
// CHECK-NEXT: te.read %[[A]][d0, d1]
// CHECK: te.update (d0: %[[N]], d1: 4) into %[[A]][d0, d1] injective {
// CHECK-NEXT: te.read %{{.*}}[d0, d1] : tensor<?x4xf32>
func.func @twice(%b: tensor<?x4xf32>, %x: tensor<?x2xf32>, %n: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %b) -> (tensor<?x4xf32>) {
    %row = tssa.access %x [select(0, ?)](%i) : tensor<?x2xf32> -> tensor<2xf32>
    %d = tssa.assign %row into %c [select(0, ?), slice(0, 0, 2, 1)](%i) : tensor<2xf32> into tensor<?x4xf32>
    %all = tssa.access %d [select(0, ?)](%i) : tensor<?x4xf32> -> tensor<4xf32>
    %y = te.compute (d0: 4) {
      %e = te.read %all[d0] : tensor<4xf32>
      %f = math.exp %e : f32
      te.yield %f : f32
    } : tensor<4xf32>
    %e = tssa.assign %y into %d [select(0, ?)](%i) : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %e : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

// Boxes: four assigns to two halves of an image, and a clamp of the whole image.
// CHECK-LABEL: func @boxes
// CHECK-NOT: scf.for
// CHECK: %[[A:.*]] = te.update (d0: 3, d1: 5, d2: 2) into %arg0[d0, d1, d2] injective
// CHECK: %[[B:.*]] = te.update (d0: 3, d1: 5, d2: 2) into %[[A]][d0, d1, d2 + 2] injective
// CHECK: te.read %[[B]][d0, d1, d2]
// CHECK: te.read %[[B]][d0, d1, d2 + 2]
// CHECK: %[[C:.*]] = te.update (d0: 3, d1: 5, d2: 2) into %[[B]][d0, d1, d2] injective
// CHECK: te.read %[[C]][d0, d1, d2 + 2]
// CHECK: te.read %[[C]][d0, d1, d2]
// CHECK: %[[D:.*]] = te.update (d0: 3, d1: 5, d2: 2) into %[[C]][d0, d1, d2 + 2] injective
// CHECK: te.read %[[D]][d0, d1, d2]
// CHECK: te.update (d0: 3, d1: 5, d2: 4) into %[[D]][d0, d1, d2] injective
func.func @boxes(%b: tensor<3x5x4xf32>, %x: tensor<3x5x2xf32>, %y: tensor<3x5x2xf32>) -> tensor<3x5x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f32
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%c = %b) -> (tensor<3x5x4xf32>) {
    %p = tssa.access %x [select(0, ?)](%i) : tensor<3x5x2xf32> -> tensor<5x2xf32>
    %v1 = tssa.assign %p into %c [select(0, ?), slice(1, 0, 2, 1)](%i) : tensor<5x2xf32> into tensor<3x5x4xf32>
    %q = tssa.access %y [select(0, ?)](%i) : tensor<3x5x2xf32> -> tensor<5x2xf32>
    %v2 = tssa.assign %q into %v1 [select(0, ?), slice(1, 2, 2, 1)](%i) : tensor<5x2xf32> into tensor<3x5x4xf32>
    %low = tssa.access %v2 [select(0, ?), slice(1, 0, 2, 1)](%i) : tensor<3x5x4xf32> -> tensor<5x2xf32>
    %high = tssa.access %v2 [select(0, ?), slice(1, 2, 2, 1)](%i) : tensor<3x5x4xf32> -> tensor<5x2xf32>
    %diff = te.compute (d0: 5, d1: 2) {
      %e = te.read %low[d0, d1] : tensor<5x2xf32>
      %f = te.read %high[d0, d1] : tensor<5x2xf32>
      %g = arith.subf %e, %f : f32
      te.yield %g : f32
    } : tensor<5x2xf32>
    %v3 = tssa.assign %diff into %v2 [select(0, ?), slice(1, 0, 2, 1)](%i) : tensor<5x2xf32> into tensor<3x5x4xf32>
    %high2 = tssa.access %v3 [select(0, ?), slice(1, 2, 2, 1)](%i) : tensor<3x5x4xf32> -> tensor<5x2xf32>
    %low2 = tssa.access %v3 [select(0, ?), slice(1, 0, 2, 1)](%i) : tensor<3x5x4xf32> -> tensor<5x2xf32>
    %sum = te.compute (d0: 5, d1: 2) {
      %e = te.read %low2[d0, d1] : tensor<5x2xf32>
      %f = te.read %high2[d0, d1] : tensor<5x2xf32>
      %g = arith.addf %e, %f : f32
      te.yield %g : f32
    } : tensor<5x2xf32>
    %v4 = tssa.assign %sum into %v3 [select(0, ?), slice(1, 2, 2, 1)](%i) : tensor<5x2xf32> into tensor<3x5x4xf32>
    %image = tssa.access %v4 [select(0, ?)](%i) : tensor<3x5x4xf32> -> tensor<5x4xf32>
    %clamped = te.compute (d0: 5, d1: 4) {
      %e = te.read %image[d0, d1] : tensor<5x4xf32>
      %f = arith.minimumf %e, %one : f32
      te.yield %f : f32
    } : tensor<5x4xf32>
    %v5 = tssa.assign %clamped into %v4 [select(0, ?)](%i) : tensor<5x4xf32> into tensor<3x5x4xf32>
    scf.yield %v5 : tensor<3x5x4xf32>
  }
  return %r : tensor<3x5x4xf32>
}

// -----

// Two carried tensors: the second one is filled where a window of the first one is negative. The
// sizes of an image are open.
// CHECK-LABEL: func @masked
// CHECK-NOT: scf.for
// CHECK: %[[A:.*]] = te.update (d0: %{{.*}}, d1: %{{.*}}) into %arg0[d0, d1] injective
// CHECK: te.read %[[A]][d0, d1]
// CHECK: arith.cmpf
// CHECK: %[[B:.*]] = te.update (d0: %{{.*}}, d1: %{{.*}}) into %arg1[d0, d1] injective
// CHECK: return %[[A]], %[[B]]
func.func @masked(%b: tensor<?x?xf32>, %s: tensor<?x?xf32>, %x: tensor<?x?xf32>, %n: index) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%c = %b, %d = %s) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
    %row = tssa.access %x [select(0, ?)](%i) : tensor<?x?xf32> -> tensor<?xf32>
    %c2 = tssa.assign %row into %c [select(0, ?)](%i) : tensor<?xf32> into tensor<?x?xf32>
    %p = tssa.access %c2 [select(0, ?)](%i) : tensor<?x?xf32> -> tensor<?xf32>
    %q = tssa.access %d [select(0, ?)](%i) : tensor<?x?xf32> -> tensor<?xf32>
    %size = tensor.dim %q, %c0 : tensor<?xf32>
    %y = te.compute (d0: %size) {
      %e = te.read %p[d0] : tensor<?xf32>
      %f = te.read %q[d0] : tensor<?xf32>
      %g = arith.cmpf olt, %e, %zero : f32
      %h = arith.select %g, %zero, %f : f32
      te.yield %h : f32
    } : tensor<?xf32>
    %d2 = tssa.assign %y into %d [select(0, ?)](%i) : tensor<?xf32> into tensor<?x?xf32>
    scf.yield %c2, %d2 : tensor<?x?xf32>, tensor<?x?xf32>
  }
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// A tensor that an iteration makes for itself gets a further dim. Its base is the same in each
// iteration and is repeated.
// CHECK-LABEL: func @own
// CHECK-NOT: scf.for
// CHECK: %[[T:.*]] = te.compute (d0: 8, d1: 4)
// CHECK-NEXT: te.read %arg1[d1]
// CHECK: %[[U:.*]] = te.update (d0: 8) into %[[T]][d0, 0] injective
// CHECK: %[[V:.*]] = te.update (d0: 8) into %[[U]][d0, 3] injective
// CHECK: te.update (d0: 8, d1: 4) into %arg0[d0, d1] injective
// CHECK-NEXT: te.read %[[V]][d0, d1]
func.func @own(%b: tensor<8x4xf32>, %t: tensor<4xf32>, %x: tensor<8xf32>) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%c = %b) -> (tensor<8x4xf32>) {
    %e = tssa.access %x [select(0, ?)](%i) : tensor<8xf32> -> tensor<f32>
    %u = tssa.assign %e into %t [select(0, 0)] : tensor<f32> into tensor<4xf32>
    %v = tssa.assign %e into %u [select(0, 3)] : tensor<f32> into tensor<4xf32>
    %d = tssa.assign %v into %c [select(0, ?)](%i) : tensor<4xf32> into tensor<8x4xf32>
    scf.yield %d : tensor<8x4xf32>
  }
  return %r : tensor<8x4xf32>
}

// -----

// A loop in the loop: the inner one becomes an update first, with a window of the outer iteration.
// CHECK-LABEL: func @nested
// CHECK-NOT: scf.for
// CHECK: te.update (d0: %{{.*}}, d1: %{{.*}}) into %arg0[d0, d1] injective
func.func @nested(%b: tensor<?x8xf32>, %x: tensor<f32>, %n: index, %m: index) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %b) -> (tensor<?x8xf32>) {
    %q = scf.for %k = %c0 to %m step %c1 iter_args(%d = %c) -> (tensor<?x8xf32>) {
      %e = tssa.assign %x into %d [select(0, ?), select(0, ?)](%i, %k) : tensor<f32> into tensor<?x8xf32>
      scf.yield %e : tensor<?x8xf32>
    }
    scf.yield %q : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}

// -----

// What is the same in each iteration is computed once.
// CHECK-LABEL: func @same
// CHECK-NOT: scf.for
// CHECK: %[[P:.*]] = te.compute (d0: 4) {
// CHECK: math.exp
// CHECK: te.update (d0: 8, d1: 4) into %arg0[d0, d1]
// CHECK-NEXT: te.read %[[P]][d1]
func.func @same(%b: tensor<8x4xf32>, %t: tensor<4xf32>) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%c = %b) -> (tensor<8x4xf32>) {
    %y = te.compute (d0: 4) {
      %e = te.read %t[d0] : tensor<4xf32>
      %f = math.exp %e : f32
      te.yield %f : f32
    } : tensor<4xf32>
    %d = tssa.assign %y into %c [select(0, ?)](%i) : tensor<4xf32> into tensor<8x4xf32>
    scf.yield %d : tensor<8x4xf32>
  }
  return %r : tensor<8x4xf32>
}

// -----

// The first loop gives the tensor another size, as far as is known; the second one only writes to it, so that its sizes
// are those from before this loop.
// CHECK-LABEL: func @size_before_the_loop
// CHECK: scf.while
// CHECK: tensor.dim %{{.*}}, %{{.*}} : tensor<?x3xf32>
// CHECK-NOT: scf.for
// CHECK: return
func.func @size_before_the_loop(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>, %c: i1) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %dim = tensor.dim %x, %c0 : tensor<?x3xf32>
  %first = scf.while (%now = %x) : (tensor<?x3xf32>) -> tensor<?x3xf32> {
    scf.condition(%c) %now : tensor<?x3xf32>
  } do {
  ^bb0(%now: tensor<?x3xf32>):
    scf.yield %y : tensor<?x3xf32>
  }
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%now = %first) -> (tensor<?x3xf32>) {
    %column = tssa.access %now [permute(1, 0), select(0, ?)](%i) : tensor<?x3xf32> -> tensor<?xf32>
    %new = te.compute (d0: %dim) {
      %v = te.read %column[d0] : tensor<?xf32>
      %e = math.exp %v : f32
      te.yield %e : f32
    } : tensor<?xf32>
    %next = tssa.assign %new into %now [permute(1, 0), select(0, ?)](%i) : tensor<?xf32> into tensor<?x3xf32>
    scf.yield %next : tensor<?x3xf32>
  }
  return %r : tensor<?x3xf32>
}
