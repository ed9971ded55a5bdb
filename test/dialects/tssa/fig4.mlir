// Fig. 4 of the paper, pass by pass: b = b.clone(); for i in range(n): b[i] = b[i] + 1
// RUN: tssa-opt %s --tssa-rewrite-mutation | FileCheck %s --check-prefix=REWRITE
// RUN: tssa-opt %s --tssa-rewrite-mutation --tssa-propagate-blocks | FileCheck %s --check-prefix=PROPAGATE
// RUN: tssa-opt %s --tssa-rewrite-mutation --tssa-propagate-blocks --tssa-rename | FileCheck %s --check-prefix=RENAME
// RUN: tssa-opt %s --tssa-rewrite-mutation --tssa-propagate-blocks --tssa-rename --tssa-erase-versions | FileCheck %s --check-prefix=ERASE
// The passes of the paper and tssa-functionalize give the same program.
// RUN: tssa-opt %s --tssa-rewrite-mutation --tssa-propagate-blocks --tssa-rename --tssa-erase-versions --canonicalize --cse > %t.paper
// RUN: tssa-opt %s --tssa-functionalize --canonicalize --cse > %t.versions
// RUN: diff %t.paper %t.versions
// RUN: tssa-opt %s --te-check-pipeline="passes=func.func(tssa-rewrite-mutation,tssa-propagate-blocks,tssa-rename,tssa-erase-versions)" -o /dev/null
// RUN: tssa-opt %s --te-check-pipeline="passes=tssa-stage default-size=0" -o /dev/null
// The loop is one kernel, for the CPU and for devices.
// RUN: tssa-compile %s --compile-to=te | FileCheck %s --check-prefix=KERNEL
// RUN: tssa-compile %s --target=cuda-emu --compile-to=te | FileCheck %s --check-prefix=KERNEL

// REWRITE: %[[B:.*]] = tssa.access %arg0 []
// REWRITE: scf.for
// REWRITE:   %[[V:.*]] = tssa.access %[[B]] [select(0, ?)]
// REWRITE:   %[[X:.*]] = tssa.access %[[V]] []
// REWRITE:   te.read %[[X]]
// REWRITE:   %[[W:.*]] = tssa.access %[[B]] [select(0, ?)]
// REWRITE:   %[[N:.*]] = tssa.assign %{{.*}} into %[[B]] [select(0, ?)]
// REWRITE-NEXT: tssa.version %[[N]], %[[B]]
// REWRITE-NEXT: %[[V2:.*]] = tssa.access %[[N]] [select(0, ?)]
// REWRITE-NEXT: tssa.version %[[V2]], %[[V]]
// REWRITE-NEXT: %[[W2:.*]] = tssa.access %[[N]] [select(0, ?)]
// REWRITE-NEXT: tssa.version %[[W2]], %[[W]]
// REWRITE-NOT: tssa.version

// PROPAGATE: %[[B:.*]] = tssa.access %arg0 []
// PROPAGATE: %[[R:.*]] = scf.for {{.*}} iter_args(%[[P:.*]] = %[[B]])
// PROPAGATE-NEXT: tssa.version %[[P]], %[[B]]
// PROPAGATE: %[[N:.*]] = tssa.assign
// PROPAGATE: tssa.version %[[N]], %[[B]]
// PROPAGATE: scf.yield %[[B]]
// PROPAGATE: tssa.version %[[R]], %[[B]]

// RENAME: %[[R:.*]] = scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}})
// RENAME: tssa.access %[[P]] [select(0, ?)]
// RENAME: %[[N:.*]] = tssa.assign %{{.*}} into %[[P]]
// RENAME: tssa.version %[[N]], %[[P]]
// RENAME: scf.yield %[[N]]
// RENAME: tssa.access %[[R]] []

// ERASE-NOT: tssa.version
// ERASE: %[[R:.*]] = scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}})
// ERASE: tssa.access %[[P]] [select(0, ?)]
// ERASE: %[[N:.*]] = tssa.assign %{{.*}} into %[[P]]
// ERASE-NEXT: scf.yield %[[N]]

// KERNEL-NOT: scf.for
// KERNEL: te.launch
// KERNEL-NOT: te.launch
// KERNEL: te.kernel
// KERNEL: te.update @update (d0: %arg1, d1: 4) into %arg0[d0, d1]
// KERNEL-NOT: te.kernel
func.func @main(%b: tensor<?x4xf32> {te.port = #te.port<name = "b", dims = ["N", 4]>}) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %b, %c0 : tensor<?x4xf32>
  %s = tssa.alloc %b : !tssa.ref<?x4xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = tssa.view %s [select(0, ?)](%i) : !tssa.ref<?x4xf32> -> !tssa.ref<4xf32>
    %x = tssa.read %v : !tssa.ref<4xf32>
    %y = te.compute (d0: 4) {
      %e = te.read %x[d0] : tensor<4xf32>
      %one = arith.constant 1.0 : f32
      %f = arith.addf %e, %one : f32
      te.yield %f : f32
    } : tensor<4xf32>
    %w = tssa.view %s [select(0, ?)](%i) : !tssa.ref<?x4xf32> -> !tssa.ref<4xf32>
    tssa.write %y, %w : !tssa.ref<4xf32>
  }
  %r = tssa.read %s : !tssa.ref<?x4xf32>
  return %r : tensor<?x4xf32>
}
