// RUN: tssa-opt %s | tssa-opt | FileCheck %s
// Each op and each of its optional parts is parsed and printed.

// CHECK-LABEL: func.func @expressions
func.func @expressions(%x: tensor<?x3x32x32xf32>, %w: tensor<16x3x3x3xf32>, %bias: tensor<16xf32>, %src: tensor<5x8xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[N:.+]] = tensor.dim
  %n = tensor.dim %x, %c0 : tensor<?x3x32x32xf32>
  // CHECK: te.compute @conv (d0: %[[N]], d1: 16, d2: 32, d3: 32) reduce (d4: 3, d5: 3, d6: 3) init (0.000000e+00 : f32) {
  // CHECK-NEXT: te.read %{{.+}}[d0, d4, d2 + d5 - 1, d3 + d6 - 1] : tensor<?x3x32x32xf32> where (d2 + d5 - 1 >= 0, -d2 - d5 + 32 >= 0, d3 + d6 - 1 >= 0, -d3 - d6 + 32 >= 0) else 0.000000e+00
  // CHECK: } combine arith.addf then (%{{.+}}: f32) {
  // CHECK: } : tensor<?x16x32x32xf32>
  %y = te.compute @conv (d0: %n, d1: 16, d2: 32, d3: 32) reduce (d4: 3, d5: 3, d6: 3) init (0.0 : f32) {
    %a = te.read %x[d0, d4, d2 + d5 - 1, d3 + d6 - 1] : tensor<?x3x32x32xf32> where (d2 + d5 - 1 >= 0, -d2 - d5 + 32 >= 0, d3 + d6 - 1 >= 0, -d3 - d6 + 32 >= 0) else 0.0
    %b = te.read %w[d1, d4, d5, d6] : tensor<16x3x3x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf then (%sum: f32) {
    %t = te.read %bias[d1] : tensor<16xf32>
    %r = arith.addf %sum, %t : f32
    te.yield %r : f32
  } : tensor<?x16x32x32xf32>
  // CHECK: te.compute (d0: 6, d1: 8) where (-d0 + 4 >= 0) {
  // CHECK: } where (d0 - 5 >= 0) {
  // CHECK-NEXT: te.index d0 * 2 + s0(%[[N]])
  // CHECK-NEXT: te.inside (d0 - d1 >= 0, d0 - 5 == 0)
  %cat = te.compute (d0: 6, d1: 8) where (4 - d0 >= 0) {
    %v = te.read %src[d0, d1] : tensor<5x8xf32>
    te.yield %v : f32
  } where (d0 - 5 >= 0) {
    %i = te.index d0 * 2 + s0(%n)
    %c = te.inside (d0 - d1 >= 0, d0 - 5 == 0)
    %f = arith.constant 0.0 : f32
    te.yield %f : f32
  } : tensor<6x8xf32>
  // CHECK: %{{.+}}:2 = te.compute (d0: 5) reduce (d1: 8) init (0xFF800000 : f32, 0 : i64)
  // CHECK: combine (%[[A:.+]]: f32, %{{.+}}: i64, %[[B:.+]]: f32, %{{.+}}: i64) {
  // CHECK-NEXT: arith.cmpf ogt, %[[B]], %[[A]]
  // CHECK: } : tensor<5xf32>, tensor<5xi64>
  %am, %ai = te.compute (d0: 5) reduce (d1: 8) init (0xFF800000 : f32, 0 : i64) {
    %v = te.read %src[d0, d1] : tensor<5x8xf32>
    %i = te.index d1
    %ii = arith.index_cast %i : index to i64
    te.yield %v, %ii : f32, i64
  } combine (%a0: f32, %a1: i64, %b0: f32, %b1: i64) {
    %gt = arith.cmpf ogt, %b0, %a0 : f32
    %m = arith.select %gt, %b0, %a0 : f32
    %j = arith.select %gt, %b1, %a1 : i64
    te.yield %m, %j : f32, i64
  } : tensor<5xf32>, tensor<5xi64>
  return
}

// CHECK-LABEL: func.func @writes
func.func @writes(%ids: tensor<5xi64>, %src: tensor<5x8xf32>, %base: tensor<100x8xf32>, %i: index) {
  // CHECK: te.update @add (d0: 5, d1: 8) into %{{.+}}[s0, d1] where (d0 - 1 >= 0) {
  // CHECK: te.yield %{{.+}}, %{{.+}} : f32, index
  // CHECK: } combine arith.addf : tensor<100x8xf32>
  %u = te.update @add (d0: 5, d1: 8) into %base[s0, d1] where (d0 - 1 >= 0) {
    %i0 = te.read %ids[d0] : tensor<5xi64>
    %k = arith.index_cast %i0 : i64 to index
    %v = te.read %src[d0, d1] : tensor<5x8xf32>
    te.yield %v, %k : f32, index
  } combine arith.addf : tensor<100x8xf32>
  // CHECK: te.update () into %{{.+}}[s0, 3](%{{.+}}) {
  %p = te.update () into %base[s0, 3](%i) {
    %c = arith.constant 1.0 : f32
    te.yield %c : f32
  } : tensor<100x8xf32>
  // CHECK: te.update (d0: 4) into %{{.+}}[d0 * 2, 0] where (-d0 + 2 >= 0) injective {
  // CHECK: } combine arith.addf : tensor<100x8xf32>
  %q = te.update (d0: 4) into %base[d0 * 2, 0] where (2 - d0 >= 0) injective {
    %c = arith.constant 1.0 : f32
    te.yield %c : f32
  } combine arith.addf : tensor<100x8xf32>
  // CHECK: te.scan @sum %{{.+}} axis 1 init 0.000000e+00 : f32 exclusive reverse combine arith.addf : tensor<100x8xf32>
  %z = te.scan @sum %u axis 1 init 0.0 : f32 exclusive reverse combine arith.addf : tensor<100x8xf32>
  return
}

// CHECK-LABEL: func.func @host
func.func @host(%x: tensor<6x8xf32>, %d: tensor<?x8xf32>, %k: tensor<1xi64>, %n: index, %ok: i1) {
  // CHECK: te.constant dense<1.000000e+00> : tensor<4xf32>
  %c = te.constant dense<1.0> : tensor<4xf32>
  // CHECK: te.check %{{.+}}, "expected equal sizes"
  te.check %ok, "expected equal sizes"
  // CHECK: te.extern @topk(%{{.+}}, %{{.+}}) sizes(%{{.+}}) [0, 0] {axis = 1 : i64}
  %v, %i = te.extern @topk(%x, %k) sizes (%n) [0, 0] {axis = 1 : i64} : (tensor<6x8xf32>, tensor<1xi64>) -> (tensor<6x?xf32>, tensor<6x?xi64>)
  // CHECK: te.launch @scale(%{{.+}}) : (tensor<6x8xf32>) -> tensor<6x8xf32>
  %s = te.launch @scale(%x) : (tensor<6x8xf32>) -> tensor<6x8xf32>
  // CHECK: te.launch @dynamic(%{{.+}}, %{{.+}}) sizes(%{{.+}}) : (tensor<?x8xf32>, index) -> tensor<?x8xf32>
  %t = te.launch @dynamic(%d, %n) sizes (%n) : (tensor<?x8xf32>, index) -> tensor<?x8xf32>
  return
}

// CHECK-LABEL: func.func @planned
func.func @planned(%x: memref<6x8xf32>, %y: memref<6x8xf32>) {
  // CHECK: te.launch @scale(%{{.+}}) outs(%{{.+}} : memref<6x8xf32>) : (memref<6x8xf32>) -> ()
  te.launch @scale(%x) outs (%y : memref<6x8xf32>) : (memref<6x8xf32>) -> ()
  return
}

// CHECK-LABEL: te.kernel @scale(%{{.+}}: tensor<6x8xf32>) -> tensor<6x8xf32> {
// CHECK: te.return %{{.+}} : tensor<6x8xf32>
te.kernel @scale(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %y = te.compute @y (d0: 6, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<6x8xf32>
    te.yield %v : f32
  } : tensor<6x8xf32>
  te.return %y : tensor<6x8xf32>
} schedule {
}

// CHECK-LABEL: te.kernel @dynamic(%{{.+}}: tensor<?x8xf32> {te.sizes = array<i64: 1, -1>}, %{{.+}}: index) -> tensor<?x8xf32>
te.kernel @dynamic(%x: tensor<?x8xf32> {te.sizes = array<i64: 1, -1>}, %n: index) -> tensor<?x8xf32> {
  te.return %x : tensor<?x8xf32>
}

// The custom form can express what the generic form can: flags and dims of a combiner,
// expressions inside of expressions, symbols that are not used.

// CHECK-LABEL: func.func @generic
func.func @generic(%x: tensor<4xf32>, %ids: tensor<4xi32>) {
  // CHECK: combine (%[[A:.+]]: f32, %[[B:.+]]: f32) {
  // CHECK: arith.addf %[[A]], %[[B]] fastmath<reassoc> : f32
  %fast = te.compute () reduce (d0: 4) init (0.0 : f32) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } combine (%a: f32, %b: f32) {
    %r = arith.addf %a, %b fastmath<reassoc> : f32
    te.yield %r : f32
  } : tensor<f32>
  // CHECK: arith.addi %{{.+}}, %{{.+}} overflow<nsw> : i32
  %sum = te.compute () reduce (d0: 4) init (0 : i32) {
    %v = te.read %ids[d0] : tensor<4xi32>
    te.yield %v : i32
  } combine (%a: i32, %b: i32) {
    %r = arith.addi %a, %b overflow<nsw> : i32
    te.yield %r : i32
  } : tensor<i32>
  // CHECK: te.index d0
  %first = te.compute () reduce (d0: 4) init (0.0 : f32) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } combine (%a: f32, %b: f32) {
    %i = te.index d0
    te.yield %a : f32
  } : tensor<f32>
  // CHECK: te.compute (d0: 3) {
  // CHECK: te.read %{{.+}}[d0] : tensor<4xf32>
  %nested = te.compute (d0: 4, d1: 5) {
    %row = te.compute (d0: 3) {
      %v = te.read %x[d0] : tensor<4xf32>
      te.yield %v : f32
    } : tensor<3xf32>
    %v = te.read %row[0] : tensor<3xf32>
    te.yield %v : f32
  } : tensor<4x5xf32>
  // CHECK: te.update (d0: 4) into %{{.+}}[d0] {
  // CHECK: te.yield %{{.+}}, %{{.+}} : f32, index
  %r = "te.update"(%x) ({
    %one = arith.constant 1.0 : f32
    %i = arith.constant 0 : index
    te.yield %one, %i : f32, index
  }, {}) {static_sizes = array<i64: 4>, map = affine_map<(d0)[s0] -> (d0)>, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func private @ports(
// CHECK-SAME: tensor<?x3xi8> {te.port = #te.port<name = "image", type = ui8, dims = ["N", 3], example = [2, 3]>}
// CHECK-SAME: -> (tensor<?x3xi8> {te.port = #te.port<name = "image", writes_back = 0>}
// CHECK-SAME: tensor<3xi8> {te.port = #te.port<alias_of = 0, path = [1], indexes = 2>}
func.func private @ports(tensor<?x3xi8> {te.port = #te.port<dims = ["N", 3], type = ui8, example = [2, 3], name = "image">})
    -> (tensor<?x3xi8> {te.port = #te.port<name = "image", writes_back = 0>},
        tensor<3xi8> {te.port = #te.port<alias_of = 0, path = [1], indexes = 2>}, tensor<1xi64>)

// CHECK-LABEL: func.func private @labels(
// CHECK-SAME: tensor<4xi64> {te.port = #te.port<type = i64, strings = ["a", "\FF\00"]>}
// CHECK-SAME: tensor<4x2xf32> {te.port = #te.port<keys = ["a", "b"]>}
// CHECK-SAME: tensor<?x2xf32> {te.port = #te.port<keys = [1, -2]>}
func.func private @labels() -> (tensor<4xi64> {te.port = #te.port<strings = ["a", "\FF\00"], type = i64>},
    tensor<4x2xf32> {te.port = #te.port<keys = ["a", "b"]>}, tensor<?x2xf32> {te.port = #te.port<keys = [1, -2]>})

// CHECK-LABEL: func.func @on_memory(
func.func @on_memory(%x: memref<6x8xf32>, %k: memref<1xi64>, %n: index) -> (memref<6x?xf32>, memref<6x?xi64>) {
  // CHECK: %[[V:.+]] = te.result 0(%{{.+}}) : memref<6x?xf32>
  %v = te.result 0 (%n) : memref<6x?xf32>
  %i = te.result 1 (%n) : memref<6x?xi64>
  // CHECK: te.extern @topk(%{{.+}}, %{{.+}}) sizes() [] outs(%[[V]], %{{.+}} : memref<6x?xf32>, memref<6x?xi64>) {axis = 1 : i64}
  te.extern @topk(%x, %k) sizes () [] outs (%v, %i : memref<6x?xf32>, memref<6x?xi64>) {axis = 1 : i64} : (memref<6x8xf32>, memref<1xi64>) -> ()
  // CHECK: te.poll
  te.poll
  // CHECK: te.random_key 17
  %key = te.random_key 17
  // CHECK: te.random_key -3 seed 42
  %seeded = te.random_key -3 seed 42
  return %v, %i : memref<6x?xf32>, memref<6x?xi64>
}

// Pieces whose bounds are values.
// CHECK-LABEL: @open_pieces
func.func @open_pieces(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index, %size: index) -> tensor<?xf32> {
  // CHECK: te.compute (d0: %{{.+}}) symbols (%arg2) where (-d0 + s0 - 1 >= 0) {
  // CHECK: } where (d0 - s0 >= 0) {
  %cat = te.compute (d0: %size) symbols (%n) where (s0 - 1 - d0 >= 0) {
    %v = te.read %x[d0] : tensor<?xf32>
    te.yield %v : f32
  } where (d0 - s0 >= 0) {
    %v = te.read %y[d0 - s0](%n) : tensor<?xf32>
    te.yield %v : f32
  } : tensor<?xf32>
  return %cat : tensor<?xf32>
}
