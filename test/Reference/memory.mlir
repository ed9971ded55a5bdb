// RUN: tssa-opt %s --te-evaluate=function=in_place | FileCheck %s --check-prefix=PLACE
// RUN: not tssa-opt %s --te-evaluate=function=too_early 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not tssa-opt %s --te-evaluate=function=beyond 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: not tssa-opt %s --te-evaluate=function=released 2>&1 | FileCheck %s --check-prefix=RELEASED
// RUN: tssa-opt %s --te-evaluate=function=unwritten | FileCheck %s --check-prefix=UNWRITTEN
// RUN: tssa-opt %s --te-evaluate=function=side_by_side | FileCheck %s --check-prefix=SIDE
// RUN: not tssa-opt %s --te-evaluate=function=across 2>&1 | FileCheck %s --check-prefix=ACROSS

module attributes {te.weights = [#te.weight<offset = 64, value = dense<[5.0, 6.0]> : tensor<2xf32>>]} {
  func.func @plan() -> index {
    %c = arith.constant 64 : index
    return %c : index
  }

  // PLACE: result 0: 2xf32 [10, 12]
  func.func @in_place(%w: memref<?xi8> {te.weights}, %a: memref<?xi8> {te.arena}) -> memref<2xf32> {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %x = memref.view %w[%c64][] : memref<?xi8> to memref<2xf32>
    %y = memref.view %a[%c0][] : memref<?xi8> to memref<2xf32>
    memref.copy %x, %y : memref<2xf32> to memref<2xf32>
    te.launch @double(%y) outs(%y : memref<2xf32>) : (memref<2xf32>) -> ()
    return %y : memref<2xf32>
  }

  // EARLY: kernel 'reverse' writes result 0 over parameter 0, which it still reads
  func.func @too_early(%a: memref<?xi8> {te.arena}) -> memref<2xf32> {
    %c0 = arith.constant 0 : index
    %y = memref.view %a[%c0][] : memref<?xi8> to memref<2xf32>
    te.launch @reverse(%y) outs(%y : memref<2xf32>) : (memref<2xf32>) -> ()
    return %y : memref<2xf32>
  }

  // BEYOND: a view of 8 bytes at 60 leaves its base of 64
  func.func @beyond(%a: memref<?xi8> {te.arena}) -> memref<2xf32> {
    %c60 = arith.constant 60 : index
    %y = memref.view %a[%c60][] : memref<?xi8> to memref<2xf32>
    return %y : memref<2xf32>
  }

  // RELEASED: memory is used after its release
  func.func @released(%a: memref<?xi8> {te.arena}) -> memref<2xf32> {
    %y = memref.alloc() : memref<2xf32>
    memref.dealloc %y : memref<2xf32>
    return %y : memref<2xf32>
  }

  // UNWRITTEN: result 0: 2xf32 [{{-?}}nan, {{-?}}nan]
  func.func @unwritten(%a: memref<?xi8> {te.arena}) -> memref<2xf32> {
    %y = memref.alloc() : memref<2xf32>
    return %y : memref<2xf32>
  }

  // A kernel reads one window of a tensor and writes another one.
  // SIDE: result 0: 2x4xf32
  // SIDE-SAME: 5, 6, 10, 12], [
  // SIDE-SAME: 5, 6, 10, 12]
  func.func @side_by_side(%w: memref<?xi8> {te.weights}) -> memref<2x4xf32> {
    %c64 = arith.constant 64 : index
    %x = memref.view %w[%c64][] : memref<?xi8> to memref<2xf32>
    %y = memref.alloc() : memref<2x4xf32>
    te.launch @left(%x) outs(%y : memref<2x4xf32>) : (memref<2xf32>) -> ()
    te.launch @right(%y) outs(%y : memref<2x4xf32>) : (memref<2x4xf32>) -> ()
    return %y : memref<2x4xf32>
  }

  // ACROSS: kernel 'middle' writes result 0 over parameter 0, which it still reads
  func.func @across(%w: memref<?xi8> {te.weights}) -> memref<2x4xf32> {
    %c64 = arith.constant 64 : index
    %x = memref.view %w[%c64][] : memref<?xi8> to memref<2xf32>
    %y = memref.alloc() : memref<2x4xf32>
    te.launch @left(%x) outs(%y : memref<2x4xf32>) : (memref<2xf32>) -> ()
    te.launch @middle(%y) outs(%y : memref<2x4xf32>) : (memref<2x4xf32>) -> ()
    return %y : memref<2x4xf32>
  }

  te.kernel @left(%x: tensor<2xf32>) -> (tensor<2x2xf32> {te.window = #te.window<sizes = [-1, 4], at = [0, 0]>}) {
    %y = te.compute @y (d0: 2, d1: 2) {
      %v = te.read %x[d1] : tensor<2xf32>
      te.yield %v : f32
    } : tensor<2x2xf32>
    te.return %y : tensor<2x2xf32>
  }
  te.kernel @right(%x: tensor<2x2xf32> {te.window = #te.window<sizes = [-1, 4], at = [0, 0]>})
      -> (tensor<2x2xf32> {te.window = #te.window<sizes = [-1, 4], at = [0, 2]>}) {
    %y = te.compute @y (d0: 2, d1: 2) {
      %v = te.read %x[d0, d1] : tensor<2x2xf32>
      %w = arith.addf %v, %v : f32
      te.yield %w : f32
    } : tensor<2x2xf32>
    te.return %y : tensor<2x2xf32>
  }
  te.kernel @middle(%x: tensor<2x2xf32> {te.window = #te.window<sizes = [-1, 4], at = [0, 0]>})
      -> (tensor<2x2xf32> {te.window = #te.window<sizes = [-1, 4], at = [0, 1]>}) {
    %y = te.compute @y (d0: 2, d1: 2) {
      %v = te.read %x[d0, d1] : tensor<2x2xf32>
      te.yield %v : f32
    } : tensor<2x2xf32>
    te.return %y : tensor<2x2xf32>
  }
  te.kernel @double(%x: tensor<2xf32>) -> tensor<2xf32> {
    %y = te.compute @y (d0: 2) {
      %v = te.read %x[d0] : tensor<2xf32>
      %w = arith.addf %v, %v : f32
      te.yield %w : f32
    } : tensor<2xf32>
    te.return %y : tensor<2xf32>
  }
  te.kernel @reverse(%x: tensor<2xf32>) -> tensor<2xf32> {
    %y = te.compute @y (d0: 2) {
      %v = te.read %x[1 - d0] : tensor<2xf32>
      te.yield %v : f32
    } : tensor<2xf32>
    te.return %y : tensor<2xf32>
  }
}
