// RUN: tssa-opt %s --pass-pipeline='builtin.module(gpu.module(cuda-emulate))' | FileCheck %s

gpu.module @device {

// The kernel's parameters come from a list of addresses, in which a bool is a byte.
// CHECK-LABEL: llvm.func internal @parameters.emu
// CHECK-SAME: (%[[EMU:.*]]: !llvm.ptr, %[[PARAMS:.*]]: !llvm.ptr)
// CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[PARAMS]][1]
// CHECK: %[[ADDRESS:.*]] = llvm.load %[[SLOT]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[BYTE:.*]] = llvm.load %[[ADDRESS]] : !llvm.ptr -> i8
// CHECK: llvm.trunc %[[BYTE]] : i8 to i1
// CHECK-NOT: llvm.call
// CHECK: llvm.return
llvm.func @parameters(%out: !llvm.ptr, %flag: i1) attributes {nvvm.kernel} {
  llvm.return
}

// Operation 0 is a load, space 1 is global memory. Parameter 0; 16 bytes with that alignment, in
// elements of 4 bytes.
// CHECK: @parameters.emulated
// CHECK-LABEL: llvm.func internal @accesses.emu
// CHECK: %[[P:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, i32) -> !llvm.ptr, f32
// CHECK: llvm.call %{{.*}}(%arg0, %[[P]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, i32) -> ()
// CHECK: llvm.load %[[P]] {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK: llvm.call
// CHECK: llvm.store
// CHECK: llvm.call
// CHECK: llvm.atomicrmw _or
// CHECK-NOT: syncscope
// CHECK: @accesses.sites(dense<{{\[}}[0, 1, 0, 16, 16, 4, {{.*}}], [1, 1, 1, 4, 4, 4, {{.*}}], [2, 1, 2, 4, 4, 4, {{.*}}]]>
llvm.func @accesses(%in: !llvm.ptr, %out: !llvm.ptr, %errors: !llvm.ptr)
    attributes {nvvm.kernel} {
  %i = nvvm.read.ptx.sreg.tid.x : i32
  %p = llvm.getelementptr %in[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
  %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
  %x = llvm.extractelement %v[%i : i32] : vector<4xf32>
  llvm.store %x, %out : f32, !llvm.ptr
  %old = llvm.atomicrmw _or %errors, %i syncscope("device") monotonic : !llvm.ptr, i32
  llvm.return
}

// Memory of one thread is not checked.
// CHECK-LABEL: llvm.func internal @private.emu
// CHECK-NOT: llvm.call
// CHECK: llvm.return
llvm.func @private(%n: i32) attributes {nvvm.kernel} {
  %one = llvm.mlir.constant(4 : i64) : i64
  %a = llvm.alloca %one x i32 : (i64) -> !llvm.ptr
  %p = llvm.getelementptr %a[2] : (!llvm.ptr) -> !llvm.ptr, i32
  llvm.store %n, %p : i32, !llvm.ptr
  %x = llvm.load %p : !llvm.ptr -> i32
  llvm.return
}

// A pointer taken from a descriptor is still traced to the parameter.
// CHECK-LABEL: llvm.func internal @descriptor.emu
// CHECK: @descriptor.sites(dense<{{\[}}[1, 1, 0, 4, 4, 4,
llvm.func @descriptor(%out: !llvm.ptr, %n: i32) attributes {nvvm.kernel} {
  %d = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64)>
  %d1 = llvm.insertvalue %out, %d[1] : !llvm.struct<(ptr, ptr, i64)>
  %q = llvm.extractvalue %d1[1] : !llvm.struct<(ptr, ptr, i64)>
  llvm.store %n, %q : i32, !llvm.ptr
  llvm.return
}

// Of a choice between two pointers only the value is known. Space 0 means any memory.
// CHECK-LABEL: llvm.func internal @chosen.emu
// CHECK: @chosen.sites(dense<{{\[}}[1, 0, -1, 4, 4, 4,
llvm.func @chosen(%a: !llvm.ptr, %b: !llvm.ptr, %c: i1, %n: i32) attributes {nvvm.kernel} {
  %p = llvm.select %c, %a, %b : i1, !llvm.ptr
  llvm.store %n, %p : i32, !llvm.ptr
  llvm.return
}

// Shared memory belongs to the block: 64 bytes of a named global, then the dynamic part, each at a
// multiple of 128.
llvm.mlir.global internal @tile() {addr_space = 3 : i32} : !llvm.array<16 x f32>
llvm.mlir.global external @shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
// CHECK-NOT: addr_space = 3
// CHECK-LABEL: llvm.func internal @shared_memory.emu
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %arg0[16]
// CHECK: %[[SHARED:.*]] = llvm.load %[[FIELD]]
// CHECK: %[[DYNAMIC:.*]] = llvm.getelementptr %[[SHARED]][128]
// CHECK: llvm.call %{{.*}}(%arg0, %[[DYNAMIC]], %{{.*}})
// CHECK: llvm.store %{{.*}}, %[[DYNAMIC]] : f32, !llvm.ptr
// CHECK: @shared_memory.sites(dense<{{\[}}[1, 2, -1, 4, 4, 4,
llvm.func @shared_memory(%x: f32) attributes {nvvm.kernel} {
  %s = llvm.mlir.addressof @shared : !llvm.ptr<3>
  llvm.store %x, %s : f32, !llvm.ptr<3>
  llvm.return
}

// CHECK-LABEL: llvm.func internal @threads.emu
// CHECK-NOT: nvvm
// CHECK: llvm.return
// Barriers 3 and 4, shuffle 7, vote 12, match 13 and 14, sum 15.
// CHECK: @threads.sites(dense<{{\[}}[3, {{.*}}], [3, {{.*}}], [4, {{.*}}], [7, {{.*}}], [5, {{.*}}], [12, {{.*}}], [9, {{.*}}], [13, {{.*}}], [14, {{.*}}], [15, {{.*}}]]>
// The last field is the largest number of threads of a block: 8 x 4.
// CHECK: @threads.emulated
// CHECK: llvm.mlir.constant(32 : i32)
// CHECK-NEXT: llvm.insertvalue {{.*}}[7]
llvm.func @threads() attributes {nvvm.kernel, nvvm.maxntid = array<i32: 8, 4>} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %lane = nvvm.read.ptx.sreg.laneid : i32
  %warp = nvvm.read.ptx.sreg.warpid : i32
  %block = nvvm.read.ptx.sreg.ctaid.x : i32
  %blocks = nvvm.read.ptx.sreg.nctaid.x : i32
  %threads = nvvm.read.ptx.sreg.ntid.x : i32
  %y = nvvm.read.ptx.sreg.tid.y : i32
  %mask = llvm.mlir.constant(-1 : i32) : i32
  nvvm.barrier0
  nvvm.barrier id = %zero
  nvvm.bar.warp.sync %mask : i32
  nvvm.memory.barrier #nvvm.mem_scope<gpu>
  llvm.fence acq_rel
  %x = llvm.sitofp %lane : i32 to f32
  %a = nvvm.shfl.sync bfly %mask, %x, %warp, %mask : f32 -> f32
  %b = nvvm.shfl.sync up %mask, %lane, %warp, %mask {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
  %c = llvm.icmp "eq" %lane, %zero : i32
  %d = nvvm.vote.sync ballot %mask, %c -> i32
  %e = nvvm.vote.sync all %mask, %c -> i1
  %f = nvvm.match.sync any %mask, %lane : i32 -> i32
  %g = nvvm.match.sync all %mask, %lane : i32 -> !llvm.struct<(i32, i1)>
  %h = nvvm.redux.sync add %lane, %mask : i32 -> i32
  llvm.return
}

// An asynchronous copy has a site for its load, 0, and one for its store, 25; groups are committed
// (26) and waited for (27). Without a source size, all 16 bytes are read.
// CHECK-LABEL: llvm.func internal @copies.emu
// CHECK-NOT: nvvm
// CHECK: %[[SIZE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK: %[[ALL:.*]] = llvm.mlir.constant(16 : i32) : i32
// CHECK: llvm.call %{{.*}}(%arg0, %{{.*}}, %{{.*}}, %[[ALL]], %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, i32) -> ()
// CHECK: llvm.call %{{.*}}(%arg0, %{{.*}}, %{{.*}}, %[[SIZE]], %{{.*}}, %{{.*}})
// CHECK: llvm.return
// CHECK: @copies.sites(dense<{{\[}}[0, 1, 0, 16, 16, 16, {{.*}}], [25, 2, -1, 16, 16, 16, {{.*}}], [0, 1, 0, 8, 8, 8, {{.*}}], [25, 2, -1, 8, 8, 8, {{.*}}], [26, {{.*}}], [27, {{.*}}]]>
llvm.func @copies(%in: !llvm.ptr, %size: i32) attributes {nvvm.kernel} {
  %to = llvm.mlir.addressof @shared : !llvm.ptr<3>
  %from = llvm.addrspacecast %in : !llvm.ptr to !llvm.ptr<1>
  nvvm.cp.async.shared.global %to, %from, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.cp.async.shared.global %to, %from, 8, cache = ca, %size : !llvm.ptr<3>, !llvm.ptr<1>, i32
  nvvm.cp.async.commit.group
  nvvm.cp.async.wait.group 1
  llvm.return
}

// Loads of matrices, plain (28) and transposed (29), and products of f16 (30), bf16 (31), tf32 (32)
// and s8 (33, saturated 34) share the thread's memory of ten words.
// CHECK-LABEL: llvm.func internal @matrices.emu
// CHECK: %[[TEN:.*]] = llvm.mlir.constant(10 : i64) : i64
// CHECK: %[[PARTS:.*]] = llvm.alloca %[[TEN]] x i32
// CHECK-NOT: nvvm
// CHECK: %[[FOUR:.*]] = llvm.mlir.constant(4 : i32) : i32
// CHECK: llvm.call %{{.*}}(%arg0, %{{.*}}, %[[PARTS]], %[[FOUR]], %{{.*}})
// CHECK: llvm.call %{{.*}}(%arg0, %{{.*}}, %[[PARTS]], %{{.*}}, %{{.*}})
// CHECK: llvm.call %{{.*}}(%arg0, %[[PARTS]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, i32) -> ()
// CHECK: %[[SUM:.*]] = llvm.getelementptr %[[PARTS]][6]
// CHECK: llvm.load %[[SUM]] : !llvm.ptr -> f32
// CHECK: llvm.call
// CHECK-NOT: llvm.alloca
// CHECK: @matrices.sites(dense<{{\[}}[28, 2, -1, 16, 16, 16, {{.*}}], [29, 2, -1, 16, 16, 16, {{.*}}], [30, {{.*}}], [31, {{.*}}], [32, {{.*}}], [33, {{.*}}], [34, {{.*}}]]>
llvm.func @matrices(%a: vector<2xf16>, %c: f32, %i: i32) attributes {nvvm.kernel} {
  %s = llvm.mlir.addressof @shared : !llvm.ptr<3>
  %m = nvvm.ldmatrix %s {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
  %b = nvvm.ldmatrix %s {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 1 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> i32
  %d = nvvm.mma.sync A[%a, %a, %a, %a] B[%a, %a] C[%c, %c, %c, %c]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
      : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  %e = nvvm.mma.sync A[%b, %b, %b, %b] B[%b, %b] C[%c, %c, %c, %c]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
       multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>,
       shape = #nvvm.shape<m = 16, n = 8, k = 16>}
      : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  %f = nvvm.mma.sync A[%b, %b, %b, %b] B[%b, %b] C[%c, %c, %c, %c]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
       multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>,
       shape = #nvvm.shape<m = 16, n = 8, k = 8>}
      : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  %g = nvvm.mma.sync A[%b, %b, %b, %b] B[%b, %b] C[%i, %i, %i, %i]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>,
       multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = #nvvm.mma_type<s8>,
       shape = #nvvm.shape<m = 16, n = 8, k = 32>}
      : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
  %h = nvvm.mma.sync A[%b, %b, %b, %b] B[%b, %b] C[%i, %i, %i, %i]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, intOverflowBehavior = #nvvm.mma_int_overflow<satfinite>,
       multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = #nvvm.mma_type<s8>,
       shape = #nvvm.shape<m = 16, n = 8, k = 32>}
      : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
  llvm.return
}

// A division whose divisor may be 0 or -1 is checked.
// CHECK-LABEL: llvm.func internal @divisions.emu
// CHECK: llvm.udiv %{{.*}}, %{{.*}} : i64
// CHECK: %[[ZERO:.*]] = llvm.icmp "eq" %{{.*}}, %{{.*}} : i64
// CHECK: llvm.and
// CHECK: %[[WRONG:.*]] = llvm.or
// CHECK: llvm.cond_br %[[WRONG]], ^[[REPORT:.*]], ^[[GO:.*]]
// CHECK: ^[[REPORT]]:
// CHECK: llvm.call
// CHECK: llvm.unreachable
// CHECK: ^[[GO]]:
// CHECK: llvm.srem
llvm.func @divisions(%a: i64, %b: i64) attributes {nvvm.kernel} {
  %c = llvm.mlir.constant(10 : i64) : i64
  %q = llvm.udiv %a, %c : i64
  %r = llvm.srem %q, %b : i64
  llvm.return
}

// CHECK-LABEL: llvm.func internal @ranges.emu
// CHECK: %[[N:.*]] = llvm.zext %{{.*}} : i32 to i64
// CHECK: llvm.call %{{.*}}(%arg0, %[[IN:.*]], %[[N]], %{{.*}})
// CHECK: llvm.call
// CHECK: "llvm.intr.memcpy"
// CHECK: llvm.call
// CHECK: "llvm.intr.memset"
// CHECK: llvm.call
// CHECK: llvm.unreachable
llvm.func @ranges(%in: !llvm.ptr, %out: !llvm.ptr, %n: i32) attributes {nvvm.kernel} {
  "llvm.intr.memcpy"(%out, %in, %n) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i32) -> ()
  %z = llvm.mlir.constant(0 : i8) : i8
  "llvm.intr.memset"(%out, %z, %n) <{isVolatile = false}> : (!llvm.ptr, i8, i32) -> ()
  llvm.unreachable
}

// Constants of the module are kept, and accesses to them are not checked.
// CHECK: llvm.mlir.global internal constant @weights(dense<1.000000e+00>
// CHECK-LABEL: llvm.func internal @constants.emu
// CHECK-NOT: llvm.call
// CHECK: llvm.return
llvm.mlir.global internal constant @weights(dense<1.0> : tensor<4xf32>) {addr_space = 4 : i32} : !llvm.array<4 x f32>
llvm.func @constants() attributes {nvvm.kernel} {
  %w = llvm.mlir.addressof @weights : !llvm.ptr<4>
  %x = llvm.load %w : !llvm.ptr<4> -> f32
  llvm.return
}
}
