// RUN: tssa-opt %s --te-generalize-kernels --split-input-file | FileCheck %s
// RUN: tssa-opt %s --te-generalize-kernels --split-input-file --remarks-filter=te-generalize-kernels --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] generalized | {{.*}} | Kernels=3, Parameters=1
// REMARK: [Missed] generalized | {{.*}} | Kernels=2, Reason="fewer than 3 kernels differ only in these indexes"

// Row 0, 1, 2 of a tensor: the row is a parameter, after the sizes and before the
// scalar. Column 5 is the same everywhere and stays.
// CHECK-LABEL: func.func @rows
// CHECK: %[[R0:.+]] = arith.constant 0 : index
// CHECK: te.launch @k0(%{{.+}}, %{{.+}}, %[[R0]], %{{.+}}) : (tensor<?x8xf32>, index, index, f32)
// CHECK: %[[R1:.+]] = arith.constant 1 : index
// CHECK: te.launch @k0(%{{.+}}, %{{.+}}, %[[R1]], %{{.+}})
// CHECK: %[[R2:.+]] = arith.constant 2 : index
// CHECK: te.launch @k0(%{{.+}}, %{{.+}}, %[[R2]], %{{.+}})
// CHECK: te.kernel @k0(%[[X:[^:]+]]: tensor<?x8xf32> {te.sizes = array<i64: 1, -1>}, %{{[^:]+}}: index, %[[ROW:[^:]+]]: index, %{{[^:]+}}: f32)
// CHECK: te.read %[[X]][s0, 5](%[[ROW]]) : tensor<?x8xf32>
// CHECK-NOT: te.kernel
func.func @rows(%x: tensor<?x8xf32>, %n: index, %f: f32) {
  %a = te.launch @k0(%x, %n, %f) : (tensor<?x8xf32>, index, f32) -> tensor<f32>
  %b = te.launch @k1(%x, %n, %f) : (tensor<?x8xf32>, index, f32) -> tensor<f32>
  %c = te.launch @k2(%x, %n, %f) : (tensor<?x8xf32>, index, f32) -> tensor<f32>
  return
}
te.kernel @k0(%x: tensor<?x8xf32> {te.sizes = array<i64: 1, -1>}, %n: index, %f: f32) -> tensor<f32> {
  %y = te.compute () {
    %v = te.read %x[0, 5] : tensor<?x8xf32>
    %w = arith.addf %v, %f : f32
    te.yield %w : f32
  } : tensor<f32>
  te.return %y : tensor<f32>
}
te.kernel @k1(%x: tensor<?x8xf32> {te.sizes = array<i64: 1, -1>}, %n: index, %f: f32) -> tensor<f32> {
  %y = te.compute () {
    %v = te.read %x[1, 5] : tensor<?x8xf32>
    %w = arith.addf %v, %f : f32
    te.yield %w : f32
  } : tensor<f32>
  te.return %y : tensor<f32>
}
te.kernel @k2(%x: tensor<?x8xf32> {te.sizes = array<i64: 1, -1>}, %n: index, %f: f32) -> tensor<f32> {
  %y = te.compute () {
    %v = te.read %x[2, 5] : tensor<?x8xf32>
    %w = arith.addf %v, %f : f32
    te.yield %w : f32
  } : tensor<f32>
  te.return %y : tensor<f32>
}

// -----

// Not merged: a family of two kernels, and a kernel with another body.
// CHECK-LABEL: func.func @few
// CHECK: te.launch @k0(
// CHECK: te.launch @k1(
// CHECK: te.launch @k2(
func.func @few(%x: tensor<8xf32>) {
  %a = te.launch @k0(%x) : (tensor<8xf32>) -> tensor<f32>
  %b = te.launch @k1(%x) : (tensor<8xf32>) -> tensor<f32>
  %c = te.launch @k2(%x) : (tensor<8xf32>) -> tensor<f32>
  return
}
te.kernel @k0(%x: tensor<8xf32>) -> tensor<f32> {
  %y = te.compute () {
    %v = te.read %x[0] : tensor<8xf32>
    te.yield %v : f32
  } : tensor<f32>
  te.return %y : tensor<f32>
}
te.kernel @k1(%x: tensor<8xf32>) -> tensor<f32> {
  %y = te.compute () {
    %v = te.read %x[1] : tensor<8xf32>
    te.yield %v : f32
  } : tensor<f32>
  te.return %y : tensor<f32>
}
te.kernel @k2(%x: tensor<8xf32>) -> tensor<f32> {
  %y = te.compute () {
    %v = te.read %x[1] : tensor<8xf32>
    %w = arith.negf %v : f32
    te.yield %w : f32
  } : tensor<f32>
  te.return %y : tensor<f32>
}
