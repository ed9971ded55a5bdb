// RUN: tssa-opt %s -pass-pipeline='builtin.module(gpu.module(cuda-narrow-indexes))' | FileCheck %s

gpu.module @device {
  // The bounds of the loop and the number of threads prove that 32 bits suffice.
  // CHECK-LABEL: func.func @window
  // CHECK: arith.divui %{{.*}} : i32
  // CHECK: arith.remui %{{.*}} : i32
  // CHECK: arith.cmpi sge, %{{.*}} : i32
  func.func @window(%x: memref<64xf32>, %v: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c36 = arith.constant 36 : index
    %t = gpu.thread_id x
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

  // Nothing is known of %n, and the product may be large. A dividend that may be negative keeps its
  // width too.
  // CHECK-LABEL: func.func @open
  // CHECK: arith.cmpi slt, %{{.*}} : index
  // CHECK: arith.divui %{{.*}} : index
  // CHECK: arith.remui %{{.*}} : index
  // CHECK: arith.divsi %{{.*}} : index
  func.func @open(%n: index, %y: memref<64xindex>) {
    %c7 = arith.constant 7 : index
    %large = arith.constant 4294967296 : index
    %t = gpu.thread_id x
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
