// RUN: tssa-opt %s --te-split-reductions --split-input-file | FileCheck %s
// RUN: tssa-opt %s --te-split-reductions=apply=always --split-input-file | FileCheck %s --check-prefix=ALWAYS
// RUN: tssa-opt %s --te-split-reductions=apply=never --split-input-file | FileCheck %s --check-prefix=NEVER
// RUN: tssa-opt %s --te-split-reductions --split-input-file --remarks-filter=te-split-reductions --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// NEVER-NOT: te.compute (d0: 6

// A norm: the parts are of the outer dim, and the second phase has the epilogue.
// REMARK: remark: [Passed] phases | Category:te-split-reductions | Parts=6, Points=393216, Remark="parts are reduced, and then combined"
// CHECK-LABEL: func @norm
// CHECK:       %[[P:.*]] = te.compute (d0: 6) reduce (d1: 64, d2: 1024) init (0.000000e+00 : f32) {
// CHECK-NEXT:    %[[A:.*]] = te.read %arg0[d0 * 64 + d1, d2] : tensor<384x1024xf32>
// CHECK-NEXT:    %[[M:.*]] = arith.mulf %[[A]], %[[A]]
// CHECK-NEXT:    te.yield %[[M]]
// CHECK-NEXT:  } combine arith.addf : tensor<6xf32>
// CHECK-NEXT:  te.compute () reduce (d0: 6) init (0.000000e+00 : f32) {
// CHECK-NEXT:    %[[A:.*]] = te.read %[[P]][d0] : tensor<6xf32>
// CHECK-NEXT:    te.yield %[[A]]
// CHECK-NEXT:  } combine arith.addf then (%[[S:.*]]: f32) {
// CHECK-NEXT:    math.sqrt %[[S]]
func.func @norm(%x: tensor<384x1024xf32>) -> tensor<f32> {
  %s = te.compute () reduce (d0: 384, d1: 1024) init (0.0 : f32) {
    %a = te.read %x[d0, d1] : tensor<384x1024xf32>
    %m = arith.mulf %a, %a : f32
    te.yield %m : f32
  } combine arith.addf then (%t: f32) {
    %r = math.sqrt %t : f32
    te.yield %r : f32
  } : tensor<f32>
  return %s : tensor<f32>
}

// -----

// A tuple of accumulators, with an open batch of results: each accumulator has a tensor of parts. An open size
// counts as 64.
// CHECK-LABEL: func @arg_max
// CHECK:       %[[P:.*]]:2 = te.compute (d0: 64, d1: %arg1) reduce (d2: 16384) init ({{.*}} : f32, {{.*}} : i64) {
// CHECK-NEXT:    te.read %arg0[d1, d0 * 16384 + d2] : tensor<?x1048576xf32>
// CHECK-NEXT:    te.index d0 * 16384 + d2
// CHECK:       } : tensor<64x?xf32>, tensor<64x?xi64>
// CHECK-NEXT:  te.compute (d0: %arg1) reduce (d1: 64) init ({{.*}} : f32, {{.*}} : i64) {
// CHECK-NEXT:    te.read %[[P]]#0[d1, d0] : tensor<64x?xf32>
// CHECK-NEXT:    te.read %[[P]]#1[d1, d0] : tensor<64x?xi64>
// CHECK:       } : tensor<?xi64>
func.func @arg_max(%x: tensor<?x1048576xf32>, %n: index) -> tensor<?xi64> {
  %s = te.compute (d0: %n) reduce (d1: 1048576) init (0xFF800000 : f32, 9223372036854775807 : i64) {
    %a = te.read %x[d0, d1] : tensor<?x1048576xf32>
    %i = te.index d1
    %j = arith.index_cast %i : index to i64
    te.yield %a, %j : f32, i64
  } combine (%a: f32, %i: i64, %b: f32, %j: i64) {
    %g = arith.cmpf ogt, %b, %a : f32
    %v = arith.select %g, %b, %a : f32
    %k = arith.select %g, %j, %i : i64
    te.yield %v, %k : f32, i64
  } then (%a: f32, %i: i64) {
    te.yield %i : i64
  } : tensor<?xi64>
  return %s : tensor<?xi64>
}

// -----

// A prime has no parts.
// REMARK: remark: [Missed] phases | {{.*}}Points=131101, Reason="it consists of pieces, or no dim has parts of equal length"
// CHECK-LABEL: func @prime
// CHECK:       te.compute
// CHECK-NOT:   te.compute
// ALWAYS-LABEL: func @prime
// ALWAYS:      te.compute
// ALWAYS-NOT:  te.compute
func.func @prime(%x: tensor<131101xf32>) -> tensor<f32> {
  %s = te.compute () reduce (d0: 131101) init (0.0 : f32) {
    %a = te.read %x[d0] : tensor<131101xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<f32>
  return %s : tensor<f32>
}

// -----

// A short reduction, and one to many results, stay whole unless they are forced.
// CHECK-LABEL: func @small
// CHECK:       te.compute (d0: 512) reduce (d1: 4096)
// CHECK:       te.compute () reduce (d0: 512)
// CHECK-NOT:   te.compute
// ALWAYS-LABEL: func @small
// ALWAYS:      te.compute (d0: 64, d1: 512) reduce (d2: 64)
// ALWAYS:      te.compute (d0: 512) reduce (d1: 64)
// ALWAYS:      te.compute (d0: 64) reduce (d1: 8)
// ALWAYS:      te.compute () reduce (d0: 64)
func.func @small(%x: tensor<512x4096xf32>) -> tensor<f32> {
  %r = te.compute (d0: 512) reduce (d1: 4096) init (0.0 : f32) {
    %a = te.read %x[d0, d1] : tensor<512x4096xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<512xf32>
  %s = te.compute () reduce (d0: 512) init (0.0 : f32) {
    %a = te.read %r[d0] : tensor<512xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<f32>
  return %s : tensor<f32>
}

// -----

// The sum of a row and its reader are one launch, row by row: two phases would be three.
// CHECK-LABEL: @rows
// CHECK: te.compute (d0: 32) reduce (d1: 2048)
// CHECK: te.compute (d0: 32, d1: 2048)
// CHECK-NOT: te.compute
func.func @rows(%x: tensor<32x2048xf32>) -> tensor<32x2048xf32> {
  %s = te.compute (d0: 32) reduce (d1: 2048) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<32x2048xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<32xf32>
  %y = te.compute (d0: 32, d1: 2048) {
    %a = te.read %x[d0, d1] : tensor<32x2048xf32>
    %b = te.read %s[d0] : tensor<32xf32>
    %d = arith.subf %a, %b : f32
    te.yield %d : f32
  } : tensor<32x2048xf32>
  return %y : tensor<32x2048xf32>
}
