// RUN: tssa-opt %s --te-print-sharing --te-print-dependence | FileCheck %s

// Figure 3 of the paper on Souffle (ASPLOS 2024): two products with the same reduction, whose
// results of 4 and 2 rows can be concatenated. Neither depends on the other, and both read the
// second factor.
// CHECK-LABEL: function @main
// CHECK-NEXT:  %arg2: spatial %0, %1
// CHECK-LABEL: function @main
// CHECK-NEXT:  %0 relies on many elements of %arg0: { [d0, d1] -> [d0, d2] : 0 <= d2 < 64 }
// CHECK-NEXT:  %0 relies on many elements of %arg2: { [d0, d1] -> [d2, d1] : 0 <= d2 < 64 }
// CHECK-NEXT:  %1 relies on many elements of %arg1: { [d0, d1] -> [d0, d2] : 0 <= d2 < 64 }
// CHECK-NEXT:  %1 relies on many elements of %arg2: { [d0, d1] -> [d2, d1] : 0 <= d2 < 64 }
func.func @main(%x: tensor<4x64xf32>, %y: tensor<2x64xf32>, %w: tensor<64x16xf32>) -> (tensor<4x16xf32>, tensor<2x16xf32>) {
  %0 = te.compute (d0: 4, d1: 16) reduce (d2: 64) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<4x64xf32>
    %b = te.read %w[d2, d1] : tensor<64x16xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<4x16xf32>
  %1 = te.compute (d0: 2, d1: 16) reduce (d2: 64) init (0.0 : f32) {
    %a = te.read %y[d0, d2] : tensor<2x64xf32>
    %b = te.read %w[d2, d1] : tensor<64x16xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x16xf32>
  return %0, %1 : tensor<4x16xf32>, tensor<2x16xf32>
}
