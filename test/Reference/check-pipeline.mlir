// RUN: tssa-opt %s --te-check-pipeline="passes=te-stage sizes=N=5 seed=3" | FileCheck %s
// RUN: not tssa-opt %s --te-check-pipeline="function=other passes=te-nothing" 2>&1 | FileCheck %s --check-prefix=PIPELINE

// PIPELINE: 'te-nothing' does not refer to a registered pass

// CHECK: te.launch
func.func @main(%x: tensor<?x4xf32> {te.port = #te.port<dims = ["N", 4]>}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %s = te.compute (d0: %n) reduce (d1: 4) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<?x4xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<?xf32>
  return %s : tensor<?xf32>
}
