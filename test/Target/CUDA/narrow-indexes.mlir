// RUN: tssa-opt %s -pass-pipeline='builtin.module(gpu.module(cuda-narrow-indexes))' | FileCheck %s

gpu.module @device {
  // The bounds of the loop and the number of threads prove that 32 bits suffice.
  // What is compared is computed with 32 bits too.
  // CHECK-LABEL: func.func @window
  // CHECK: arith.divui %{{.*}} : i32
  // CHECK: %[[R:.*]] = arith.remui %{{.*}} : i32
  // CHECK: %[[LEFT:.*]] = arith.subi %[[R]], %{{.*}} : i32
  // CHECK: arith.cmpi sge, %[[LEFT]], %{{.*}} : i32
  func.func @window(%x: memref<64xf32>, %v: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c36 = arith.constant 36 : index
    %t = gpu.thread_id x upper_bound 256
    %p = arith.divui %t, %c36 : index
    scf.for %i = %c0 to %c36 step %c1 {
      %r = arith.remsi %i, %c3 : index
      %left = arith.subi %r, %c1 : index
      %inside = arith.cmpi sge, %left, %c0 : index
      scf.if %inside {
        memref.store %v, %x[%p] : memref<64xf32>
      }
    }
    return
  }

  // Nothing is known of %n, and the product may be large.
  // CHECK-LABEL: func.func @open
  // CHECK: arith.cmpi slt, %{{.*}} : index
  // CHECK: arith.divui %{{.*}} : index
  // CHECK: arith.remui %{{.*}} : index
  // A dividend that may be negative is divided with its sign.
  // CHECK: arith.divsi %{{.*}} : i32
  func.func @open(%n: index, %y: memref<64xindex>) {
    %c7 = arith.constant 7 : index
    %large = arith.constant 4294967296 : index
    %t = gpu.thread_id x upper_bound 256
    %before = arith.cmpi slt, %t, %n : index
    %q = arith.divui %n, %c7 : index
    %product = arith.muli %t, %large : index
    %r = arith.remui %product, %c7 : index
    %below = arith.subi %t, %c7 : index
    %s = arith.divsi %below, %c7 : index
    scf.if %before {
      memref.store %q, %y[%t] : memref<64xindex>
      memref.store %r, %y[%t] : memref<64xindex>
      memref.store %s, %y[%t] : memref<64xindex>
    }
    return
  }

  // A part of an address keeps its width, but for the choice between two of them.
  // CHECK-LABEL: func.func @address
  // CHECK: %[[T:.*]] = gpu.thread_id x
  // CHECK: %[[NARROW:.*]] = arith.index_cast %[[T]] : index to i32
  // CHECK: %[[WIDE:.*]] = arith.muli %[[T]], %{{.*}} : index
  // CHECK: %[[CHOICE:.*]] = arith.select %{{.*}}, %[[NARROW]], %{{.*}} : i32
  // CHECK: %[[INDEX:.*]] = arith.index_cast %[[CHOICE]] : i32 to index
  // CHECK: %[[SUM:.*]] = arith.addi %[[WIDE]], %[[INDEX]] : index
  // CHECK: memref.store %{{.*}}, %{{.*}}[%[[SUM]]]
  func.func @address(%x: memref<?xf32>, %v: f32, %c: i1) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x upper_bound 256
    %row = arith.muli %t, %c8 : index
    %column = arith.select %c, %t, %c0 : index
    %at = arith.addi %row, %column : index
    memref.store %v, %x[%at] : memref<?xf32>
    return
  }

  // Numbers of other types stay as they are.
  // CHECK-LABEL: func.func @numbers
  // CHECK: arith.divui %{{.*}} : i64
  func.func @numbers() -> i64 {
    %c9 = arith.constant 9 : i64
    %c4 = arith.constant 4 : i64
    %q = arith.divui %c9, %c4 : i64
    return %q : i64
  }
}
