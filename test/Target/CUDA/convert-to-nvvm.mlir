// RUN: tssa-opt %s -pass-pipeline='builtin.module(gpu.module(cuda-convert-to-nvvm))' | FileCheck %s

// CHECK: #[[UNROLL:.*]] = #llvm.loop_unroll<disable = true>
// CHECK: #[[NEVER:.*]] = #llvm.loop_annotation<unroll = #[[UNROLL]]>

gpu.module @device {
  // CHECK: llvm.func @k(%[[V:.*]]: f32, %[[D:.*]]: f64, %[[OUT:.*]]: !llvm.ptr)
  // CHECK-SAME: nvvm.kernel
  // CHECK-SAME: nvvm.maxntid = array<i32: 128>
  // CHECK-SAME: nvvm.minctasm = 1 : i32
  // CHECK: nvvm.read.ptx.sreg.tid.x
  // CHECK: llvm.alloca
  // CHECK: nvvm.shfl.sync bfly %{{.*}}, %[[V]]
  // CHECK: nvvm.barrier0
  // 64 bits are shuffled in two halves.
  // CHECK-COUNT-2: nvvm.shfl.sync bfly
  // CHECK: llvm.atomicrmw _or
  func.func @k(%v: f32, %d: f64, %out: !llvm.ptr) attributes {te.block = #te.block<threads = 128, shared_bytes = 0>} {
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %t = gpu.thread_id x
    %buffer = memref.alloca() : memref<128xf32>
    %o, %valid = gpu.shuffle xor %v, %one, %width : f32
    memref.store %o, %buffer[%t] : memref<128xf32>
    gpu.barrier
    %p, %also = gpu.shuffle xor %d, %one, %width : f64
    llvm.store %p, %out : f64, !llvm.ptr
    %flag = memref.alloca() : memref<128xi32>
    %old = memref.atomic_rmw ori %one, %flag[%t] : (i32, memref<128xi32>) -> i32
    return
  }

  // A function that is not a kernel gets no attributes.
  // CHECK: llvm.func @helper() {
  func.func @helper() {
    return
  }

  // A loop with a barrier stays a loop. One without may be unrolled, also inside of the former.
  // CHECK: llvm.func @steps
  // CHECK: nvvm.barrier0
  // CHECK: llvm.br ^[[INNER:[a-z0-9]*]](%{{.*}} : i64){{$}}
  // CHECK: ^[[INNER]](
  // CHECK: llvm.br ^[[INNER]](%{{.*}} : i64){{$}}
  // CHECK: llvm.br ^{{.*}} {loop_annotation = #[[NEVER]]}
  func.func @steps(%n: i64, %out: !llvm.ptr) attributes {te.block = #te.block<threads = 128, shared_bytes = 0>} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    cf.br ^steps(%zero : i64)
  ^steps(%i: i64):
    %more = arith.cmpi slt, %i, %n : i64
    cf.cond_br %more, ^step, ^end
  ^step:
    gpu.barrier
    cf.br ^elements(%zero : i64)
  ^elements(%j: i64):
    %left = arith.cmpi slt, %j, %n : i64
    cf.cond_br %left, ^element, ^next
  ^element:
    llvm.store %j, %out : i64, !llvm.ptr
    %jj = arith.addi %j, %one : i64
    cf.br ^elements(%jj : i64)
  ^next:
    %ii = arith.addi %i, %one : i64
    cf.br ^steps(%ii : i64)
  ^end:
    return
  }
}
