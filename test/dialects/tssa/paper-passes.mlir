// RUN: tssa-opt %s --allow-unregistered-dialect --tssa-propagate-blocks --split-input-file | FileCheck %s --check-prefix=PROPAGATE
// RUN: tssa-opt %s --allow-unregistered-dialect --tssa-rename --split-input-file | FileCheck %s --check-prefix=RENAME
// RUN: tssa-opt %s --allow-unregistered-dialect --tssa-erase-versions --split-input-file | FileCheck %s --check-prefix=ERASE

// An update of a value that the block itself defines is not propagated out of it.
// PROPAGATE-LABEL: func @local
// PROPAGATE: scf.for
// PROPAGATE-NOT: iter_args
// PROPAGATE: tssa.version
// PROPAGATE-NOT: tssa.version
// RENAME-LABEL: func @local
// RENAME: %[[X:.*]] = tssa.access
// RENAME: "test.before"(%[[X]])
// RENAME: %[[Y:.*]] = tssa.assign
// RENAME: tssa.version %[[Y]], %[[X]]
// RENAME: "test.after"(%[[Y]])
// ERASE-LABEL: func @local
// ERASE-NOT: tssa.version
func.func @local(%b: tensor<4xf32>, %v: tensor<f32>, %n: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %n to %n step %c1 {
    %x = tssa.access %b [] : tensor<4xf32> -> tensor<4xf32>
    "test.before"(%x) : (tensor<4xf32>) -> ()
    %y = tssa.assign %v into %x [select(0, 0)] : tensor<f32> into tensor<4xf32>
    tssa.version %y, %x : tensor<4xf32>
    "test.after"(%x) : (tensor<4xf32>) -> ()
  }
  return
}

// -----

// Two updates of one value in a block, and in a loop in a loop: one value is carried
// by each of them.
// PROPAGATE-LABEL: func @twice
// PROPAGATE: %[[X:.*]] = tssa.access
// PROPAGATE: %[[R:.*]] = scf.for {{.*}} iter_args(%[[P:.*]] = %[[X]]) -> (tensor<4xf32>) {
// PROPAGATE-NEXT: tssa.version %[[P]], %[[X]]
// PROPAGATE-NEXT: %[[S:.*]] = scf.for {{.*}} iter_args(%[[Q:.*]] = %[[X]]) -> (tensor<4xf32>) {
// PROPAGATE-NEXT: tssa.version %[[Q]], %[[X]]
// PROPAGATE: scf.yield %[[X]]
// PROPAGATE: tssa.version %[[S]], %[[X]]
// PROPAGATE-NEXT: scf.yield %[[X]]
// PROPAGATE: tssa.version %[[R]], %[[X]]
// RENAME-LABEL: func @twice
// ERASE-LABEL: func @twice
func.func @twice(%b: tensor<4xf32>, %v: tensor<f32>, %n: index) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %x = tssa.access %b [] : tensor<4xf32> -> tensor<4xf32>
  scf.for %i = %n to %n step %c1 {
    scf.for %j = %n to %n step %c1 {
      %y = tssa.assign %v into %x [select(0, 0)] : tensor<f32> into tensor<4xf32>
      tssa.version %y, %x : tensor<4xf32>
      %z = tssa.assign %v into %x [select(0, 1)] : tensor<f32> into tensor<4xf32>
      tssa.version %z, %x : tensor<4xf32>
    }
  }
  return %x : tensor<4xf32>
}

// -----

// Uses before the update, and in the other branch, keep the old version.
// RENAME-LABEL: func @sibling
// RENAME: scf.if
// RENAME:   tssa.version %[[Y:.*]], %[[X:.*]] :
// RENAME:   "test.use"(%[[Y]])
// RENAME: } else {
// RENAME:   "test.use"(%[[X]])
// PROPAGATE-LABEL: func @sibling
// ERASE-LABEL: func @sibling
func.func @sibling(%b: tensor<4xf32>, %v: tensor<f32>, %c: i1) {
  %x = tssa.access %b [] : tensor<4xf32> -> tensor<4xf32>
  scf.if %c {
    %y = tssa.assign %v into %x [select(0, 0)] : tensor<f32> into tensor<4xf32>
    tssa.version %y, %x : tensor<4xf32>
    "test.use"(%x) : (tensor<4xf32>) -> ()
  } else {
    "test.use"(%x) : (tensor<4xf32>) -> ()
  }
  return
}
