// out[row, i] = in[row, i] - sum of in[row, :], a block of 64 threads per row of 256
// elements: 16 bytes per thread, shuffles inside warps, shared memory between them,
// and a count of negative sums.
gpu.module @device {
  llvm.mlir.global external @shared() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>

  llvm.func @center_rows(%in: !llvm.ptr, %rows: i64, %out: !llvm.ptr, %negative: !llvm.ptr)
      attributes {nvvm.kernel, nvvm.maxntid = array<i32: 64>, te.block = #te.block<threads = 64, shared_bytes = 12>} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %two = llvm.mlir.constant(2 : i32) : i32
    %four = llvm.mlir.constant(4 : i32) : i32
    %five = llvm.mlir.constant(5 : i32) : i32
    %mask = llvm.mlir.constant(-1 : i32) : i32
    %last = llvm.mlir.constant(31 : i32) : i32
    %row_bytes = llvm.mlir.constant(256 : i64) : i64
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %row = llvm.zext %block : i32 to i64
    %start = llvm.mul %row, %row_bytes : i64
    %column = llvm.mul %thread, %four : i32
    %wide = llvm.zext %column : i32 to i64
    %offset = llvm.add %start, %wide : i64
    %from = llvm.getelementptr %in[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %values = llvm.load %from {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
    %v0 = llvm.extractelement %values[%zero : i32] : vector<4xf32>
    %v1 = llvm.extractelement %values[%one : i32] : vector<4xf32>
    %s0 = llvm.fadd %v0, %v1 : f32
    %v2 = llvm.extractelement %values[%two : i32] : vector<4xf32>
    %s1 = llvm.fadd %s0, %v2 : f32
    %three = llvm.mlir.constant(3 : i32) : i32
    %v3 = llvm.extractelement %values[%three : i32] : vector<4xf32>
    %s2 = llvm.fadd %s1, %v3 : f32
    %d16 = llvm.mlir.constant(16 : i32) : i32
    llvm.br ^halve(%d16, %s2 : i32, f32)
  ^halve(%distance: i32, %partial: f32):
    %other = nvvm.shfl.sync bfly %mask, %partial, %distance, %last : f32 -> f32
    %joined = llvm.fadd %partial, %other : f32
    %half = llvm.lshr %distance, %one : i32
    %more = llvm.icmp "ugt" %half, %zero : i32
    llvm.cond_br %more, ^halve(%half, %joined : i32, f32), ^share
  ^share:
    %shared = llvm.mlir.addressof @shared : !llvm.ptr<3>
    %lane = llvm.and %thread, %last : i32
    %warp = llvm.lshr %thread, %five : i32
    %mine = llvm.getelementptr %shared[%warp] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %first = llvm.icmp "eq" %lane, %zero : i32
    llvm.cond_br %first, ^put, ^wait
  ^put:
    llvm.store %joined, %mine : f32, !llvm.ptr<3>
    llvm.br ^wait
  ^wait:
    nvvm.barrier0
    %p1 = llvm.getelementptr %shared[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
    %w0 = llvm.load %shared : !llvm.ptr<3> -> f32
    %w1 = llvm.load %p1 : !llvm.ptr<3> -> f32
    %sum = llvm.fadd %w0, %w1 : f32
    %shape = llvm.mlir.poison : vector<4xf32>
    %i0 = llvm.insertelement %sum, %shape[%zero : i32] : vector<4xf32>
    %sums = llvm.shufflevector %i0, %shape [0, 0, 0, 0] : vector<4xf32>
    %centered = llvm.fsub %values, %sums : vector<4xf32>
    %to = llvm.getelementptr %out[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %centered, %to {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
    %fzero = llvm.mlir.constant(0.0 : f32) : f32
    %is_negative = llvm.fcmp "olt" %sum, %fzero : f32
    %leader = llvm.icmp "ult" %thread, %one : i32
    %counts = llvm.and %is_negative, %leader : i1
    llvm.cond_br %counts, ^count, ^end
  ^count:
    %old = llvm.atomicrmw add %negative, %one syncscope("device") monotonic : !llvm.ptr, i32
    llvm.br ^end
  ^end:
    llvm.return
  }
}
