// Fig. 2 of the paper, pass by pass:
//   if idx >= 0: a += 1; b[0] = a[0]
//   else:        a -= 1; b[1] = a[1]
// RUN: tssa-opt %s --tssa-rewrite-mutation | FileCheck %s --check-prefix=REWRITE
// RUN: tssa-opt %s --tssa-rewrite-mutation --tssa-propagate-blocks | FileCheck %s --check-prefix=PROPAGATE
// RUN: tssa-opt %s --tssa-rewrite-mutation --tssa-propagate-blocks --tssa-rename --tssa-erase-versions | FileCheck %s --check-prefix=ERASE
// RUN: tssa-opt %s --tssa-print-alias -o /dev/null | FileCheck %s --check-prefix=ALIAS
// RUN: tssa-opt %s --tssa-rewrite-mutation --tssa-propagate-blocks --tssa-rename --tssa-erase-versions --canonicalize > %t.paper
// RUN: tssa-opt %s --tssa-functionalize --canonicalize > %t.versions
// RUN: diff %t.paper %t.versions
// RUN: tssa-opt %s --te-check-pipeline="passes=tssa-stage" -o /dev/null

// ALIAS: function @main
// ALIAS-NEXT: storage %arg0 : !tssa.ref<4xf32>
// ALIAS-NEXT:   write %arg0 []
// ALIAS-NEXT:   view %{{.*}} [select(0, 0)]
// ALIAS-NEXT:   write %arg0 []
// ALIAS-NEXT:   view %{{.*}} [select(0, 1)]
// ALIAS-NEXT: storage %arg1 : !tssa.ref<4xf32>
// ALIAS-NEXT:   view %[[B0:.*]] [select(0, 0)]
// ALIAS-NEXT:   write %[[B0]] [select(0, 0)]
// ALIAS-NEXT:   view %[[B1:.*]] [select(0, 1)]
// ALIAS-NEXT:   write %[[B1]] [select(0, 1)]

// REWRITE: %[[A:.*]] = tssa.access %arg0 []
// REWRITE: %[[B:.*]] = tssa.access %arg1 []
// REWRITE: scf.if
// REWRITE:   %[[A1:.*]] = te.compute
// REWRITE:   tssa.version %[[A1]], %[[A]]
// REWRITE:   %[[B1:.*]] = tssa.assign %{{.*}} into %[[B]] [select(0, 0)]
// REWRITE:   tssa.version %[[B1]], %[[B]]
// REWRITE: } else {
// REWRITE:   %[[A2:.*]] = te.compute
// REWRITE:   tssa.version %[[A2]], %[[A]]
// REWRITE:   %[[B2:.*]] = tssa.assign %{{.*}} into %[[B]] [select(0, 1)]
// REWRITE:   tssa.version %[[B2]], %[[B]]

// Both branches yield both under their old names.
// PROPAGATE: %[[A:.*]] = tssa.access %arg0 []
// PROPAGATE: %[[B:.*]] = tssa.access %arg1 []
// PROPAGATE: %[[R:.*]]:2 = scf.if
// PROPAGATE:   scf.yield %[[A]], %[[B]]
// PROPAGATE: } else {
// PROPAGATE:   scf.yield %[[A]], %[[B]]
// PROPAGATE: tssa.version %[[R]]#0, %[[A]]
// PROPAGATE: tssa.version %[[R]]#1, %[[B]]

// ERASE: %[[R:.*]]:2 = scf.if
// ERASE:   %[[A1:.*]] = te.compute
// ERASE:   %[[B1:.*]] = tssa.assign
// ERASE:   scf.yield %[[A1]], %[[B1]]
// ERASE: } else {
// ERASE:   %[[A2:.*]] = te.compute
// ERASE:   %[[B2:.*]] = tssa.assign
// ERASE:   scf.yield %[[A2]], %[[B2]]
// ERASE: return %[[R]]#0, %[[R]]#1
func.func @main(%a: !tssa.ref<4xf32>, %b: !tssa.ref<4xf32>, %c: tensor<i64>) {
  %zero = arith.constant 0 : i64
  %idx = tensor.extract %c[] : tensor<i64>
  %cond = arith.cmpi sge, %idx, %zero : i64
  scf.if %cond {
    %x = tssa.read %a : !tssa.ref<4xf32>
    %y = te.compute (d0: 4) {
      %e = te.read %x[d0] : tensor<4xf32>
      %one = arith.constant 1.0 : f32
      %f = arith.addf %e, %one : f32
      te.yield %f : f32
    } : tensor<4xf32>
    tssa.write %y, %a : !tssa.ref<4xf32>
    %b0 = tssa.view %b [select(0, 0)] : !tssa.ref<4xf32> -> !tssa.ref<f32>
    %a0 = tssa.view %a [select(0, 0)] : !tssa.ref<4xf32> -> !tssa.ref<f32>
    %v = tssa.read %a0 : !tssa.ref<f32>
    tssa.write %v, %b0 : !tssa.ref<f32>
  } else {
    %x = tssa.read %a : !tssa.ref<4xf32>
    %y = te.compute (d0: 4) {
      %e = te.read %x[d0] : tensor<4xf32>
      %one = arith.constant 1.0 : f32
      %f = arith.subf %e, %one : f32
      te.yield %f : f32
    } : tensor<4xf32>
    tssa.write %y, %a : !tssa.ref<4xf32>
    %b1 = tssa.view %b [select(0, 1)] : !tssa.ref<4xf32> -> !tssa.ref<f32>
    %a1 = tssa.view %a [select(0, 1)] : !tssa.ref<4xf32> -> !tssa.ref<f32>
    %v = tssa.read %a1 : !tssa.ref<f32>
    tssa.write %v, %b1 : !tssa.ref<f32>
  }
  return
}
