// RUN: tssa-opt %s --layout-schedule-default --convert-kernels-to-loops --canonicalize --cse --split-input-file | FileCheck %s
// RUN: tssa-opt %s --layout-schedule-default --split-input-file | FileCheck %s --check-prefix=SCHEDULE

// A parameter and a result lie in larger tensors: rows are 48 and 96 elements apart, and the result
// begins at element 64 of its row. Their loops are not fused.
// SCHEDULE-LABEL: te.kernel @rows
// SCHEDULE-NOT: layout.fuse
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>
// CHECK-DAG: %[[PITCH:.*]] = arith.constant 96 : index
// CHECK-DAG: %[[BEGIN:.*]] = arith.constant 64 : index
// CHECK: vector.load %[[X]][
// CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %[[PITCH]]
// CHECK: %[[AT:.*]] = arith.addi %[[ROW]], %[[BEGIN]]
// CHECK: vector.store %{{.*}}, %[[Y]][%[[AT]]]
te.kernel @rows(%x: tensor<8x16xf32> {te.window = #te.window<sizes = [-1, 48], at = [0, 0]>})
    -> (tensor<8x16xf32> {te.window = #te.window<sizes = [-1, 96], at = [0, 64]>}) {
  %y = te.compute @y (d0: 8, d1: 16) {
    %v = te.read %x[d0, d1] : tensor<8x16xf32>
    %p = arith.negf %v : f32
    te.yield %p : f32
  } : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
}

// -----

// Without windows they are fused.
// SCHEDULE-LABEL: te.kernel @fused
// SCHEDULE: layout.fuse
// CHECK-LABEL: func.func @fused(
te.kernel @fused(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %y = te.compute @y (d0: 8, d1: 16) {
    %v = te.read %x[d0, d1] : tensor<8x16xf32>
    %p = arith.negf %v : f32
    te.yield %p : f32
  } : tensor<8x16xf32>
  te.return %y : tensor<8x16xf32>
}
