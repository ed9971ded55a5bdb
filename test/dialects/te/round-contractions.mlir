// RUN: tssa-opt %s --te-round-contractions=to=bf16 --split-input-file | FileCheck %s
// RUN: tssa-opt %s --te-round-contractions=to=tf32 --split-input-file | FileCheck %s --check-prefix=TF32
// RUN: tssa-opt %s --te-round-contractions=to=f16 --te-round-contractions=to=f16 --split-input-file | FileCheck %s --check-prefix=TWICE
// RUN: tssa-opt %s --te-round-contractions=to=f16 --split-input-file --remarks-filter=te-round-contractions --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tssa-opt %s --te-round-contractions=to=bf16 --te-merge --split-input-file | FileCheck %s --check-prefix=MERGED

// A matrix product: the weights are rounded here, and to even; NaNs and infinities stay.
// CHECK-LABEL: @constant(
// CHECK: %[[W:.*]] = te.constant dense<[1.000000e+00, 1.015630e+00, 0x7F80, 0x7FC0]> : tensor<4xbf16>
// CHECK-NEXT: %[[X:.*]] = te.compute (d0: 8192, d1: 4) {
// CHECK-NEXT: %[[E:.*]] = te.read %arg0[d0, d1] : tensor<8192x4xf32>
// CHECK-NEXT: %[[R:.*]] = arith.truncf %[[E]] : f32 to bf16
// CHECK-NEXT: te.yield %[[R]] : bf16
// CHECK: te.compute (d0: 8192) reduce (d1: 4)
// CHECK-NEXT: %[[A:.*]] = te.read %[[X]][d0, d1] : tensor<8192x4xbf16>
// CHECK-NEXT: %[[AE:.*]] = arith.extf %[[A]] : bf16 to f32
// CHECK-NEXT: %[[B:.*]] = te.read %[[W]][d1] : tensor<4xbf16>
// CHECK-NEXT: %[[BE:.*]] = arith.extf %[[B]] : bf16 to f32
// CHECK-NEXT: arith.mulf %[[AE]], %[[BE]] : f32
// CHECK-NOT: dense

// Ties away from zero. The tensors stay f32.
// TF32-LABEL: @constant(
// TF32-DAG: te.constant dense<[1.00097656, 1.01171875, 0x7F800000, 0x7F800001]> : tensor<4xf32>
// TF32-DAG: %[[HALF:.*]] = arith.constant 4096 : i32
// TF32-DAG: %[[MASK:.*]] = arith.constant -8192 : i32
// TF32: %[[E:.*]] = te.read %arg0[d0, d1]
// TF32: %[[BITS:.*]] = arith.bitcast %[[E]] : f32 to i32
// TF32: %[[SUM:.*]] = arith.addi %[[BITS]], %[[HALF]]
// TF32: %[[KEPT:.*]] = arith.andi %[[SUM]], %[[MASK]]
// TF32: %[[R:.*]] = arith.bitcast %[[KEPT]] : i32 to f32
// TF32: %[[NAN:.*]] = arith.cmpf uno, %[[E]], %[[E]]
// TF32: %[[Y:.*]] = arith.select %[[NAN]], %[[E]], %[[R]]
// TF32: te.yield %[[Y]] : f32
// TF32: te.compute {{.*}} reduce
// TF32: arith.mulf {{.*}} {te.tf32} : f32

// What is rounded is not rounded again.
// TWICE-LABEL: @constant(
// TWICE-COUNT-1: arith.truncf
// TWICE-NOT: arith.truncf
// TWICE: return

// REMARK: [Passed] rounded | Category:te-round-contractions | {{.*}}Products=32768
// REMARK: [Analysis] contractions | {{.*}}Constants=1, Rounded=1, Tensors=1
func.func @constant(%x: tensor<8192x4xf32>) -> tensor<8192xf32> {
  %w = te.constant dense<[1.00048828125, 1.01171875, 0x7F800000, 0x7F800001]> : tensor<4xf32>
  %y = te.compute (d0: 8192) reduce (d1: 4) init (0.0 : f32) {
    %a = te.read %x[d0, d1] : tensor<8192x4xf32>
    %b = te.read %w[d1] : tensor<4xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<8192xf32>
  return %y : tensor<8192xf32>
}

// -----

// Two products share the rounded tensor of %x, which one of them reads transposed. The sums of the
// first are rounded by its epilogue, never in the body of the second.
// CHECK-LABEL: @shared(
// CHECK-COUNT-3: arith.truncf
// CHECK-NOT: arith.truncf
// CHECK: return
// MERGED-LABEL: @shared(
// MERGED: %[[W:.*]] = te.compute
// MERGED: %[[X:.*]] = te.compute
// MERGED: %[[H:.*]] = te.compute (d0: %{{.*}}, d1: 64) reduce (d2: 64)
// MERGED: } combine arith.addf then
// MERGED: arith.truncf
// MERGED: tensor<?x64xbf16>
// MERGED: te.compute (d0: 64, d1: 64) reduce
// MERGED-NOT: truncf
// MERGED: return
// REMARK: Constants=0, Rounded=2, Tensors=3
func.func @shared(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %t = te.compute (d0: 64, d1: %n) {
    %a = te.read %x[d1, d0] : tensor<?x64xf32>
    te.yield %a : f32
  } : tensor<64x?xf32>
  %h = te.compute (d0: %n, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<?x64xf32>
    %b = te.read %w[d2, d1] : tensor<64x64xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<?x64xf32>
  %y = te.compute (d0: 64, d1: 64) reduce (d2: %n) init (0.0 : f32) {
    %a = te.read %t[d0, d2] : tensor<64x?xf32>
    %b = te.read %h[d2, d1] : tensor<?x64xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// A convolution: what stands outside of the image is of the shorter type, too.
// CHECK-LABEL: @convolution(
// CHECK: te.read %{{.*}}[d0 + d2 - 1, d3] : tensor<64x64xbf16> where (d0 + d2 - 1 >= 0, -d0 - d2 + 64 >= 0) else 1.007810e+00
// TF32-LABEL: @convolution(
// TF32: te.read %{{.*}}[d0 + d2 - 1, d3] : tensor<64x64xf32> where (d0 + d2 - 1 >= 0, -d0 - d2 + 64 >= 0) else 1.01074219
// TF32: arith.mulf {{.*}} {te.tf32} : f32
func.func @convolution(%x: tensor<64x64xf32>, %w: tensor<64x64x3xf32>) -> tensor<64x64xf32> {
  %y = te.compute (d0: 64, d1: 64) reduce (d2: 3, d3: 64) init (0.0 : f32) {
    %a = te.read %x[d0 + d2 - 1, d3] : tensor<64x64xf32> where (d0 + d2 - 1 >= 0, -d0 - d2 + 64 >= 0) else 1.0105
    %b = te.read %w[d1, d3, d2] : tensor<64x64x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// The state of a loop is rounded in each iteration, the weights once.
// CHECK-LABEL: @loop(
// CHECK: arith.truncf
// CHECK: scf.for
// CHECK: te.compute (d0: 4, d1: 128) {
// CHECK: arith.truncf
// CHECK: te.compute {{.*}} reduce
// CHECK-NOT: truncf
// CHECK: return
func.func @loop(%x: tensor<4x128xf32>, %w: tensor<128x128xf32>) -> tensor<4x128xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %y = scf.for %i = %c0 to %c9 step %c1 iter_args(%h = %x) -> tensor<4x128xf32> {
    %n = te.compute (d0: 4, d1: 128) reduce (d2: 128) init (0.0 : f32) {
      %a = te.read %h[d0, d2] : tensor<4x128xf32>
      %b = te.read %w[d2, d1] : tensor<128x128xf32>
      %p = arith.mulf %a, %b : f32
      te.yield %p : f32
    } combine arith.addf : tensor<4x128xf32>
    scf.yield %n : tensor<4x128xf32>
  }
  return %y : tensor<4x128xf32>
}

// -----

// What stays as it is: a sum of squares, few products, f64, integers, f16, and a value of the body.
// CHECK-LABEL: @kept(
// CHECK-NOT: bf16
// TF32-LABEL: @kept(
// TF32-NOT: bitcast
// TF32-NOT: te.tf32
// REMARK: [Missed] rounded | {{.*}}Reason="it multiplies elements by themselves"
// REMARK: [Missed] rounded | {{.*}}Products=32, Reason="it has few products"
// REMARK: [Missed] rounded | {{.*}}Reason="its factors are not f32"
// REMARK: [Missed] rounded | {{.*}}Reason="its factors are not f32"
// REMARK: [Missed] rounded | {{.*}}Reason="a factor is no element of a tensor"
// REMARK: [Missed] rounded | {{.*}}Reason="a factor is no element of a tensor"
// REMARK: [Analysis] contractions | {{.*}}Constants=0, Remark="{{.*}}1 kept: it has few products{{.*}}", Rounded=0, Tensors=0
func.func @kept(%x: tensor<512x64xf32>, %d: tensor<512x64xf64>, %i: tensor<512x64xi32>, %h: tensor<512x64xf16>, %w: tensor<64xf32>)
    -> (tensor<512xf32>, tensor<f32>, tensor<512xf64>, tensor<512xi32>, tensor<512xf32>, tensor<512xf32>) {
  %squares = te.compute (d0: 512) reduce (d1: 64) init (0.0 : f32) {
    %a = te.read %x[d0, d1] : tensor<512x64xf32>
    %b = te.read %x[d0, d1] : tensor<512x64xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<512xf32>
  %few = te.compute () reduce (d0: 32) init (0.0 : f32) {
    %a = te.read %x[0, d0] : tensor<512x64xf32>
    %b = te.read %w[d0] : tensor<64xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<f32>
  %double = te.compute (d0: 512) reduce (d1: 64) init (0.0 : f64) {
    %a = te.read %d[d0, d1] : tensor<512x64xf64>
    %b = te.read %d[d0, 0] : tensor<512x64xf64>
    %p = arith.mulf %a, %b : f64
    te.yield %p : f64
  } combine arith.addf : tensor<512xf64>
  %integer = te.compute (d0: 512) reduce (d1: 64) init (0 : i32) {
    %a = te.read %i[d0, d1] : tensor<512x64xi32>
    %b = te.read %i[d0, 0] : tensor<512x64xi32>
    %p = arith.muli %a, %b : i32
    te.yield %p : i32
  } combine arith.addi : tensor<512xi32>
  %half = te.compute (d0: 512) reduce (d1: 64) init (0.0 : f32) {
    %a = te.read %h[d0, d1] : tensor<512x64xf16>
    %e = arith.extf %a : f16 to f32
    %b = te.read %w[d1] : tensor<64xf32>
    %p = arith.mulf %e, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<512xf32>
  %computed = te.compute (d0: 512) reduce (d1: 64) init (0.0 : f32) {
    %a = te.read %x[d0, d1] : tensor<512x64xf32>
    %s = arith.addf %a, %a : f32
    %b = te.read %w[d1] : tensor<64xf32>
    %p = arith.mulf %s, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<512xf32>
  return %squares, %few, %double, %integer, %half, %computed : tensor<512xf32>, tensor<f32>, tensor<512xf64>, tensor<512xi32>, tensor<512xf32>, tensor<512xf32>
}

// -----

// What is rounded from f64 to f32 has any values of f32, so it is rounded again.
// CHECK-LABEL: @from_f64(
// CHECK: arith.truncf {{.*}} : f64 to f32
// CHECK-COUNT-2: arith.truncf {{.*}} : f32 to bf16
// TF32-LABEL: @from_f64(
// TF32: arith.truncf
// TF32-COUNT-2: arith.cmpf uno
// TF32: arith.mulf {{.*}} {te.tf32} : f32
func.func @from_f64(%d: tensor<64x64xf64>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %x = te.compute (d0: 64, d1: 64) {
    %a = te.read %d[d0, d1] : tensor<64x64xf64>
    %t = arith.truncf %a : f64 to f32
    te.yield %t : f32
  } : tensor<64x64xf32>
  %y = te.compute (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<64x64xf32>
    %b = te.read %w[d2, d1] : tensor<64x64xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// Constants that are put together, such as the gates of a cell in another order, are rounded before. A tensor that is no
// constant is rounded where it is whole.
// CHECK-LABEL: @concatenation(
// CHECK-DAG: %[[V:.*]] = te.constant dense<1.500000e+00> : tensor<64x64xbf16>
// CHECK-DAG: %[[W:.*]] = te.constant dense<2.500000e+00> : tensor<64x64xbf16>
// CHECK: te.read %{{.*}}[d0, d1 - 64] : tensor<64x64xf32>
// CHECK: te.compute (d0: 64, d1: 128)
// CHECK: te.read %[[V]][d0, d1] : tensor<64x64xbf16>
// CHECK: te.read %[[W]][d0, d1 - 64] : tensor<64x64xbf16>
// CHECK: te.compute (d0: 64, d1: 128)
// CHECK: arith.truncf
// CHECK-NOT: truncf
// CHECK: return
func.func @concatenation(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %v = te.constant dense<1.5> : tensor<64x64xf32>
  %w = te.constant dense<2.5> : tensor<64x64xf32>
  %c = te.compute (d0: 64, d1: 128) where (-d1 + 63 >= 0) {
    %a = te.read %v[d0, d1] : tensor<64x64xf32>
    te.yield %a : f32
  } where (d1 - 64 >= 0) {
    %a = te.read %w[d0, d1 - 64] : tensor<64x64xf32>
    te.yield %a : f32
  } : tensor<64x128xf32>
  %d = te.compute (d0: 64, d1: 128) where (-d1 + 63 >= 0) {
    %a = te.read %v[d0, d1] : tensor<64x64xf32>
    te.yield %a : f32
  } where (d1 - 64 >= 0) {
    %a = te.read %x[d0, d1 - 64] : tensor<64x64xf32>
    te.yield %a : f32
  } : tensor<64x128xf32>
  %y = te.compute (d0: 64, d1: 64) reduce (d2: 128) init (0.0 : f32) {
    %a = te.read %c[d0, d2] : tensor<64x128xf32>
    %b = te.read %d[d1, d2] : tensor<64x128xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
