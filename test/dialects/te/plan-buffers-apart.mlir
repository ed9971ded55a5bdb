// RUN: tssa-opt %s --te-plan-buffers | FileCheck %s

// Three buffers of 16 bytes that never share memory: each takes 64 bytes and is followed by 64
// unused bytes, and there are 64 bytes after the last one.
// CHECK-LABEL: func.func @plan() -> index
// CHECK: %[[C:.*]] = arith.constant 448 : index
// CHECK: return %[[C]]
// CHECK-LABEL: func.func @main(
// CHECK-DAG: %[[O0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[O1:.*]] = arith.constant 128 : index
// CHECK-DAG: %[[O2:.*]] = arith.constant 256 : index
// CHECK-DAG: memref.view %{{.*}}[%[[O0]]][]
// CHECK-DAG: memref.view %{{.*}}[%[[O1]]][]
// CHECK-DAG: memref.view %{{.*}}[%[[O2]]][]
module attributes {te.separate} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %a = te.launch @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = te.launch @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %c = te.launch @k(%b) : (tensor<4xf32>) -> tensor<4xf32>
    %d = te.launch @k(%c) : (tensor<4xf32>) -> tensor<4xf32>
    return %d : tensor<4xf32>
  }
  te.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = te.compute @y (d0: 4) {
      %v = te.read %x[d0] : tensor<4xf32>
      te.yield %v : f32
    } : tensor<4xf32>
    te.return %y : tensor<4xf32>
  }
}
