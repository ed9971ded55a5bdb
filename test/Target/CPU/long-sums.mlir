// RUN: tssa-opt %s -convert-kernels-to-loops -canonicalize -cse | FileCheck %s

// 20000 values of each sum are taken in blocks of 256, each from zero.
// CHECK-LABEL: func.func @columns(
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK-DAG: %[[C256:.*]] = arith.constant 256 : index
// CHECK-DAG: %[[C79:.*]] = arith.constant 79 : index
// CHECK-DAG: %[[C20000:.*]] = arith.constant 20000 : index
// CHECK: scf.for %[[BLOCK:[a-zA-Z0-9_]+]] = %{{.*}} to %[[C79]] step %{{.*}} iter_args(%[[SUM:.*]] = %[[ZERO]])
// CHECK: %[[BEGIN:.*]] = arith.muli %[[BLOCK]], %[[C256]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[BEGIN]], %[[C256]]
// CHECK: %[[END:.*]] = arith.minui %[[NEXT]], %[[C20000]]
// CHECK: %[[PART:.*]] = scf.for %{{.*}} = %[[BEGIN]] to %[[END]] step %{{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK: arith.addf %[[SUM]], %[[PART]]
te.kernel @columns(%a: tensor<20000x16xf32>) -> tensor<16xf32> {
  %y = te.compute @y (d0: 16) reduce (d1: 20000) init (0.0 : f32) {
    %x = te.read %a[d1, d0] : tensor<20000x16xf32>
    te.yield %x : f32
  } combine arith.addf : tensor<16xf32>
  te.return %y : tensor<16xf32>
} schedule {
  %i, %k = layout.loops @y : !layout.loop, !layout.loop
  layout.reorder %k, %i
  layout.vectorize %i
}

// Each row of 600 values is one block.
// CHECK-LABEL: func.func @rows(
// CHECK: %[[ALL:.*]] = scf.for %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (f32)
// CHECK-NEXT: %[[PART:.*]] = scf.for %{{.*}} iter_args(%{{.*}} = %cst) -> (f32)
// CHECK: arith.addf %[[SUM]], %[[PART]]
te.kernel @rows(%a: tensor<200x600xf32>) -> tensor<f32> {
  %y = te.compute @y () reduce (d0: 200, d1: 600) init (0.0 : f32) {
    %x = te.read %a[d0, d1] : tensor<200x600xf32>
    te.yield %x : f32
  } combine arith.addf : tensor<f32>
  te.return %y : tensor<f32>
} schedule {
  %j, %k = layout.loops @y : !layout.loop, !layout.loop
}

// Nobody knows how long an open sum is: it is taken in blocks of blocks.
// CHECK-LABEL: func.func @open(
// CHECK: scf.for %{{.*}} iter_args
// CHECK: scf.for %{{.*}} iter_args
// CHECK: scf.for %{{.*}} iter_args
// CHECK-COUNT-3: arith.addf
te.kernel @open(%a: tensor<?xf32> {te.sizes = array<i64: 1>}, %n: index) -> tensor<f32> {
  %y = te.compute @y () reduce (d0: %n) init (0.0 : f32) {
    %x = te.read %a[d0] : tensor<?xf32>
    te.yield %x : f32
  } combine arith.addf : tensor<f32>
  te.return %y : tensor<f32>
} schedule {
  %k = layout.loops @y : !layout.loop
}

// A short sum has no blocks, and a maximum of any length is exact without.
// CHECK-LABEL: func.func @short(
// CHECK-COUNT-1: scf.for %{{.*}} iter_args
// CHECK-NOT: scf.for
// CHECK-LABEL: func.func @maximum(
// CHECK-COUNT-1: scf.for %{{.*}} iter_args
// CHECK-NOT: scf.for
te.kernel @short(%a: tensor<1024xf32>) -> tensor<f32> {
  %y = te.compute @y () reduce (d0: 1024) init (0.0 : f32) {
    %x = te.read %a[d0] : tensor<1024xf32>
    te.yield %x : f32
  } combine arith.addf : tensor<f32>
  te.return %y : tensor<f32>
} schedule {
  %k = layout.loops @y : !layout.loop
}
te.kernel @maximum(%a: tensor<100000xf32>) -> tensor<f32> {
  %y = te.compute @y () reduce (d0: 100000) init (0xFF800000 : f32) {
    %x = te.read %a[d0] : tensor<100000xf32>
    te.yield %x : f32
  } combine arith.maximumf : tensor<f32>
  te.return %y : tensor<f32>
} schedule {
  %k = layout.loops @y : !layout.loop
}
