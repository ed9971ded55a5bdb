// RUN: tssa-opt %s --tssa-resolve-refs --tssa-functionalize --canonicalize --tssa-cse --tssa-lower-to-te --canonicalize --te-merge --te-form-kernels --te-plan-buffers | FileCheck %s

// In each iteration, row %i is added to a window of one of two storages. Each arm reads, adds and writes in one
// kernel, in place: the other storage stays as it is, and nothing is copied.

// CHECK-LABEL: func.func @main(
// CHECK: %[[A:.*]] = te.result 0()
// CHECK: %[[B:.*]] = te.result 1()
// CHECK: scf.for
// CHECK-NOT: memref.copy
// CHECK: scf.if
// CHECK-NEXT: te.launch @[[IN_A:.*]](%[[A]], %{{.*}}) outs(%[[A]] :
// CHECK-NEXT: } else {
// CHECK-NEXT: te.launch @[[IN_B:.*]](%[[B]], %{{.*}}) outs(%[[B]] :
// CHECK-NEXT: }
// CHECK-NOT: memref.copy
// CHECK: return
// CHECK: te.kernel @[[IN_A]]
// CHECK: te.update @update (d0: 16)
// CHECK: te.kernel @[[IN_B]]
// CHECK: te.update @update (d0: 16)
func.func @main(%x: tensor<1024xf32>, %y: tensor<1024xf32>, %rows: tensor<8x16xf32>, %n: index) -> (tensor<1024xf32>, tensor<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %x0 = te.compute (d0: 1024) {
    %v = te.read %x[d0] : tensor<1024xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<1024xf32>
  %y0 = te.compute (d0: 1024) {
    %v = te.read %y[d0] : tensor<1024xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<1024xf32>
  %a = tssa.alloc %x0 : !tssa.ref<1024xf32>
  %b = tssa.alloc %y0 : !tssa.ref<1024xf32>
  scf.for %i = %c0 to %n step %c1 {
    %e = tensor.extract %rows[%i, %c0] : tensor<8x16xf32>
    %c = arith.cmpf ogt, %e, %zero : f32
    %t = arith.select %c, %a, %b : !tssa.ref<1024xf32>
    %v = tssa.view %t [slice(0, 16, 16, 1)] : !tssa.ref<1024xf32> -> !tssa.ref<16xf32>
    %o = tssa.read %v : !tssa.ref<16xf32>
    %new = te.compute (d0: 16) {
      %p = te.read %o[d0] : tensor<16xf32>
      %q = te.read %rows[s0, d0](%i) : tensor<8x16xf32>
      %s = arith.addf %p, %q : f32
      te.yield %s : f32
    } : tensor<16xf32>
    tssa.write %new, %v : !tssa.ref<16xf32>
  }
  %ra = tssa.read %a : !tssa.ref<1024xf32>
  %rb = tssa.read %b : !tssa.ref<1024xf32>
  return %ra, %rb : tensor<1024xf32>, tensor<1024xf32>
}
