// RUN: tssa-opt %s --te-print-sharing --te-print-dependence | FileCheck %s
// RUN: tssa-opt %s --te-merge --te-print-dependence | FileCheck %s --check-prefix=MERGED

// Figure 4 of the paper on Souffle (ASPLOS 2024): a ReLU, a slice with stride 2 and a transpose
// become one expression. No tensor is shared. The map of a producer is applied after that of its
// reader, so that element (i, j) of the result relies on element (2j, i): equation (2) of the paper
// multiplies its matrices in the other order, and its product takes row j of the columns 2i.
// CHECK-LABEL: function @main
// CHECK-NEXT:  function @main
// CHECK-NEXT:  %0 relies on one element of %arg0: { [d0, d1] -> [d0, d1] }
// CHECK-NEXT:  %1 relies on one element of %0: { [d0, d1] -> [d0 * 2, d1] }
// CHECK-NEXT:  %2 relies on one element of %1: { [d0, d1] -> [d1, d0] }
// MERGED-LABEL: function @main
// MERGED-NEXT:  %0 relies on one element of %arg0: { [d0, d1] -> [d1 * 2, d0] }
// MERGED:      te.compute (d0: 8, d1: 2)
// MERGED:      te.read %arg0[d1 * 2, d0]
// MERGED:      arith.maximumf
// MERGED-NOT:  te.compute
func.func @main(%x: tensor<4x8xf32>) -> tensor<8x2xf32> {
  %0 = te.compute (d0: 4, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<4x8xf32>
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %v, %zero : f32
    te.yield %r : f32
  } : tensor<4x8xf32>
  %1 = te.compute (d0: 2, d1: 8) {
    %v = te.read %0[d0 * 2, d1] : tensor<4x8xf32>
    te.yield %v : f32
  } : tensor<2x8xf32>
  %2 = te.compute (d0: 8, d1: 2) {
    %v = te.read %1[d1, d0] : tensor<2x8xf32>
    te.yield %v : f32
  } : tensor<8x2xf32>
  return %2 : tensor<8x2xf32>
}
