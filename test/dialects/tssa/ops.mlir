// RUN: tssa-opt %s | tssa-opt | FileCheck %s

// CHECK-LABEL: func @references
func.func @references(%b: tensor<?x4xf32>, %y: tensor<4xf32>, %i: index) -> tensor<?x4xf32> {
  // CHECK: %[[S:.*]] = tssa.alloc %{{.*}} : !tssa.ref<?x4xf32>
  %s = tssa.alloc %b : !tssa.ref<?x4xf32>
  // CHECK: %[[V:.*]] = tssa.view %[[S]] [select(0, ?)](%{{.*}}) : !tssa.ref<?x4xf32> -> !tssa.ref<4xf32>
  %v = tssa.view %s [select(0, ?)](%i) : !tssa.ref<?x4xf32> -> !tssa.ref<4xf32>
  // CHECK: tssa.dim %[[S]], 0 : !tssa.ref<?x4xf32>
  %n = tssa.dim %s, 0 : !tssa.ref<?x4xf32>
  // CHECK: tssa.write %{{.*}}, %[[V]] : !tssa.ref<4xf32>
  tssa.write %y, %v : !tssa.ref<4xf32>
  // CHECK: tssa.read %[[S]] : !tssa.ref<?x4xf32>
  %r = tssa.read %s : !tssa.ref<?x4xf32>
  return %r : tensor<?x4xf32>
}

// CHECK-LABEL: func @values
func.func @values(%b: tensor<?x4xf32>, %i: index) -> tensor<?x4xf32> {
  // CHECK: tssa.access %{{.*}} [select(0, ?)](%{{.*}}) : tensor<?x4xf32> -> tensor<4xf32>
  %x = tssa.access %b [select(0, ?)](%i) : tensor<?x4xf32> -> tensor<4xf32>
  // CHECK: tssa.assign %{{.*}} into %{{.*}} [select(0, 2)] : tensor<4xf32> into tensor<?x4xf32>
  %r = tssa.assign %x into %b [select(0, 2)] : tensor<4xf32> into tensor<?x4xf32>
  // CHECK: tssa.version %{{.*}}, %{{.*}} : tensor<?x4xf32>
  tssa.version %r, %b : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// CHECK-LABEL: func @steps
func.func @steps(%a: !tssa.ref<6x?x1xi64>, %n: index, %m: index) {
  // CHECK: [slice(0, 1, 2, 2), permute(2, 1, 0), squeeze(0), unsqueeze(1), expand(1, ?), reshape(?)](%{{.*}}, %{{.*}})
  %v = tssa.view %a [slice(0, 1, 2, 2), permute(2, 1, 0), squeeze(0), unsqueeze(1), expand(1, ?), reshape(?)](%n, %m)
      : !tssa.ref<6x?x1xi64> -> !tssa.ref<?xi64>
  // CHECK: tssa.view %{{.*}} [] : !tssa.ref<6x?x1xi64> -> !tssa.ref<6x?x1xi64>
  %w = tssa.view %a [] : !tssa.ref<6x?x1xi64> -> !tssa.ref<6x?x1xi64>
  // CHECK: tssa.view %{{.*}} [reshape(), unsqueeze(0)] : !tssa.ref<1x1xf32> -> !tssa.ref<1xf32>
  %one = tensor.empty() : tensor<1x1xf32>
  %s = tssa.alloc %one : !tssa.ref<1x1xf32>
  %u = tssa.view %s [reshape(), unsqueeze(0)] : !tssa.ref<1x1xf32> -> !tssa.ref<1xf32>
  return
}

// CHECK-LABEL: func @attributes
// CHECK-SAME: step = #tssa.slice<0, ?, ?, 2>
func.func @attributes() attributes {step = #tssa.slice<0, ?, ?, 2>} {
  return
}
