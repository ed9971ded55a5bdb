// RUN: tssa-opt %s -convert-kernels-to-loops -canonicalize -cse | FileCheck %s

// With a dynamic number of rows, the rows that fill no full tile are computed together. Their tile
// has room for the largest possible number of rows, or for eight less if that is enough: eight sums
// hide the latency of a multiply-add. For each row that does not exist, the last row is computed
// again and not stored.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[M:[a-z0-9]*]]: index
// The full tile.
// CHECK: scf.if
// CHECK-COUNT-13: math.fma
// CHECK-NOT: math.fma
// CHECK: } else {
// Rows 6 to 12 of the tile of twelve may lie beyond the last row.
// CHECK: scf.if
// CHECK: %[[LAST:.*]] = arith.addi %{{.*}}, %c-1
// CHECK: %[[ROW:.*]] = arith.minsi %[[LAST]], %c5
// CHECK: %[[EXISTS:.*]] = arith.cmpi sge
// CHECK-COUNT-12: math.fma
// CHECK-NOT: math.fma
// CHECK: scf.if
// CHECK-NEXT: arith.muli
// CHECK: } else {
// CHECK-COUNT-4: math.fma
// CHECK-NOT: math.fma
// A single row is computed alone.
// CHECK: } else {
// CHECK-COUNT-1: math.fma
// CHECK-NOT: math.fma
// CHECK: @product.extent
te.kernel @product(%a: tensor<?x64xf32> {te.sizes = array<i64: 2, -1>}, %b: tensor<64x16xf32>, %m: index) -> tensor<?x16xf32> {
  %y = te.compute @y (d0: %m, d1: 16) reduce (d2: 64) init (0.0 : f32) {
    %x = te.read %a[d0, d2] : tensor<?x64xf32>
    %w = te.read %b[d2, d1] : tensor<64x16xf32>
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<?x16xf32>
  te.return %y : tensor<?x16xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %o, %r = layout.split %i [*, 13]
  layout.reorder %o, %k, %r, %j
  layout.register_tile %r
  layout.vectorize %j
  layout.bind %o to parallel
}
