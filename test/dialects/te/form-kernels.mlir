// RUN: tssa-opt %s --te-form-kernels --split-input-file --mlir-print-debuginfo | FileCheck %s

// Parameters: tensors, then sizes and other indexes, then other scalars; each once.
// The constant goes into the kernel. The launch keeps the location.
// CHECK: #[[LOC:.+]] = loc("node")
// CHECK-LABEL: func.func @parameters
// CHECK-SAME: %[[X:[^:]+]]: tensor<?x4xf32> {{.*}}%[[Y:[^:]+]]: tensor<?x4xf32> {{.*}}%[[A:[^:]+]]: f32 {{.*}}%[[I:[^:]+]]: index
// CHECK: %[[N:.+]] = tensor.dim %[[X]]
// CHECK: %[[M:.+]] = tensor.dim %[[Y]]
// CHECK: te.launch @k0_map(%[[X]], %[[Y]], %[[N]], %[[I]], %[[M]], %[[A]]) sizes(%[[N]])
// CHECK-SAME: loc(#[[LOC]])
// CHECK: te.kernel @k0_map(%[[KX:[^:]+]]: tensor<?x4xf32> {te.sizes = array<i64: 2, -1>} {{.*}}, %[[KY:[^:]+]]: tensor<?x4xf32> {te.sizes = array<i64: 4, -1>} {{.*}}, %[[KN:[^:]+]]: index {{.*}}, %[[KI:[^:]+]]: index {{.*}}, %{{[^:]+}}: index {{.*}}, %[[KA:[^:]+]]: f32 {{.*}}) -> tensor<?x4xf32> {
// CHECK-NEXT: %[[C:.+]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: te.compute @map (d0: %[[KN]], d1: 4) {
// CHECK-NEXT: te.read %[[KX]][d0, d1]
// CHECK-NEXT: te.read %[[KY]][s0, d1](%[[KI]])
// CHECK: arith.mulf %{{.+}}, %[[C]]
// CHECK: arith.addf %{{.+}}, %[[KA]]
func.func @parameters(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %a: f32, %i: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %m = tensor.dim %y, %c0 : tensor<?x4xf32>
  %z = te.compute (d0: %n, d1: 4) {
    %0 = te.read %x[d0, d1] : tensor<?x4xf32>
    %1 = te.read %y[s0, d1](%i) : tensor<?x4xf32>
    %2 = arith.mulf %0, %two : f32
    %3 = arith.addf %1, %a : f32
    %4 = arith.addf %2, %3 : f32
    te.yield %4 : f32
  } : tensor<?x4xf32> loc("node")
  return %z : tensor<?x4xf32>
}

// -----

// Two arguments whose dims have the same name share one size parameter.
// CHECK-LABEL: func.func @same_name
// CHECK: %[[N:.+]] = tensor.dim
// CHECK-NOT: tensor.dim
// CHECK: te.launch @k0_map(%{{.+}}, %{{.+}}, %[[N]])
func.func @same_name(%x: tensor<?xf32> {te.port = #te.port<dims = ["N"]>}, %y: tensor<?xf32> {te.port = #te.port<dims = ["N"]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %z = te.compute (d0: %n) {
    %0 = te.read %x[d0] : tensor<?xf32>
    %1 = te.read %y[d0] : tensor<?xf32>
    %2 = arith.addf %0, %1 : f32
    te.yield %2 : f32
  } : tensor<?xf32>
  return %z : tensor<?xf32>
}

// -----

// Updates, scans, and expressions in the regions of the host program.
// CHECK-LABEL: func.func @others
// CHECK: scf.for
// CHECK: te.launch @k0_update
// CHECK: te.launch @k1_scan
// CHECK-LABEL: te.kernel @k0_update
// CHECK: te.update @update
// CHECK-LABEL: te.kernel @k1_scan
// CHECK: te.scan
func.func @others(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> tensor<8xf32> {
    %u = te.update () into %acc[s0](%i) {
      %c = arith.constant 1.0 : f32
      te.yield %c : f32
    } : tensor<8xf32>
    scf.yield %u : tensor<8xf32>
  }
  %s = te.scan %r axis 0 init 0.0 : f32 combine arith.addf : tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

// All results of an expression are results of its kernel, also one without uses.
// CHECK-LABEL: func.func @results
// CHECK: %[[R:.+]]:2 = te.launch @k0_map
// CHECK: return %[[R]]#1
func.func @results(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a, %b = te.compute (d0: 8) {
    %0 = te.read %x[d0] : tensor<8xf32>
    %1 = arith.negf %0 : f32
    te.yield %0, %1 : f32, f32
  } : tensor<8xf32>, tensor<8xf32>
  return %b : tensor<8xf32>
}

// -----

// The name of the new kernel is already taken.
// CHECK: te.launch @k0_copy_0
func.func private @k0_copy()
func.func @taken(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = te.compute (d0: 8) {
    %0 = te.read %x[d0] : tensor<8xf32>
    te.yield %0 : f32
  } : tensor<8xf32>
  return %a : tensor<8xf32>
}
