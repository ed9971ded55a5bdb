// RUN: tssa-opt %s -apply-records='dir=%S/Inputs/tuned machine=some epoch=0123456789abcdef' --remarks-filter=apply-records --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tssa-opt %s -apply-records='dir=%S/Inputs/tuned machine=some epoch=0123456789abcdef' | FileCheck %s
// RUN: tssa-opt %s -apply-records='dir=%S/Inputs/tuned machine=some' 2>&1 | FileCheck %s --check-prefix=EPOCH

// The record has the key of kernel @k0. When the text of kernels changes, so does the key: the remark tells the new one.
// REMARK: remark: [Passed] record {{.*}} DefaultSeconds=3.000e-08, Kernel=k0, Seconds=2.000e-08, Task=ca64da0d147fe415f338a50c342ed26fe845cdfced3eaf81f4ab314cbae26d95
// EPOCH: warning: tuned '{{.*}}tuned': 1 of 1 records were not used: 1 of another epoch
// REMARK: remark: [Missed] record {{.*}} Kernel=k1, Reason="no record for some of epoch 0123456789abcdef"
// REMARK: remark: [Missed] record {{.*}} Kernel=k2, Reason="it has a schedule"
// REMARK: remark: [Missed] record {{.*}} Kernel=k3, Reason="its sizes are open"
func.func @main(%x: tensor<8xf32>, %z: tensor<?xf32>, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = te.launch @k0(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %b = te.launch @k1(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %c = te.launch @k2(%b) : (tensor<8xf32>) -> tensor<8xf32>
  %d = te.launch @k3(%z, %n) : (tensor<?xf32>, index) -> tensor<8xf32>
  return %c, %d : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: te.kernel @k0(
// CHECK: schedule {
// CHECK-NEXT: %[[l:.*]] = layout.loops @y : !layout.loop
// CHECK-NEXT: layout.vectorize %[[l]]
// CHECK-NEXT: }
// EPOCH-NOT: layout.vectorize
te.kernel @k0(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = te.compute @y (d0: 8) {
    %v = te.read %x[d0] : tensor<8xf32>
    %n = math.exp %v : f32
    te.yield %n : f32
  } : tensor<8xf32>
  te.return %y : tensor<8xf32>
}
// Stores are a part of the task, and loops of the user are kept.
// CHECK-LABEL: te.kernel @k1(
// CHECK-NOT: layout.loops
te.kernel @k1(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = te.compute @y (d0: 8) {
    %v = te.read %x[d0] : tensor<8xf32>
    %n = math.exp %v : f32
    te.yield %n : f32
  } : tensor<8xf32>
  te.return %y : tensor<8xf32>
} schedule {
  layout.store 0 as map<split(0, [*, 4])>
}
// CHECK-LABEL: te.kernel @k2(
// CHECK: layout.loops @y
// CHECK-NEXT: layout.bind
te.kernel @k2(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = te.compute @y (d0: 8) {
    %v = te.read %x[d0] : tensor<8xf32>
    %n = math.exp %v : f32
    te.yield %n : f32
  } : tensor<8xf32>
  te.return %y : tensor<8xf32>
} schedule {
  %0 = layout.loops @y : !layout.loop
  layout.bind %0 to parallel
}
// CHECK-LABEL: te.kernel @k3(
// CHECK-NOT: schedule
te.kernel @k3(%x: tensor<?xf32> {te.sizes = array<i64: 1>}, %n: index) -> tensor<8xf32> {
  %y = te.compute @y (d0: 8) {
    %v = te.read %x[d0] : tensor<?xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  te.return %y : tensor<8xf32>
}
