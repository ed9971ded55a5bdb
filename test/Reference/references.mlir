// RUN: tssa-opt %s --te-evaluate="default-size=3" -o /dev/null | FileCheck %s
// A write is visible through each view of the storage. The final contents of written arguments
// follow the results.

// CHECK: result 0: 2x3xf32 {{\[\[}}0, 7, 0], [0, 7, 0]]
// CHECK-NEXT: result 1: 3xf32 [0, 0, 0]
// CHECK-NEXT: result 2: 2xf32 [7, 7]
// CHECK-NEXT: result 3: 3x2xf32 {{\[\[}}0, 0], [7, 7], [0, 0]]
func.func @main(%a: !tssa.ref<3x2xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>) {
  %c1 = arith.constant 1 : index
  %zeros = te.constant dense<0.0> : tensor<3x2xf32>
  %sevens = te.constant dense<7.0> : tensor<1x2xf32>
  tssa.write %zeros, %a : !tssa.ref<3x2xf32>
  %t = tssa.view %a [permute(1, 0)] : !tssa.ref<3x2xf32> -> !tssa.ref<2x3xf32>
  %row = tssa.view %t [select(0, 0)] : !tssa.ref<2x3xf32> -> !tssa.ref<3xf32>
  %before = tssa.read %row : !tssa.ref<3xf32>
  %w = tssa.view %a [slice(0, ?, 1, 1)](%c1) : !tssa.ref<3x2xf32> -> !tssa.ref<1x2xf32>
  tssa.write %sevens, %w : !tssa.ref<1x2xf32>
  %flat = tssa.view %a [reshape(6), slice(0, 2, 2, 1), unsqueeze(0), squeeze(0)] : !tssa.ref<3x2xf32> -> !tssa.ref<2xf32>
  %x = tssa.read %t : !tssa.ref<2x3xf32>
  %y = tssa.read %flat : !tssa.ref<2xf32>
  return %x, %before, %y : tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>
}
