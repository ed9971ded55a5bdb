// RUN: tssa-opt %s -te-stage | FileCheck %s
// RUN: tssa-opt %s -te-evaluate=function=main | FileCheck %s --check-prefix=VALUES

// Equal nodes keep keys of their own, and one kernel serves both: the key is an operand. A key that nobody reads stays,
// and so does the key of each iteration.
// CHECK-LABEL: func.func @main(
// CHECK: %[[A:.+]] = te.random_key 1 seed 5
// CHECK: te.launch @[[K:.+]](%[[A]]) : (i64) -> tensor<2xi64>
// CHECK: %[[B:.+]] = te.random_key 1 seed 5
// CHECK: te.launch @[[K]](%[[B]]) : (i64) -> tensor<2xi64>
// CHECK: te.random_key 2
// CHECK: scf.for
// CHECK: te.random_key 3
// CHECK: te.kernel @[[K]](%{{.+}}: i64) -> tensor<2xi64>

// The second execution of a node draws on, and other nodes do not matter to a node with a seed.
// VALUES: result 0: 2xi64 [[[FIRST:.+]]]
// VALUES-NOT: result 1: 2xi64 [[[FIRST]]]
// VALUES: result 1: 2xi64
func.func @main() -> (tensor<2xi64>, tensor<2xi64>, tensor<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %k = te.random_key 1 seed 5
  %a = te.compute (d0: 2) {
    %i = te.index d0
    %j = arith.index_cast %i : index to i64
    %v = arith.addi %k, %j : i64
    te.yield %v : i64
  } : tensor<2xi64>
  %l = te.random_key 1 seed 5
  %b = te.compute (d0: 2) {
    %i = te.index d0
    %j = arith.index_cast %i : index to i64
    %v = arith.addi %l, %j : i64
    te.yield %v : i64
  } : tensor<2xi64>
  %unused = te.random_key 2
  %zero = te.constant dense<0> : tensor<i64>
  %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %zero) -> (tensor<i64>) {
    %m = te.random_key 3
    %next = te.compute () {
      %old = te.read %acc[] : tensor<i64>
      %v = arith.xori %old, %m : i64
      te.yield %v : i64
    } : tensor<i64>
    scf.yield %next : tensor<i64>
  }
  return %a, %b, %sum : tensor<2xi64>, tensor<2xi64>, tensor<i64>
}
