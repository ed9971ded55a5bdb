// RUN: tssa-opt %s --te-evaluate=function=pointwise | FileCheck %s --check-prefix=POINTWISE
// RUN: tssa-opt %s --te-evaluate=function=pieces | FileCheck %s --check-prefix=PIECES
// RUN: tssa-opt %s --te-evaluate=function=matmul | FileCheck %s --check-prefix=MATMUL
// RUN: tssa-opt %s --te-evaluate=function=padded_sum | FileCheck %s --check-prefix=PADDED
// RUN: tssa-opt %s --te-evaluate=function=argmax | FileCheck %s --check-prefix=ARGMAX
// RUN: tssa-opt %s --te-evaluate=function=gather | FileCheck %s --check-prefix=GATHER
// RUN: tssa-opt %s --te-evaluate=function=floor_and_mod | FileCheck %s --check-prefix=FLOORMOD
// RUN: tssa-opt %s --te-evaluate=function=empty | FileCheck %s --check-prefix=EMPTY
// RUN: tssa-opt %s --te-evaluate="function=sizes sizes=N=2" | FileCheck %s --check-prefix=SIZES
// RUN: tssa-opt %s --te-evaluate=function=sums | FileCheck %s --check-prefix=WIDE
// RUN: tssa-opt %s --te-evaluate="function=sums as-written" | FileCheck %s --check-prefix=WRITTEN

// POINTWISE: result 0: 2x3xf32 {{\[}}[2, 3, 5], [5, 6, 8]]
func.func @pointwise() -> tensor<2x3xf32> {
  %x = te.constant dense<[[1.0, 2.0, 4.0], [3.0, 4.0, 6.0]]> : tensor<2x3xf32>
  %y = te.compute (d0: 2, d1: 3) {
    %a = te.read %x[d0, d1] : tensor<2x3xf32>
    %i = te.index d0
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %one = arith.constant 1.0 : f32
    %b = arith.addf %a, %one : f32
    %c = te.inside (d0 - 1 >= 0, d1 - 5 >= 0)
    %zero = arith.constant 0.0 : f32
    %d = arith.select %c, %f, %zero : f32
    %e = arith.addf %b, %d : f32
    %r = arith.addf %e, %f : f32
    te.yield %r : f32
  } : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// PIECES: result 0: 5xi64 [10, 11, 12, 7, 8]
func.func @pieces() -> tensor<5xi64> {
  %x = te.constant dense<[10, 11, 12]> : tensor<3xi64>
  %y = te.constant dense<[7, 8]> : tensor<2xi64>
  %z = te.compute (d0: 5) where (2 - d0 >= 0) {
    %a = te.read %x[d0] : tensor<3xi64>
    te.yield %a : i64
  } where (d0 - 3 >= 0) {
    %a = te.read %y[d0 - 3] : tensor<2xi64>
    te.yield %a : i64
  } : tensor<5xi64>
  return %z : tensor<5xi64>
}

// MATMUL: result 0: 2x2xf32 {{\[}}[21, 24.5], [45, 52.5]]
func.func @matmul() -> tensor<2x2xf32> {
  %a = te.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = te.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %bias = te.constant dense<[2.0, 2.5]> : tensor<2xf32>
  %c = te.compute (d0: 2, d1: 2) reduce (d2: 2) init (0.0 : f32) {
    %x = te.read %a[d0, d2] : tensor<2x2xf32>
    %y = te.read %b[d2, d1] : tensor<2x2xf32>
    %p = arith.mulf %x, %y : f32
    te.yield %p : f32
  } combine arith.addf then (%sum: f32) {
    %t = te.read %bias[d1] : tensor<2xf32>
    %r = arith.addf %sum, %t : f32
    te.yield %r : f32
  } : tensor<2x2xf32>
  return %c : tensor<2x2xf32>
}

// PADDED: result 0: 4xf32 [103, 6, 9, 107]
func.func @padded_sum() -> tensor<4xf32> {
  %x = te.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %y = te.compute (d0: 4) reduce (d1: 3) init (0.0 : f32) {
    %a = te.read %x[d0 + d1 - 1] : tensor<4xf32> where (d0 + d1 - 1 >= 0, -d0 - d1 + 4 >= 0) else 100.0
    te.yield %a : f32
  } combine arith.addf : tensor<4xf32>
  return %y : tensor<4xf32>
}

// ARGMAX: result 0: 2xf32 [5, 7]
// ARGMAX: result 1: 2xi64 [1, 2]
func.func @argmax() -> (tensor<2xf32>, tensor<2xi64>) {
  %x = te.constant dense<[[1.0, 5.0, 5.0], [-1.0, 0.0, 7.0]]> : tensor<2x3xf32>
  %m, %i = te.compute (d0: 2) reduce (d1: 3) init (0xFF800000 : f32, 0 : i64) {
    %v = te.read %x[d0, d1] : tensor<2x3xf32>
    %n = te.index d1
    %k = arith.index_cast %n : index to i64
    te.yield %v, %k : f32, i64
  } combine (%a0: f32, %a1: i64, %b0: f32, %b1: i64) {
    %gt = arith.cmpf ogt, %b0, %a0 : f32
    %v = arith.select %gt, %b0, %a0 : f32
    %k = arith.select %gt, %b1, %a1 : i64
    te.yield %v, %k : f32, i64
  } : tensor<2xf32>, tensor<2xi64>
  return %m, %i : tensor<2xf32>, tensor<2xi64>
}

// GATHER: result 0: 3x2xf16 {{\[}}[5, 6], [1, 2], [3, 4]]
func.func @gather() -> tensor<3x2xf16> {
  %x = te.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf16>
  %ids = te.constant dense<[2, 0, 1]> : tensor<3xi64>
  %y = te.compute (d0: 3, d1: 2) {
    %i = te.read %ids[d0] : tensor<3xi64>
    %k = arith.index_cast %i : i64 to index
    %v = te.read %x[s0, d1](%k) : tensor<3x2xf16>
    te.yield %v : f16
  } : tensor<3x2xf16>
  return %y : tensor<3x2xf16>
}

// The transpose of a 2x3 tensor, read as a row of six elements.
// FLOORMOD: result 0: 6xi32 [1, 4, 2, 5, 3, 6]
func.func @floor_and_mod() -> tensor<6xi32> {
  %x = te.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %y = te.compute (d0: 6) {
    %v = te.read %x[d0 mod 2, d0 floordiv 2] : tensor<2x3xi32>
    te.yield %v : i32
  } : tensor<6xi32>
  return %y : tensor<6xi32>
}

// EMPTY: result 0: 0x2xf32 []
// EMPTY: result 1: 2xf32 [-inf, -inf]
func.func @empty() -> (tensor<0x2xf32>, tensor<2xf32>) {
  %x = te.compute (d0: 0, d1: 2) {
    %v = arith.constant 1.0 : f32
    te.yield %v : f32
  } : tensor<0x2xf32>
  %m = te.compute (d0: 2) reduce (d1: 0) init (0xFF800000 : f32) {
    %v = te.read %x[d1, d0] : tensor<0x2xf32>
    te.yield %v : f32
  } combine arith.maximumf : tensor<2xf32>
  return %x, %m : tensor<0x2xf32>, tensor<2xf32>
}

// SIZES: result 0: 2x3xi64 {{\[}}[0, 2, 4], [1, 3, 5]]
// SIZES: result 1: 6xi64 [0, 1, 2, 3, 4, 5]
func.func @sizes(%x: tensor<?x3xf32> {te.port = #te.port<dims = ["N", 3]>}) -> (tensor<?x3xi64>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %n3 = affine.apply affine_map<()[s0] -> (s0 * 3)>()[%n]
  %y = te.compute (d0: %n, d1: 3) {
    %i = te.index d0 + d1 * s0 (%n)
    %k = arith.index_cast %i : index to i64
    te.yield %k : i64
  } : tensor<?x3xi64>
  %z = te.compute (d0: %n3) {
    %v = te.read %y[d0 mod s0, d0 floordiv s0](%n) : tensor<?x3xi64>
    te.yield %v : i64
  } : tensor<?xi64>
  return %y, %z : tensor<?x3xi64>, tensor<?xi64>
}

// 2048 + 1 is 2048 in f16.
// WIDE: result 0: f16 2052
// WRITTEN: result 0: f16 2048
func.func @sums() -> tensor<f16> {
  %x = te.constant dense<[2048.0, 1.0, 1.0, 1.0, 1.0]> : tensor<5xf16>
  %y = te.compute () reduce (d0: 5) init (0.0 : f16) {
    %v = te.read %x[d0] : tensor<5xf16>
    te.yield %v : f16
  } combine arith.addf : tensor<f16>
  return %y : tensor<f16>
}
