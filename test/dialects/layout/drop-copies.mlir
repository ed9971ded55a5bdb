// RUN: tssa-opt %s -layout-drop-copies | FileCheck %s
// RUN: tssa-opt %s -te-check-pipeline=passes=layout-drop-copies -o /dev/null
// RUN: tssa-opt %s --layout-drop-copies --remarks-filter=layout-drop-copies --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] copy | {{.*}} | Elements=4, Remark="its operand is stored in the layout of the copy"
// REMARK: [Missed] copy | {{.*}} | Reason="it or its operand leaves the program or a region"

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  // CHECK: %[[Y:.*]] = te.launch @neg
  %y = te.launch @neg(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  // CHECK-NEXT: return %[[Y]]
  %z = te.launch @copy(%y) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %z : tensor<1x4xf32>
}

// The copy of an argument stays, and so does a copy that keeps two results distinct.
// CHECK-LABEL: func.func @kept
func.func @kept(%x: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) {
  // CHECK: te.launch @copy
  %a = te.launch @copy(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  // CHECK: te.launch @neg
  %y = te.launch @neg(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  // CHECK: te.launch @copy
  %z = te.launch @copy(%y) : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %a, %y, %z : tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>
}

te.kernel @neg(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %y = te.compute @y (d0: 1, d1: 4) {
    %a = te.read %x[d0, d1] : tensor<1x4xf32>
    %p = arith.negf %a : f32
    te.yield %p : f32
  } : tensor<1x4xf32>
  te.return %y : tensor<1x4xf32>
}
te.kernel @copy(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %y = te.compute @y (d0: 1, d1: 4) {
    %a = te.read %x[0, d1] : tensor<1x4xf32>
    te.yield %a : f32
  } : tensor<1x4xf32>
  te.return %y : tensor<1x4xf32>
}
