// RUN: tssa-opt %s -fold-launches | FileCheck %s
// RUN: tssa-opt %s --fold-launches --remarks-filter=fold-launches --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] folded | {{.*}} | BytesInAll=16, Kernel=twice
// REMARK: [Missed] folded | {{.*}} | Kernel=fill, Reason="its results are too large for its operands"

// A launch of constants is evaluated, and its kernel is erased if nothing else launches it.
// The constants that nothing else reads go with it.
// CHECK-LABEL: func.func @main
// CHECK-NOT: te.constant dense<[1
// CHECK: %[[SUM:.*]] = te.constant dense_resource<[[NAME:.*]]> : tensor<4xf32>
// CHECK: te.launch @add(%{{.*}}, %[[SUM]])
// CHECK-NOT: te.kernel @twice
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = te.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %b = te.launch @twice(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %y = te.launch @add(%x, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
te.kernel @twice(%a: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) {
    %v = te.read %a[d0] : tensor<4xf32>
    %s = arith.addf %v, %v : f32
    te.yield %s : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}
te.kernel @add(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) {
    %v = te.read %a[d0] : tensor<4xf32>
    %w = te.read %b[d0] : tensor<4xf32>
    %s = arith.addf %v, %w : f32
    te.yield %s : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// A constant that another launch reads stays.
// CHECK-LABEL: func.func @shared
// CHECK: %[[GIVEN:.*]] = te.constant dense<[1
// CHECK: %[[SUM:.*]] = te.constant dense_resource
// CHECK: te.launch @add(%{{.*}}, %[[SUM]])
// CHECK: te.launch @add(%{{.*}}, %[[GIVEN]])
func.func @shared(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = te.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %b = te.launch @twice(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %y = te.launch @add(%x, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %z = te.launch @add(%y, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// A launch whose result would exceed the limit stays.
// CHECK-LABEL: func.func @large
// CHECK: te.launch @fill
func.func @large() -> tensor<4096x64xf32> {
  %a = te.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = te.launch @fill(%a) : (tensor<2xf32>) -> tensor<4096x64xf32>
  return %b : tensor<4096x64xf32>
}
te.kernel @fill(%a: tensor<2xf32>) -> tensor<4096x64xf32> {
  %y = te.compute @y (d0: 4096, d1: 64) {
    %v = te.read %a[1] : tensor<2xf32>
    te.yield %v : f32
  } : tensor<4096x64xf32>
  te.return %y : tensor<4096x64xf32>
}

// CHECK: [[NAME]]: "0x4000000000000040000080400000C04000000041"
