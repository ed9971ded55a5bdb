// RUN: tssa-opt %s -convert-kernels-to-loops -canonicalize -cse | FileCheck %s
// The steps of a scan wait for each other, its lines do not: the lanes of a vector are lines.

// The lines are contiguous: blocks of 16 steps of 16 lines are transposed, the last four steps are
// gathered. Eight lines remain at the end.
// CHECK-LABEL: func.func @rows(
// CHECK: scf.for %{{.+}} = %c0 to %c96 step %c16 iter_args(%{{.+}} = %{{.+}}) -> (vector<16xf32>)
// CHECK-COUNT-32: vector.load %{{.+}} : memref<?xf32>, vector<8xf32>
// CHECK: vector.shuffle
// CHECK: arith.maximumf %{{.+}}, %{{.+}} : vector<16xf32>
// CHECK: vector.store %{{.+}} : memref<?xf32>, vector<8xf32>
// CHECK: scf.for %{{.+}} = %c96 to %c100 step %c1 iter_args(%{{.+}} = %{{.+}}) -> (vector<16xf32>)
// CHECK: vector.gather
// CHECK: vector.scatter
// CHECK: } else {
// CHECK: scf.for %{{.+}} = %c0 to %c96 step %c16
// CHECK-COUNT-16: vector.load %{{.+}} : memref<?xf32>, vector<8xf32>
// CHECK-LABEL: func.func @rows.extent(
// CHECK: %[[N:.+]] = arith.constant 63 : index
// CHECK: return %[[N]]
te.kernel @rows(%x: tensor<1000x100xf32>) -> tensor<1000x100xf32> {
  %y = te.scan @y %x axis 1 init 0xFF800000 : f32 combine arith.maximumf : tensor<1000x100xf32>
  te.return %y : tensor<1000x100xf32>
} schedule {
}

// Lines that lie side by side are loaded as they are. Their number may be open.
// CHECK-LABEL: func.func @columns(
// CHECK: scf.for %{{.+}} = %c0 to %c100 step %c1 iter_args(%{{.+}} = %{{.+}}) -> (vector<16xf32>)
// CHECK: vector.load
// CHECK-NEXT: arith.addf
// CHECK-NEXT: vector.store
// CHECK-NEXT: scf.yield
// CHECK: } else {
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
te.kernel @columns(%x: tensor<100x?xf32> {te.sizes = array<i64: -1, 1>}, %n: index) -> tensor<100x?xf32> {
  %y = te.scan @y %x axis 0 init 0.0 : f32 combine arith.addf : tensor<100x?xf32>
  te.return %y : tensor<100x?xf32>
} schedule {
}

// In the other direction, without the own element: the value before is stored.
// CHECK-LABEL: func.func @reversed(
// CHECK: scf.for %{{.+}} = %c0 to %c32 step %c16 iter_args(%[[SUM:.+]] = %{{.+}}) -> (vector<16xi64>)
// CHECK-NOT: vector.gather
// CHECK-NOT: vector.scatter
// CHECK-LABEL: func.func @reversed.extent(
te.kernel @reversed(%x: tensor<16x32xi64>) -> tensor<16x32xi64> {
  %y = te.scan @y %x axis 1 init 0 : i64 exclusive reverse combine arith.addi : tensor<16x32xi64>
  te.return %y : tensor<16x32xi64>
} schedule {
}

// Too few lines for a vector.
// CHECK-LABEL: func.func @few(
// CHECK: scf.for %{{.+}} = %c0 to %c100 step %c1 iter_args(%{{.+}} = %{{.+}}) -> (f32)
// CHECK-NOT: vector
// CHECK-LABEL: func.func @few.extent(
te.kernel @few(%x: tensor<3x100xf32>) -> tensor<3x100xf32> {
  %y = te.scan @y %x axis 1 init 0.0 : f32 combine arith.addf : tensor<3x100xf32>
  te.return %y : tensor<3x100xf32>
} schedule {
}
