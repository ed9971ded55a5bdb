// RUN: tssa-opt %s -apply-schedules=file=%S/Inputs/schedules.mlir 2>&1 | FileCheck %s
// RUN: tssa-opt %s -te-check-pipeline=passes='apply-schedules{file=%S/Inputs/schedules.mlir},layout-materialize-stores' -o /dev/null

// CHECK: warning: schedule '{{.*}}schedules.mlir': 1 of 3 schedules are for kernels or launches that the program does not have

// A schedule for some of the launches gives them a copy of the kernel.
// CHECK-LABEL: func.func @main
// CHECK: te.launch @k0_0
// CHECK: te.launch @k0(
// CHECK: te.launch @k0_0
func.func @main(%x: tensor<4x6xf32>, %z: tensor<8xf32>) -> (tensor<4x6xf32>, tensor<8xf32>) {
  %a = te.launch @k0(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %b = te.launch @k0(%a) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %c = te.launch @k0(%b) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: te.launch @k1(
  %d = te.launch @k1(%z) : (tensor<8xf32>) -> tensor<8xf32>
  %e = te.launch @k2(%d) : (tensor<8xf32>) -> tensor<8xf32>
  return %c, %e : tensor<4x6xf32>, tensor<8xf32>
}

// CHECK-LABEL: te.kernel @k0_0
// CHECK: schedule {
// CHECK-NEXT: layout.store 0 as map<reorder(1, 0)>
// CHECK-NEXT: layout.loops @y
// CHECK-LABEL: te.kernel @k0(
// CHECK-NOT: schedule
te.kernel @k0(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %b = te.compute @y (d0: 4, d1: 6) {
    %c = te.read %a[d0, d1] : tensor<4x6xf32>
    %d = arith.negf %c : f32
    te.yield %d : f32
  } : tensor<4x6xf32>
  te.return %b : tensor<4x6xf32>
}
// CHECK-LABEL: te.kernel @k1(
// CHECK: schedule {
// CHECK-NEXT: layout.loops @y
// CHECK-NEXT: layout.vectorize
te.kernel @k1(%a: tensor<8xf32>) -> tensor<8xf32> {
  %b = te.compute @y (d0: 8) {
    %c = te.read %a[d0] : tensor<8xf32>
    %d = math.exp %c : f32
    te.yield %d : f32
  } : tensor<8xf32>
  te.return %b : tensor<8xf32>
}
// A kernel without a schedule in the file is left alone.
// CHECK-LABEL: te.kernel @k2(
// CHECK-NOT: schedule
te.kernel @k2(%a: tensor<8xf32>) -> tensor<8xf32> {
  %b = te.compute @y (d0: 8) {
    %c = te.read %a[d0] : tensor<8xf32>
    te.yield %c : f32
  } : tensor<8xf32>
  te.return %b : tensor<8xf32>
}
