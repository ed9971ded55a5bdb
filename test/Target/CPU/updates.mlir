// RUN: tssa-opt %s -convert-kernels-to-loops -canonicalize -cse | FileCheck %s

// A slice is written by vectors. Elements outside of it are copied, unless base and result are the
// same memory.
// CHECK-LABEL: func.func @row(
// CHECK-SAME: %[[BASE:[a-z0-9]*]]: memref<?xf32>, %{{[a-z0-9]*}}: index, %{{[a-z0-9]*}}: index, %[[H:[a-z0-9]*]]: memref<?xf32>, %[[OUT:[a-z0-9]*]]: memref<?xf32>
// CHECK: scf.for
// CHECK: arith.cmpi ult, %{{.*}}, %c2
// CHECK: scf.if
// CHECK: %[[V:.*]] = vector.load %[[H]]
// CHECK: vector.store %[[V]], %[[OUT]]
// CHECK: } else {
// CHECK: memref.extract_aligned_pointer_as_index %[[BASE]]
// CHECK: scf.if
// CHECK: arith.cmpi ne
// CHECK: vector.load %[[BASE]]
// CHECK: func.func @row.extent(
// CHECK: %[[N:.*]] = arith.constant 3 : index
// CHECK: return %[[N]],
te.kernel @row(%base: tensor<?x2x64xf32> {te.sizes = array<i64: 1, -1, -1>}, %n: index, %t: index, %h: tensor<2x64xf32>) -> tensor<?x2x64xf32> {
  %r = te.update (d0: 2, d1: 64) into %base[s0, d0, d1](%t) {
    %v = te.read %h[d0, d1] : tensor<2x64xf32>
    te.yield %v : f32
  } : tensor<?x2x64xf32>
  te.return %r : tensor<?x2x64xf32>
} schedule {
}

// Every third element, backwards: the slice has no vectors of contiguous elements.
// CHECK-LABEL: func.func @backwards(
// CHECK: memref.store
// CHECK: } else {
// CHECK: arith.floordivsi
// CHECK: vector.maskedstore
te.kernel @backwards(%base: tensor<50xf32>, %h: tensor<9xf32>) -> tensor<50xf32> {
  %r = te.update (d0: 9) into %base[-d0 * 3 + 40] {
    %v = te.read %h[d0] : tensor<9xf32>
    te.yield %v : f32
  } : tensor<50xf32>
  te.return %r : tensor<50xf32>
} schedule {
}

// Indices from data may name a row twice, so the rows run in order; each is one vector. An index that
// is out of bounds sets the error flag instead.
// CHECK-LABEL: func.func @scatter(
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: scf.for
// CHECK: %[[IN:.*]] = arith.cmpi ult
// CHECK: scf.if %[[IN]] {
// CHECK:   arith.addf {{.*}} : vector<16xf32>
// CHECK: } else {
// CHECK:   memref.store %{{.*}} : memref<?xi32>
// CHECK: func.func @scatter.extent() -> (index, index, index) {
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[FLOPS:.*]] = arith.constant 40 : index
// CHECK-NEXT: return %[[ONE]], %[[ONE]], %[[FLOPS]]
te.kernel @scatter(%base: tensor<100x8xf32>, %ids: tensor<5xi64>, %src: tensor<5x8xf32>) -> tensor<100x8xf32> {
  %r = te.update (d0: 5, d1: 8) into %base[s0, d1] {
    %i = te.read %ids[d0] : tensor<5xi64>
    %k = arith.index_cast %i : i64 to index
    %v = te.read %src[d0, d1] : tensor<5x8xf32>
    te.yield %v, %k : f32, index
  } combine arith.addf : tensor<100x8xf32>
  te.return %r : tensor<100x8xf32>
} schedule {
}

// Each element has an index of its own: no rows.
// CHECK-LABEL: func.func @elements(
// CHECK-NOT: vector
// CHECK: func.func @elements.extent(
te.kernel @elements(%base: tensor<100x8xf32>, %ids: tensor<5x8xi64>, %src: tensor<5x8xf32>) -> tensor<100x8xf32> {
  %r = te.update (d0: 5, d1: 8) into %base[s0, d1] {
    %i = te.read %ids[d0, d1] : tensor<5x8xi64>
    %k = arith.index_cast %i : i64 to index
    %v = te.read %src[d0, d1] : tensor<5x8xf32>
    te.yield %v, %k : f32, index
  } combine arith.addf : tensor<100x8xf32>
  te.return %r : tensor<100x8xf32>
} schedule {
}

// The points of a column write one element, so they run in order, too.
// CHECK-LABEL: func.func @column(
// CHECK-NOT: vector
// CHECK: func.func @column.extent(
te.kernel @column(%base: tensor<5xf32>, %src: tensor<5x8xf32>) -> tensor<5xf32> {
  %r = te.update (d0: 5, d1: 8) into %base[d0] {
    %v = te.read %src[d0, d1] : tensor<5x8xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<5xf32>
  te.return %r : tensor<5xf32>
} schedule {
}

// Rows that are added to one row run in order.
// CHECK-LABEL: func.func @twice(
// CHECK: scf.for
// CHECK: arith.addf {{.*}} : vector<16xf32>
// CHECK: func.func @twice.extent(
te.kernel @twice(%base: tensor<8xf32>, %src: tensor<5x8xf32>) -> tensor<8xf32> {
  %r = te.update (d0: 5, d1: 8) into %base[d1] {
    %v = te.read %src[d0, d1] : tensor<5x8xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<8xf32>
  te.return %r : tensor<8xf32>
} schedule {
}

// The lines of a scan become iterations.
// CHECK-LABEL: func.func @scan(
// CHECK: scf.for
// CHECK: scf.for %{{.*}} iter_args
// CHECK: func.func @scan.extent(
te.kernel @scan(%x: tensor<2x?xf32> {te.sizes = array<i64: -1, 1>}, %n: index) -> tensor<2x?xf32> {
  %y = te.scan %x axis 1 init 0.0 : f32 exclusive combine arith.addf : tensor<2x?xf32>
  te.return %y : tensor<2x?xf32>
} schedule {
}
