// RUN: tssa-opt %s --te-check-bounds --remarks-filter=te-check-bounds --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

// For each index that the run checks, the fact that is missing; nothing for an index that is proven.

// CHECK-NOT: dim 1
// CHECK: [Missed] index | {{.*}} | Reason="it is not known that d0 - s0 + 1 < 0, where s0 is the size of dim 0 of argument 0", Remark="the run checks whether it reads dim 0 beyond its size"
// CHECK: [Missed] index | {{.*}} | Reason="it is not known that -d0 - s0 - 1 < 0, where s0 is argument 1", Remark="the run checks whether it reads dim 0 below 0"
// CHECK: [Missed] index | {{.*}} | Reason="it is not known that d0 + s0 - 6 < 0, where s0 is argument 1", Remark="the run checks whether it reads dim 0 beyond its size"
// CHECK: [Missed] index | {{.*}} | Reason="it is not known that a value holds the size of the dim", Remark="the run checks whether it reads dim 0 out of bounds"
func.func @f(%x: tensor<?x4xf32>, %k: index, %w: tensor<6xf32>, %z: tensor<?xf32>) -> tensor<3x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %y = te.compute (d0: 3, d1: 4) {
    %v = te.read %x[d0 + 1, d1] : tensor<?x4xf32>
    %u = te.read %w[d0 + s0](%k) : tensor<6xf32>
    %t = te.read %z[d0] : tensor<?xf32>
    %p = arith.mulf %v, %u : f32
    %q = arith.mulf %p, %t : f32
    te.yield %q : f32
  } : tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
