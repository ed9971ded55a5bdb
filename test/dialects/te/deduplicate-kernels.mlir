// RUN: tssa-opt %s --te-deduplicate-kernels --split-input-file --mlir-print-debuginfo | FileCheck %s
// RUN: tssa-opt %s --te-deduplicate-kernels --split-input-file --remarks-filter=te-deduplicate-kernels --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] equal | {{.*}} | EqualTo=k3_a, Kernel=k4_b
// REMARK: [Passed] kernels | {{.*}} | Kernels=2, Removed=1

// Names and locations are not compared; the launches keep their locations.
// CHECK: te.launch @k0_a(%{{.+}}) {{.*}}loc(#[[FIRST:.+]])
// CHECK: te.launch @k0_a(%{{.+}}) {{.*}}loc(#[[SECOND:.+]])
// CHECK: te.launch @k1_c(
// CHECK: te.kernel @k0_a
// CHECK-NOT: te.kernel @{{.*}}b
// CHECK: te.kernel @k1_c
// CHECK-DAG: #[[FIRST]] = loc("first")
// CHECK-DAG: #[[SECOND]] = loc("second")
func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %a = te.launch @k3_a(%x) : (tensor<8xf32>) -> tensor<8xf32> loc("first")
  %b = te.launch @k4_b(%x) : (tensor<8xf32>) -> tensor<8xf32> loc("second")
  %c = te.launch @k9_c(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %a, %b, %c : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
te.kernel @k3_a(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = te.compute @m (d0: 8) {
    %v = te.read %x[d0] : tensor<8xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<8xf32> loc("here")
  te.return %y : tensor<8xf32>
}
te.kernel @k4_b(%p: tensor<8xf32>) -> tensor<8xf32> {
  %q = te.compute @m (d0: 8) {
    %r = te.read %p[d0] : tensor<8xf32>
    %s = math.exp %r : f32
    te.yield %s : f32
  } : tensor<8xf32> loc("there")
  te.return %q : tensor<8xf32>
}
te.kernel @k9_c(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = te.compute @m (d0: 8) {
    %v = te.read %x[7 - d0] : tensor<8xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<8xf32>
  te.return %y : tensor<8xf32>
}

// -----

// Kernels that read another parameter, or have another parameter as a size, are not equal.
// CHECK-COUNT-4: te.kernel
te.kernel @k0(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
}
te.kernel @k1(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  te.return %y : tensor<8xf32>
}
te.kernel @k2(%x: tensor<?xf32> {te.sizes = array<i64: 1>}, %n: index, %m: index) {
  te.return
}
te.kernel @k3(%x: tensor<?xf32> {te.sizes = array<i64: 2>}, %n: index, %m: index) {
  te.return
}

// -----

// Kernels with different schedules are not equal.
// CHECK-COUNT-2: te.kernel
te.kernel @k0(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
}
te.kernel @k1(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  %c = arith.constant 1 : index
}
