// RUN: tssa-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect | FileCheck %s

// CHECK: #layout.map<>
// CHECK-SAME: #layout.map<split(1, [*, 16]), reorder(0, 1, 3, 4, 2)>
// CHECK-SAME: #layout.map<fuse(1, 2, 3), split(1, [4, *, 2]), pad(0, 1, 2), pad(0, to 16), unpad(0, 0, 3)>
// CHECK-SAME: #layout.map<unfold(2, 18, 16), fold(2, 50, 16)>
"test.maps"() {maps = [
  #layout.map<>,
  #layout.map< split ( 1 , [ * , 16 ] ) , reorder(0, 1, 3, 4, 2)>,
  #layout.map<fuse(1, 2, 3), split(1, [4, *, 2]), pad(0, 1, 2), pad(0, to 16), unpad(0, 0, 3)>,
  #layout.map<unfold(2, 18, 16), fold(2, 50, 16)>
]} : () -> ()

// -----

// expected-error @below {{expected split, reorder, fuse, pad, unpad, unfold or fold, got 'swap'}}
"test.unknown"() {map = #layout.map<swap(0, 1)>} : () -> ()

// -----

// expected-error @below {{expected '['}}
"test.syntax"() {map = #layout.map<split(0, 16)>} : () -> ()

// -----

// expected-error @below {{integer value too large}}
"test.large"() {map = #layout.map<pad(0, 0, 9223372036854775808)>} : () -> ()

// -----

// expected-error @below {{fuse(0): expected 2 to 64 adjacent dims}}
"test.map_C1"() {map = #layout.map<fuse(0)>} : () -> ()

// -----

// expected-error @below {{unfold(1, 16, 18): expected a stride from 1 to the size of a tile, so that no element is left out}}
"test.map_C1_unfold"() {map = #layout.map<unfold(1, 16, 18)>} : () -> ()

// -----

// expected-error @below {{split(3, [*, 2]): dim 3 does not exist: the tensor has 3 dims there}}
"test.map_C1_rank"() {map = #layout.map<reorder(0, 2, 1), split(3, [*, 2])>} : () -> ()
