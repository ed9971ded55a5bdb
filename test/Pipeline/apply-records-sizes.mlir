// RUN: tssa-opt %s -apply-records='dir=%S/Inputs/sizes machine=some epoch=0123456789abcdef to=sizes' --remarks-filter=apply-records --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tssa-opt %s -apply-records='dir=%S/Inputs/sizes machine=some epoch=0123456789abcdef to=sizes' | tssa-opt | FileCheck %s

// The records have the keys of @k0 and @k1. When the text of kernels changes, so do the keys: the remarks tell the new ones.
// REMARK: remark: [Passed] record {{.*}} Kernel=k0, {{.*}} Task=91d848ae2bf71b092ea7d1926605774f728330f825b1eeb6fe33d4b6cb436a23
// REMARK: remark: [Missed] record {{.*}} Kernel=k0_4, Reason="no record for some of epoch 0123456789abcdef"
// REMARK: remark: [Passed] record {{.*}} Kernel=k0_16, {{.*}} Task=6fe2d31fb838257d083c226915331486956f6f50e787ab3393590d6ac8c9d8f0
// REMARK: remark: [Missed] record {{.*}} Kernel=k1, Reason="that do not fit: expected 1 sizes, got 2", Task=c6406ff31aa66b14bb808a55e41c0307a9fd40b774391ebc03d36e17f8c81af0
// REMARK: remark: [Missed] record {{.*}} Kernel=k2, Reason="no record of sizes for some of epoch 0123456789abcdef"
// REMARK: warning: tuned '{{.*}}sizes': 1 of 2 records were not used: 1 that do not fit

// Launches choose by the sizes that they pass. A part of a join keeps the open kernel.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[x:.*]]: tensor<?x8xf32>, %[[n:.*]]: index, %[[m:.*]]: index
// CHECK: %[[c4:.*]] = arith.constant 4 : index
// CHECK: %[[is4:.*]] = arith.cmpi eq, %[[n]], %[[c4]] : index
// CHECK: %[[a:.*]] = scf.if %[[is4]] -> (tensor<?x8xf32>) {
// CHECK-NEXT: %[[y:.*]] = te.launch @k0_4(%[[x]]) sizes(%[[n]]) : (tensor<?x8xf32>) -> tensor<?x8xf32>
// CHECK-NEXT: scf.yield %[[y]] : tensor<?x8xf32>
// CHECK-NEXT: } else {
// CHECK: %[[c16:.*]] = arith.constant 16 : index
// CHECK: %[[is16:.*]] = arith.cmpi eq, %[[n]], %[[c16]] : index
// CHECK: scf.if %[[is16]] -> (tensor<?x8xf32>) {
// CHECK-NEXT: te.launch @k0_16(%[[x]]) sizes(%[[n]]) : (tensor<?x8xf32>) -> tensor<?x8xf32>
// CHECK: } else {
// CHECK-DAG: %[[c9:.*]] = arith.constant 9 : index
// CHECK-DAG: %[[c32:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[low:.*]] = arith.cmpi sge, %[[n]], %[[c9]] : index
// CHECK-DAG: %[[high:.*]] = arith.cmpi sle, %[[n]], %[[c32]] : index
// CHECK: %[[both:.*]] = arith.andi %[[low]], %[[high]] : i1
// CHECK: scf.if %[[both]] -> (tensor<?x8xf32>) {
// CHECK-NEXT: te.launch @k0_16_range(%[[x]], %[[n]]) sizes(%[[n]]) : (tensor<?x8xf32>, index) -> tensor<?x8xf32>
// CHECK: } else {
// CHECK-NEXT: te.launch @k0(%[[x]], %[[n]]) sizes(%[[n]]) : (tensor<?x8xf32>, index) -> tensor<?x8xf32>
// CHECK: te.launch @k0_4(%[[a]]) sizes(%[[m]])
// CHECK: te.launch @k0(%{{.*}}, %[[m]]) sizes(%[[m]])
// CHECK: %[[c:.*]] = te.launch @k0(%{{.*}}, %[[m]]) sizes(%[[m]])
// CHECK-NEXT: te.join %[[c]], %[[c]]
// CHECK: te.kernel @k0(%{{.*}}: tensor<?x8xf32>
// CHECK: te.kernel @k0_4(%{{.*}}: tensor<4x8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT: te.compute @y (d0: 4, d1: 8)
// CHECK-NOT: schedule
// CHECK: te.kernel @k0_16(%{{.*}}: tensor<16x8xf32>) -> tensor<16x8xf32> {
// CHECK-NEXT: te.compute @y (d0: 16, d1: 8)
// CHECK: schedule {
// CHECK-NEXT: %[[l:.*]]:2 = layout.loops @y
// CHECK-NEXT: layout.vectorize %[[l]]#1
// CHECK: te.kernel @k0_16_range(%{{.*}}: tensor<?x8xf32> {te.sizes = array<i64: 1, -1>}, %{{.*}}: index)
// CHECK: schedule {
// CHECK-NEXT: %[[l:.*]]:2 = layout.loops @y
// CHECK-NEXT: layout.vectorize %[[l]]#1
func.func @main(%x: tensor<?x8xf32>, %n: index, %m: index) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x16xf32>) {
  %a = te.launch @k0(%x, %n) sizes(%n) : (tensor<?x8xf32>, index) -> tensor<?x8xf32>
  %b = te.launch @k0(%a, %m) sizes(%m) : (tensor<?x8xf32>, index) -> tensor<?x8xf32>
  %c = te.launch @k0(%b, %m) sizes(%m) : (tensor<?x8xf32>, index) -> tensor<?x8xf32>
  %d = te.join %c, %c axis 1 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
  %f = te.launch @k2(%b, %m) sizes(%m) : (tensor<?x8xf32>, index) -> tensor<?x8xf32>
  %e = te.launch @k1(%b, %m) sizes(%m) : (tensor<?x8xf32>, index) -> tensor<?x8xf32>
  return %f, %e, %d : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x16xf32>
}
te.kernel @k0(%x: tensor<?x8xf32> {te.sizes = array<i64: 1, -1>}, %n: index) -> tensor<?x8xf32> {
  %y = te.compute @y (d0: %n, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<?x8xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<?x8xf32>
  te.return %y : tensor<?x8xf32>
}
// Numbers of sizes that do not fit.
// CHECK: te.kernel @k1(
// CHECK-NOT: te.kernel @k1_
te.kernel @k1(%x: tensor<?x8xf32> {te.sizes = array<i64: 1, -1>}, %n: index) -> tensor<?x8xf32> {
  %y = te.compute @y (d0: %n, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<?x8xf32>
    %e = math.tanh %v : f32
    te.yield %e : f32
  } : tensor<?x8xf32>
  te.return %y : tensor<?x8xf32>
}
// No record.
// CHECK: te.kernel @k2(
// CHECK-NOT: te.kernel
te.kernel @k2(%x: tensor<?x8xf32> {te.sizes = array<i64: 1, -1>}, %n: index) -> tensor<?x8xf32> {
  %y = te.compute @y (d0: %n, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<?x8xf32>
    %e = math.log %v : f32
    te.yield %e : f32
  } : tensor<?x8xf32>
  te.return %y : tensor<?x8xf32>
}
