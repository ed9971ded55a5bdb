// RUN: not tssa-opt %s --te-evaluate=function=select 2>&1 | FileCheck %s --check-prefix=SELECT
// SELECT: index 5 is out of bounds for dim 0 of size 3
func.func @select(%a: tensor<?xf32>) -> tensor<f32> {
  %c5 = arith.constant 5 : index
  %x = tssa.access %a [select(0, ?)](%c5) : tensor<?xf32> -> tensor<f32>
  return %x : tensor<f32>
}
// RUN: not tssa-opt %s --te-evaluate=function=slice 2>&1 | FileCheck %s --check-prefix=SLICE
// SLICE: a slice of 2 elements from 2 by 1 is out of bounds for dim 0 of size 3
func.func @slice(%a: tensor<?xf32>) -> tensor<2xf32> {
  %x = tssa.access %a [slice(0, 2, 2, 1)] : tensor<?xf32> -> tensor<2xf32>
  return %x : tensor<2xf32>
}
// RUN: not tssa-opt %s --te-evaluate=function=reshape 2>&1 | FileCheck %s --check-prefix=RESHAPE
// RESHAPE: reshape of 3 elements to a shape with another number of elements
func.func @reshape(%a: tensor<?xf32>) -> tensor<2xf32> {
  %x = tssa.access %a [reshape(2)] : tensor<?xf32> -> tensor<2xf32>
  return %x : tensor<2xf32>
}
// RUN: not tssa-opt %s --te-evaluate=function=squeeze 2>&1 | FileCheck %s --check-prefix=SQUEEZE
// SQUEEZE: expected size 1, got 3
func.func @squeeze(%a: tensor<?xf32>) -> tensor<f32> {
  %x = tssa.access %a [squeeze(0)] : tensor<?xf32> -> tensor<f32>
  return %x : tensor<f32>
}
// RUN: not tssa-opt %s --te-evaluate=function=window 2>&1 | FileCheck %s --check-prefix=WINDOW
// WINDOW: expected a value for a view of shape [2], got 3xf32
func.func @window(%a: !tssa.ref<?xf32>, %v: tensor<?xf32>) -> tensor<?xf32> {
  %c2 = arith.constant 2 : index
  %w = tssa.view %a [slice(0, 0, ?, 1)](%c2) : !tssa.ref<?xf32> -> !tssa.ref<?xf32>
  tssa.write %v, %w : !tssa.ref<?xf32>
  return %v : tensor<?xf32>
}
