// RUN: tssa-opt %s --te-evaluate=function=branch | FileCheck %s --check-prefix=BRANCH
// RUN: tssa-opt %s --te-evaluate=function=loop | FileCheck %s --check-prefix=LOOP
// RUN: tssa-opt %s --te-evaluate=function=doubling | FileCheck %s --check-prefix=DOUBLING
// RUN: tssa-opt %s --te-evaluate=function=call | FileCheck %s --check-prefix=CALL
// RUN: tssa-opt %s --te-evaluate=function=launch | FileCheck %s --check-prefix=LAUNCH
// RUN: tssa-opt %s --te-evaluate=function=update | FileCheck %s --check-prefix=UPDATE
// RUN: tssa-opt %s --te-evaluate=function=scan | FileCheck %s --check-prefix=SCAN
// RUN: tssa-opt %s --te-evaluate=function=tensors | FileCheck %s --check-prefix=TENSORS
// RUN: tssa-opt %s --te-evaluate=function=resource | FileCheck %s --check-prefix=RESOURCE

// BRANCH: result 0: 2xf32 [3, 4]
func.func @branch() -> tensor<2xf32> {
  %x = te.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = te.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %c = arith.constant false
  %z = scf.if %c -> tensor<2xf32> {
    scf.yield %x : tensor<2xf32>
  } else {
    scf.yield %y : tensor<2xf32>
  }
  return %z : tensor<2xf32>
}

// LOOP: result 0: 3xf32 [1, 3, 6]
func.func @loop() -> tensor<3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = te.constant dense<0.0> : tensor<3xf32>
  %sum = te.constant dense<0.0> : tensor<f32>
  %r, %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %zero, %t = %sum) -> (tensor<3xf32>, tensor<f32>) {
    %u = te.compute () {
      %a = te.read %t[] : tensor<f32>
      %k = arith.index_cast %i : index to i64
      %f = arith.sitofp %k : i64 to f32
      %one = arith.constant 1.0 : f32
      %b = arith.addf %a, %f : f32
      %e = arith.addf %b, %one : f32
      te.yield %e : f32
    } : tensor<f32>
    %next = te.update () into %acc[s0](%i) {
      %a = te.read %u[] : tensor<f32>
      te.yield %a : f32
    } : tensor<3xf32>
    scf.yield %next, %u : tensor<3xf32>, tensor<f32>
  }
  return %r : tensor<3xf32>
}

// A tensor whose size doubles in each iteration: 1 element, then 2, 4, 8.
// DOUBLING: result 0: 8xi64 [5, 5, 5, 5, 5, 5, 5, 5]
func.func @doubling() -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %one = te.constant dense<5> : tensor<1xi64>
  %start = tensor.cast %one : tensor<1xi64> to tensor<?xi64>
  %r = scf.while (%x = %start) : (tensor<?xi64>) -> tensor<?xi64> {
    %n = tensor.dim %x, %c0 : tensor<?xi64>
    %c = arith.cmpi slt, %n, %c8 : index
    scf.condition(%c) %x : tensor<?xi64>
  } do {
  ^bb0(%x: tensor<?xi64>):
    %n = tensor.dim %x, %c0 : tensor<?xi64>
    %n2 = arith.addi %n, %n : index
    %y = te.compute (d0: %n2) {
      %v = te.read %x[d0 mod s0](%n) : tensor<?xi64>
      te.yield %v : i64
    } : tensor<?xi64>
    scf.yield %y : tensor<?xi64>
  }
  return %r : tensor<?xi64>
}

// CALL: result 0: 2xf32 [3, 4]
func.func @call() -> tensor<2xf32> {
  %x = func.call @branch() : () -> tensor<2xf32>
  return %x : tensor<2xf32>
}

// LAUNCH: result 0: 2xf32 [2, 4]
func.func @launch() -> tensor<?xf32> {
  %x = te.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = tensor.cast %x : tensor<2xf32> to tensor<?xf32>
  %c2 = arith.constant 2 : index
  %f = arith.constant 2.0 : f32
  %z = te.launch @scale(%y, %c2, %f) sizes (%c2) : (tensor<?xf32>, index, f32) -> tensor<?xf32>
  return %z : tensor<?xf32>
}
te.kernel @scale(%x: tensor<?xf32> {te.sizes = array<i64: 1>}, %n: index, %f: f32) -> tensor<?xf32> {
  %y = te.compute @y (d0: %n) {
    %v = te.read %x[d0] : tensor<?xf32>
    %w = arith.mulf %v, %f : f32
    te.yield %w : f32
  } : tensor<?xf32>
  te.return %y : tensor<?xf32>
}

// Two points write row 1; the third point is outside of the set.
// UPDATE: result 0: 3x2xf32 {{\[}}[100, 100], [112, 114], [100, 100]]
// UPDATE: result 1: 3x2xf32 {{\[}}[100, 100], [7, 8], [100, 100]]
func.func @update() -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %base = te.constant dense<100.0> : tensor<3x2xf32>
  %src = te.constant dense<[[5.0, 6.0], [7.0, 8.0], [9.0, 9.0]]> : tensor<3x2xf32>
  %ids = te.constant dense<[1, 1, 2]> : tensor<3xi32>
  %r = te.update (d0: 3, d1: 2) into %base[s0, d1] where (1 - d0 >= 0) {
    %i = te.read %ids[d0] : tensor<3xi32>
    %k = arith.index_cast %i : i32 to index
    %v = te.read %src[d0, d1] : tensor<3x2xf32>
    te.yield %v, %k : f32, index
  } combine arith.addf : tensor<3x2xf32>
  %s = te.update (d0: 3, d1: 2) into %base[s0, d1] where (1 - d0 >= 0) {
    %i = te.read %ids[d0] : tensor<3xi32>
    %k = arith.index_cast %i : i32 to index
    %v = te.read %src[d0, d1] : tensor<3x2xf32>
    te.yield %v, %k : f32, index
  } : tensor<3x2xf32>
  return %r, %s : tensor<3x2xf32>, tensor<3x2xf32>
}

// SCAN: result 0: 2x3xi32 {{\[}}[1, 3, 6], [4, 9, 15]]
// SCAN: result 1: 2x3xi32 {{\[}}[0, 1, 3], [0, 4, 9]]
// SCAN: result 2: 2x3xi32 {{\[}}[5, 3, 0], [11, 6, 0]]
// SCAN: result 3: 2x3xi32 {{\[}}[1, 2, 3], [5, 7, 9]]
func.func @scan() -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>) {
  %x = te.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %a = te.scan %x axis 1 init 0 : i32 combine arith.addi : tensor<2x3xi32>
  %b = te.scan %x axis 1 init 0 : i32 exclusive combine arith.addi : tensor<2x3xi32>
  %c = te.scan %x axis 1 init 0 : i32 exclusive reverse combine arith.addi : tensor<2x3xi32>
  %d = te.scan %x axis 0 init 0 : i32 combine arith.addi : tensor<2x3xi32>
  return %a, %b, %c, %d : tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>
}

// TENSORS: result 0: 2xf64 [0.5, 3]
// TENSORS: result 1: 2xi1 [true, false]
func.func @tensors() -> (tensor<2xf64>, tensor<2xi1>) {
  %x = te.constant dense<[1.0, 3.0]> : tensor<2xf64>
  %c1 = arith.constant 1 : index
  %v = tensor.extract %x[%c1] : tensor<2xf64>
  %h = arith.constant 0.5 : f64
  %y = tensor.from_elements %h, %v : tensor<2xf64>
  %c = te.constant dense<[true, false]> : tensor<2xi1>
  %one = arith.constant true
  %b = arith.select %one, %c, %c : tensor<2xi1>
  return %y, %b : tensor<2xf64>, tensor<2xi1>
}

// RESOURCE: result 0: 3xf32 [1, 2, 3]
func.func @resource() -> tensor<3xf32> {
  %x = te.constant dense_resource<values> : tensor<3xf32>
  return %x : tensor<3xf32>
}
{-#
  dialect_resources: {
    builtin: {
      values: "0x040000000000803F0000004000004040"
    }
  }
#-}
