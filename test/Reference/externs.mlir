// RUN: tssa-opt %s --te-evaluate | FileCheck %s

// CHECK: result 0: 2x2xf32 {{\[}}[9, 5], [7, 7]]
// CHECK: result 1: 2x2xi64 {{\[}}[1, 0], [0, 2]]
// CHECK: result 2: 2x3xi64 {{\[}}[0, 0, 1], [0, 2, 1]]
// CHECK: result 3: 2xf32 [9, 7]
// CHECK: result 4: 3xi64 [1, 2, 5]
// CHECK: result 5: 3xi64 [3, 1, 0]
// CHECK: result 6: 4xi64 [2, 1, 1, 0]
// CHECK: result 7: 3xi64 [1, 2, 1]
func.func @main() -> (tensor<2x?xf32>, tensor<2x?xi64>, tensor<2x?xi64>, tensor<?xf32>, tensor<?xi64>, tensor<?xi64>, tensor<4xi64>, tensor<?xi64>) {
  %x = te.constant dense<[[5.0, 9.0, 1.0], [7.0, 2.0, 7.0]]> : tensor<2x3xf32>
  %two = te.constant dense<[2]> : tensor<1xi64>
  %c2 = arith.constant 2 : index
  %v, %i = te.extern @topk(%x, %two) sizes (%c2) [0, 0] {axis = 1 : i64} : (tensor<2x3xf32>, tensor<1xi64>) -> (tensor<2x?xf32>, tensor<2x?xi64>)
  %n = te.constant dense<[[4, 0, 3], [0, -1, 0]]> : tensor<2x3xi32>
  %z = te.extern @nonzero(%n) sizes () [-1] : (tensor<2x3xi32>) -> tensor<2x?xi64>
  %m = te.constant dense<[false, true, false, true]> : tensor<4xi1>
  %c = te.extern @compress(%x, %m) sizes () [-1] : (tensor<2x3xf32>, tensor<4xi1>) -> tensor<?xf32>
  %k = te.constant dense<[5, 2, 2, 1]> : tensor<4xi64>
  %u:4 = te.extern @unique(%k) sizes () [-1, -1, -1] : (tensor<4xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<4xi64>, tensor<?xi64>)
  return %v, %i, %z, %c, %u#0, %u#1, %u#2, %u#3 : tensor<2x?xf32>, tensor<2x?xi64>, tensor<2x?xi64>, tensor<?xf32>, tensor<?xi64>, tensor<?xi64>, tensor<4xi64>, tensor<?xi64>
}
