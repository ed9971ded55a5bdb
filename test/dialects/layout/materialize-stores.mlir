// RUN: tssa-opt %s -split-input-file -layout-materialize-stores | FileCheck %s
// RUN: tssa-opt %s -split-input-file -te-check-pipeline=passes=layout-materialize-stores -o /dev/null
// RUN: tssa-opt %s -split-input-file --layout-materialize-stores --remarks-filter=layout-materialize-stores --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The first example of the ALT paper: a result in the order NHWO is stored in blocks of 4 channels,
// and then in tiles of the image. The program returns it as it is known there.
// CHECK-LABEL: func.func @main
// CHECK: %[[Y:.*]] = te.launch @conv(%{{.*}}) : (tensor<1x8x8x2xf32>) -> tensor<1x2x4x4x2x4xf32>
// CHECK: %[[Z:.*]] = te.launch @convert(%[[Y]]) : (tensor<1x2x4x4x2x4xf32>) -> tensor<1x8x4x8xf32>
// CHECK: return %[[Z]]
// CHECK-LABEL: te.kernel @conv
// CHECK: te.compute @y (d0: 1, d1: 2, d2: 4, d3: 4, d4: 2, d5: 4)
// CHECK: te.read %{{.*}}[d0, d1 * 4 + d3, d4 * 4 + d5, d6] : tensor<1x8x8x2xf32>
// CHECK-NOT: schedule
// CHECK-LABEL: te.kernel @convert
// CHECK: te.read %{{.*}}[0, d1 floordiv 4, d2, d1 mod 4, d3 floordiv 4, d3 mod 4] : tensor<1x2x4x4x2x4xf32>
// REMARK: [Passed] conversion | {{.*}} | Bytes=1024
func.func @main(%x: tensor<1x8x8x2xf32>) -> tensor<1x8x4x8xf32> {
  %y = te.launch @conv(%x) : (tensor<1x8x8x2xf32>) -> tensor<1x8x4x8xf32>
  return %y : tensor<1x8x4x8xf32>
}
te.kernel @conv(%x: tensor<1x8x8x2xf32>) -> tensor<1x8x4x8xf32> {
  %y = te.compute @y (d0: 1, d1: 8, d2: 4, d3: 8) reduce (d4: 2) init (0.0 : f32) {
    %a = te.read %x[d0, d1, d3, d4] : tensor<1x8x8x2xf32>
    %i = te.index d2
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %p = arith.mulf %a, %f : f32
    te.yield %p : f32
  } combine arith.addf : tensor<1x8x4x8xf32>
  te.return %y : tensor<1x8x4x8xf32>
} schedule {
  layout.store @y as map<split(3, [*, 4]), split(1, [*, 4]), reorder(0, 1, 3, 2, 4, 5)>
}

// -----

// Cells of padding are zeros of a piece of their own. The reader of the padded tensor finds its
// elements, and needs no conversion.
// CHECK-LABEL: func.func @main
// CHECK: %[[Y:.*]] = te.launch @neg(%{{.*}}) : (tensor<3x10xf32>) -> tensor<3x3x4xf32>
// CHECK: te.launch @exp(%[[Y]]) : (tensor<3x3x4xf32>) -> tensor<3x10xf32>
// CHECK-LABEL: te.kernel @neg
// CHECK: te.compute @y (d0: 3, d1: 3, d2: 4) where (d0 * -4 - d2 + 9 >= 0) {
// CHECK: te.read %{{.*}}[d1, d0 * 4 + d2] : tensor<3x10xf32>
// CHECK: } where (d0 * 4 + d2 - 10 >= 0) {
// CHECK: te.yield %cst
// CHECK-LABEL: te.kernel @exp
// CHECK: te.read %{{.*}}[d1 floordiv 4, d0, d1 mod 4] : tensor<3x3x4xf32>
func.func @main(%x: tensor<3x10xf32>) -> tensor<3x10xf32> {
  %y = te.launch @neg(%x) : (tensor<3x10xf32>) -> tensor<3x10xf32>
  %z = te.launch @exp(%y) : (tensor<3x10xf32>) -> tensor<3x10xf32>
  return %z : tensor<3x10xf32>
}
te.kernel @neg(%x: tensor<3x10xf32>) -> tensor<3x10xf32> {
  %y = te.compute @y (d0: 3, d1: 10) {
    %a = te.read %x[d0, d1] : tensor<3x10xf32>
    %p = arith.negf %a : f32
    te.yield %p : f32
  } : tensor<3x10xf32>
  te.return %y : tensor<3x10xf32>
} schedule {
  layout.store @y as map<pad(1, to 4), split(1, [*, 4]), reorder(1, 0, 2)>
}
te.kernel @exp(%x: tensor<3x10xf32>) -> tensor<3x10xf32> {
  %y = te.compute @y (d0: 3, d1: 10) {
    %a = te.read %x[d0, d1] : tensor<3x10xf32>
    %p = math.exp %a : f32
    te.yield %p : f32
  } : tensor<3x10xf32>
  te.return %y : tensor<3x10xf32>
} schedule {
  layout.store 0 as map<pad(1, to 4), split(1, [*, 4]), reorder(1, 0, 2)>
}

// -----

// The border of a reduction is pieces of their own, in which its epilogue ends with zeros.
// CHECK-LABEL: te.kernel @sum
// CHECK: te.compute @y (d0: 8) reduce (d1: 6) init (0.000000e+00 : f32) where (d0 - 1 >= 0, -d0 + 5 >= 0) {
// CHECK: te.read %{{.*}}[d0 - 1, d1] : tensor<5x6xf32>{{$}}
// CHECK: where (-d0 >= 0) {
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: te.yield %[[ZERO]]
// CHECK: where (d0 - 1 >= 0, d0 - 6 >= 0) {
// CHECK: then
// CHECK: te.read %{{.*}}[d0 - 1] : tensor<5xf32> where (d0 - 1 >= 0, -d0 + 5 >= 0) else 0.000000e+00
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[INSIDE:.*]] = te.inside (d0 - 1 >= 0, -d0 + 5 >= 0)
// CHECK: arith.select %[[INSIDE]], %[[SUM]],
func.func @main(%x: tensor<5x6xf32>, %b: tensor<5xf32>) -> tensor<5xf32> {
  %y = te.launch @sum(%x, %b) : (tensor<5x6xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}
te.kernel @sum(%x: tensor<5x6xf32>, %b: tensor<5xf32>) -> tensor<5xf32> {
  %y = te.compute @y (d0: 5) reduce (d1: 6) init (0.0 : f32) {
    %a = te.read %x[d0, d1] : tensor<5x6xf32>
    te.yield %a : f32
  } combine arith.addf then (%s: f32) {
    %a = te.read %b[d0] : tensor<5xf32>
    %r = arith.addf %s, %a : f32
    te.yield %r : f32
  } : tensor<5xf32>
  te.return %y : tensor<5xf32>
} schedule {
  layout.store @y as map<pad(0, 1, 2)>
}

// -----

// Dynamic sizes are moved with their dims. An argument is converted once for two readers.
// CHECK-LABEL: func.func @main
// CHECK: %[[C:.*]] = te.launch @convert_1(%{{.*}}, %[[COLUMNS:.*]], %[[ROWS:.*]]) sizes(%[[COLUMNS]], %[[ROWS]]) : {{.*}} -> tensor<?x?xf32>
// CHECK: te.launch @copy(%[[C]], %[[M:.*]], %[[N:.*]]) sizes(%[[N]], %[[M]])
// CHECK: te.launch @copy(%[[C]],
// CHECK: te.kernel @copy(%{{.*}}: tensor<?x?xf32> {te.sizes = array<i64: 2, 1>}
// CHECK: te.compute @y (d0: %arg2, d1: %arg1)
// CHECK: te.read %{{.*}}[d0, d1] : tensor<?x?xf32>
// REMARK: [Passed] conversion | {{.*}} | Remark="dynamic sizes decide how many bytes it writes"
func.func @main(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %y = te.launch @copy(%x, %m, %n) sizes (%m, %n) : (tensor<?x?xf32>, index, index) -> tensor<?x?xf32>
  %z = te.launch @copy(%x, %m, %n) sizes (%m, %n) : (tensor<?x?xf32>, index, index) -> tensor<?x?xf32>
  return %y, %z : tensor<?x?xf32>, tensor<?x?xf32>
}
te.kernel @copy(%x: tensor<?x?xf32> {te.sizes = array<i64: 1, 2>}, %m: index, %n: index) -> tensor<?x?xf32> {
  %y = te.compute @y (d0: %m, d1: %n) {
    %a = te.read %x[d0, d1] : tensor<?x?xf32>
    te.yield %a : f32
  } : tensor<?x?xf32>
  te.return %y : tensor<?x?xf32>
} schedule {
  layout.store @y as map<reorder(1, 0)>
  layout.store 0 as map<reorder(1, 0)>
}

// -----

// Constants are converted at compile time: 12 elements to 15 cells. Where the address of an element
// does not depend on each dim of the cell alone, a kernel converts the constant.
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[A:.*]] = te.constant dense_resource<stored> : tensor<5x3xi8>
// CHECK-DAG: %[[S:.*]] = te.constant dense<7> : tensor<5x3xi8>
// CHECK-DAG: %[[C:.*]] = te.launch @convert(%[[B:.*]]) : (tensor<3x4xi8>) -> tensor<4x3xi8>
// CHECK: te.launch @add(%[[A]], %[[S]], %[[C]])
// CHECK: stored: "0x40000000010509020600030700040800000000"
// REMARK: [Passed] constant | {{.*}} | Bytes=15
func.func @main() -> tensor<3x4xi8> {
  %a = te.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 0, 0, 0]]> : tensor<3x4xi8>
  %s = te.constant dense<7> : tensor<3x4xi8>
  %y = te.launch @add(%a, %s, %a) : (tensor<3x4xi8>, tensor<3x4xi8>, tensor<3x4xi8>) -> tensor<3x4xi8>
  return %y : tensor<3x4xi8>
}
te.kernel @add(%x: tensor<3x4xi8>, %z: tensor<3x4xi8>, %v: tensor<3x4xi8>) -> tensor<3x4xi8> {
  %y = te.compute @y (d0: 3, d1: 4) {
    %a = te.read %x[d0, d1] : tensor<3x4xi8>
    %b = te.read %z[d0, d1] : tensor<3x4xi8>
    %c = te.read %v[d0, d1] : tensor<3x4xi8>
    %s = arith.addi %a, %b : i8
    %t = arith.addi %s, %c : i8
    te.yield %t : i8
  } : tensor<3x4xi8>
  te.return %y : tensor<3x4xi8>
} schedule {
  layout.store 0 as map<pad(1, 0, 1), reorder(1, 0)>
  layout.store 1 as map<pad(1, 0, 1), reorder(1, 0)>
  layout.store 2 as map<fuse(0, 1), split(0, [*, 3])>
}

// -----

// A kernel and a launch without stores are left alone.
// CHECK-LABEL: func.func @main
// CHECK: te.launch @id(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: layout.loops @y
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.launch @id(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
te.kernel @id(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) {
    %a = te.read %x[d0] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
}

// -----

// A tensor that is read at opaque indexes is split; the index in a dim of size 1 is kept, since the
// run checks it.
// CHECK-LABEL: te.kernel @gather
// CHECK: te.read %{{.*}}[s0 floordiv 2, s1, s0 mod 2](%{{.*}}, %{{.*}}) : tensor<3x1x2xf32>
func.func @main(%x: tensor<6x1xf32>, %i: tensor<4xi64>) -> tensor<4xf32> {
  %y = te.launch @gather(%x, %i) : (tensor<6x1xf32>, tensor<4xi64>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
te.kernel @gather(%x: tensor<6x1xf32>, %i: tensor<4xi64>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) {
    %a = te.read %i[d0] : tensor<4xi64>
    %k = arith.index_cast %a : i64 to index
    %b = te.read %i[-d0 + 3] : tensor<4xi64>
    %z = arith.index_cast %b : i64 to index
    %v = te.read %x[s0, s1](%k, %z) : tensor<6x1xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
  layout.store 0 as map<split(0, [*, 2]), reorder(0, 2, 1)>
}

// -----

// Tiles of 6 rows overlap by 2. A 3x3 window reads 4 rows of results from one tile. If the results
// are stored in tiles of 4 rows, the tile is the outer dim of the results, and no division is left. The
// first and the last tile have the zeros of the border, so that no guard is left either.
// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = te.launch @convert_0(%{{.*}}) : (tensor<16x8xf32>) -> tensor<4x6x8xf32>
// CHECK: %[[Y:.*]] = te.launch @conv(%[[X]]) : (tensor<4x6x8xf32>) -> tensor<4x4x6xf32>
// CHECK-LABEL: te.kernel @conv
// CHECK: te.compute @y (d0: 4, d1: 4, d2: 6) reduce (d3: 3, d4: 3)
// CHECK: te.read %{{.*}}[d0, d1 + d3, d2 + d4] : tensor<4x6x8xf32>{{$}}
// CHECK-LABEL: te.kernel @convert_0
// CHECK: te.read %{{.*}}[d0 * 4 + d1 - 1, d2] : tensor<16x8xf32> where (d0 * 4 + d1 - 1 >= 0, d0 * -4 - d1 + 16 >= 0) else 0.0
func.func @main(%x: tensor<16x8xf32>) -> tensor<16x6xf32> {
  %y = te.launch @conv(%x) : (tensor<16x8xf32>) -> tensor<16x6xf32>
  return %y : tensor<16x6xf32>
}
te.kernel @conv(%x: tensor<16x8xf32>) -> tensor<16x6xf32> {
  %y = te.compute @y (d0: 16, d1: 6) reduce (d2: 3, d3: 3) init (0.0 : f32) {
    %a = te.read %x[d0 + d2 - 1, d1 + d3] : tensor<16x8xf32> where (d0 + d2 - 1 >= 0, -d0 - d2 + 16 >= 0) else 0.0
    te.yield %a : f32
  } combine arith.addf : tensor<16x6xf32>
  te.return %y : tensor<16x6xf32>
} schedule {
  layout.store @y as map<split(0, [*, 4])>
  layout.store 0 as map<pad(0, 1, 1), unfold(0, 6, 4)>
}

// -----

// The example of the ALT paper: 1 to 5 in tiles of 3, 2 apart. The constant is {1, 2, 3}, {3, 4, 5}.
// CHECK-LABEL: func.func @main
// CHECK: te.constant dense_resource<stored> : tensor<2x3xi8>
// CHECK: te.read %{{.*}}[d0, d1] : tensor<2x3xi8>
// CHECK: stored: "0x40000000010203030405"
func.func @main() -> tensor<2xi8> {
  %x = te.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi8>
  %y = te.launch @sums(%x) : (tensor<5xi8>) -> tensor<2xi8>
  return %y : tensor<2xi8>
}
te.kernel @sums(%x: tensor<5xi8>) -> tensor<2xi8> {
  %y = te.compute @y (d0: 2) reduce (d1: 3) init (0 : i8) {
    %a = te.read %x[d0 * 2 + d1] : tensor<5xi8>
    te.yield %a : i8
  } combine arith.addi : tensor<2xi8>
  te.return %y : tensor<2xi8>
} schedule {
  layout.store 0 as map<unfold(0, 3, 2)>
}

// -----

// A result in overlapping tiles is computed once for each copy. Its conversion reads the first copy
// of an element.
// CHECK-LABEL: te.kernel @negate
// CHECK: te.compute @y (d0: 4, d1: 4) where (d0 * -2 - d1 + 8 >= 0)
// CHECK-LABEL: te.kernel @convert
// CHECK: te.compute @convert (d0: 9) where (-d0 + 3 >= 0) {
// CHECK: te.read %{{.*}}[0, d0] : tensor<4x4xf32>
// CHECK: } where (d0 - 4 >= 0) {
// CHECK: te.read %{{.*}}[d0 floordiv 2 - 1, d0 mod 2 + 2] : tensor<4x4xf32>
func.func @main(%x: tensor<9xf32>) -> tensor<9xf32> {
  %y = te.launch @negate(%x) : (tensor<9xf32>) -> tensor<9xf32>
  return %y : tensor<9xf32>
}
te.kernel @negate(%x: tensor<9xf32>) -> tensor<9xf32> {
  %y = te.compute @y (d0: 9) {
    %a = te.read %x[d0] : tensor<9xf32>
    %n = arith.negf %a : f32
    te.yield %n : f32
  } : tensor<9xf32>
  te.return %y : tensor<9xf32>
} schedule {
  layout.store @y as map<unfold(0, 4, 2)>
}

// -----

// With a pad of 1, elements 4 t to 4 t + 3 all lie in tile t. One index gives a cell of each, and the
// conversion needs no pieces.
// CHECK-LABEL: te.kernel @negate
// CHECK-LABEL: te.kernel @convert
// CHECK: te.compute @convert (d0: 12) {
// CHECK: te.read %{{.*}}[d0 floordiv 4, d0 mod 4 + 1] : tensor<3x6xf32>{{$}}
func.func @main(%x: tensor<12xf32>) -> tensor<12xf32> {
  %y = te.launch @negate(%x) : (tensor<12xf32>) -> tensor<12xf32>
  return %y : tensor<12xf32>
}
te.kernel @negate(%x: tensor<12xf32>) -> tensor<12xf32> {
  %y = te.compute @y (d0: 12) {
    %a = te.read %x[d0] : tensor<12xf32>
    %n = arith.negf %a : f32
    te.yield %n : f32
  } : tensor<12xf32>
  te.return %y : tensor<12xf32>
} schedule {
  layout.store @y as map<pad(0, 1, 1), unfold(0, 6, 4)>
}

// -----

// The sum of all elements has no dim, and no border.
// CHECK-LABEL: func.func @main
// CHECK: %[[Y:.*]] = te.launch @sum(%{{.*}}) : (tensor<8xf32>) -> tensor<f32>
// CHECK: return %[[Y]]
func.func @main(%x: tensor<8xf32>) -> tensor<f32> {
  %y = te.launch @sum(%x) : (tensor<8xf32>) -> tensor<f32>
  return %y : tensor<f32>
}
te.kernel @sum(%x: tensor<8xf32>) -> tensor<f32> {
  %y = te.compute @y () reduce (d0: 8) init (0.0 : f32) {
    %a = te.read %x[d0] : tensor<8xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<f32>
  te.return %y : tensor<f32>
} schedule {
  layout.store @y as map<>
}

// -----

// What a kernel itself reads is computed row by row, in one piece: its reads give the zeros of a border.
// CHECK-LABEL: te.kernel @rows
// CHECK: te.compute @sum (d0: 5) reduce (d1: 8)
// CHECK-NEXT: te.read %{{.*}}[d0, d1] : tensor<3x8xf32> where (-d0 + 2 >= 0) else 0.000000e+00
// CHECK-NOT: where
// CHECK: te.compute @map
func.func @main(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %y = te.launch @rows(%x) : (tensor<3x8xf32>) -> tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}
te.kernel @rows(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %s = te.compute @sum (d0: 3) reduce (d1: 8) init (0.0 : f32) {
    %a = te.read %x[d0, d1] : tensor<3x8xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<3xf32>
  %y = te.compute @map (d0: 3, d1: 8) {
    %a = te.read %x[d0, d1] : tensor<3x8xf32>
    %b = te.read %s[d0] : tensor<3xf32>
    %q = arith.divf %a, %b : f32
    te.yield %q : f32
  } : tensor<3x8xf32>
  te.return %y : tensor<3x8xf32>
} schedule {
  layout.store @sum as map<pad(0, 0, 2)>
}
