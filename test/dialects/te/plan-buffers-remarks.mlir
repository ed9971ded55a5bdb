// RUN: tssa-opt %s --te-plan-buffers --remarks-filter=te-plan-buffers --remark-format=emitRemark 2>&1 | FileCheck %s

// CHECK: plan-buffers-remarks.mlir:[[@LINE+5]]:8: remark: [Missed] copy
// CHECK-SAME: Bytes=16
// CHECK-SAME: Source=loc("{{.*}}plan-buffers-remarks.mlir":[[@LINE+2]]:17)
// CHECK: remark: [Analysis] arena | {{.*}} | Bytes=64, Copies=1
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %u = te.launch @set(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %u : tensor<4xf32>
}
te.kernel @set(%b: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.update @y (d0: 2) into %b[d0] {
    %v = arith.constant 1.0 : f32
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}
