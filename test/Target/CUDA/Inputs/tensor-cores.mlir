// out = a * b, of 13 x 32 and 32 x 8 f16, in one warp with two stages of 16 steps. A stage has 16
// rows of a, 48 bytes apart, and 16 rows of b. Rows of a that do not exist are filled with zeros.
gpu.module @device {
  llvm.mlir.global external @shared() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>

  llvm.func @multiply(%a: !llvm.ptr, %b: !llvm.ptr, %out: !llvm.ptr)
      attributes {nvvm.kernel, nvvm.maxntid = array<i32: 32>, te.block = #te.block<threads = 32, shared_bytes = 2048>} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %two = llvm.mlir.constant(2 : i32) : i32
    %three = llvm.mlir.constant(3 : i32) : i32
    %four = llvm.mlir.constant(4 : i32) : i32
    %fifteen = llvm.mlir.constant(15 : i32) : i32
    %eight = llvm.mlir.constant(8 : i32) : i32
    %sixteen = llvm.mlir.constant(16 : i32) : i32
    %pitch = llvm.mlir.constant(48 : i32) : i32
    %bytes_of_a_row = llvm.mlir.constant(64 : i32) : i32
    %rows = llvm.mlir.constant(13 : i32) : i32
    %none = llvm.mlir.constant(0.0 : f32) : f32
    %lane = nvvm.read.ptx.sreg.tid.x : i32
    %row = llvm.lshr %lane, %one : i32
    %half = llvm.and %lane, %one : i32

    // Two lanes copy a row of a stage: 16 bytes each of a, 8 bytes each of b.
    %stage0 = llvm.mlir.addressof @shared : !llvm.ptr<3>
    %stage1 = llvm.getelementptr %stage0[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %a_half = llvm.mul %half, %sixteen : i32
    %a_row_to = llvm.mul %row, %pitch : i32
    %a_to = llvm.add %a_row_to, %a_half : i32
    %a_row_from = llvm.mul %row, %bytes_of_a_row : i32
    %a_from = llvm.add %a_row_from, %a_half : i32
    %b_offset = llvm.mul %lane, %eight : i32
    %exists = llvm.icmp "ult" %row, %rows : i32
    %a_bytes = llvm.select %exists, %sixteen, %zero : i1, i32
    %a_global = llvm.addrspacecast %a : !llvm.ptr to !llvm.ptr<1>
    %b_global = llvm.addrspacecast %b : !llvm.ptr to !llvm.ptr<1>
    %a_from0 = llvm.getelementptr %a_global[%a_from] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
    %a_from1 = llvm.getelementptr %a_from0[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %b_from0 = llvm.getelementptr %b_global[%b_offset] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
    %b_from1 = llvm.getelementptr %b_from0[256] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %b_stage0 = llvm.getelementptr %stage0[768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %b_stage1 = llvm.getelementptr %stage1[768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %a_to0 = llvm.getelementptr %stage0[%a_to] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %a_to1 = llvm.getelementptr %stage1[%a_to] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %b_to0 = llvm.getelementptr %b_stage0[%b_offset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %b_to1 = llvm.getelementptr %b_stage1[%b_offset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    nvvm.cp.async.shared.global %a_to0, %a_from0, 16, cache = cg, %a_bytes : !llvm.ptr<3>, !llvm.ptr<1>, i32
    nvvm.cp.async.shared.global %b_to0, %b_from0, 8, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    nvvm.cp.async.shared.global %a_to1, %a_from1, 16, cache = cg, %a_bytes : !llvm.ptr<3>, !llvm.ptr<1>, i32
    nvvm.cp.async.shared.global %b_to1, %b_from1, 8, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group

    // The rows whose addresses a lane gives: of a, lane % 16 at step 8 (lane / 16); of b, lane % 16.
    %matrix_row = llvm.and %lane, %fifteen : i32
    %upper = llvm.lshr %lane, %four : i32
    %a_step = llvm.mul %upper, %sixteen : i32
    %a_matrix_row = llvm.mul %matrix_row, %pitch : i32
    %a_matrix = llvm.add %a_matrix_row, %a_step : i32
    %b_matrix = llvm.mul %matrix_row, %sixteen : i32

    nvvm.cp.async.wait.group 1
    nvvm.barrier0
    %a_rows0 = llvm.getelementptr %stage0[%a_matrix] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %b_rows0 = llvm.getelementptr %b_stage0[%b_matrix] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %a0 = nvvm.ldmatrix %a_rows0 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
    %b0 = nvvm.ldmatrix %b_rows0 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 2 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
    %a0_0_word = llvm.extractvalue %a0[0] : !llvm.struct<(i32, i32, i32, i32)>
    %a0_0 = llvm.bitcast %a0_0_word : i32 to vector<2xf16>
    %a0_1_word = llvm.extractvalue %a0[1] : !llvm.struct<(i32, i32, i32, i32)>
    %a0_1 = llvm.bitcast %a0_1_word : i32 to vector<2xf16>
    %a0_2_word = llvm.extractvalue %a0[2] : !llvm.struct<(i32, i32, i32, i32)>
    %a0_2 = llvm.bitcast %a0_2_word : i32 to vector<2xf16>
    %a0_3_word = llvm.extractvalue %a0[3] : !llvm.struct<(i32, i32, i32, i32)>
    %a0_3 = llvm.bitcast %a0_3_word : i32 to vector<2xf16>
    %b0_0_word = llvm.extractvalue %b0[0] : !llvm.struct<(i32, i32)>
    %b0_0 = llvm.bitcast %b0_0_word : i32 to vector<2xf16>
    %b0_1_word = llvm.extractvalue %b0[1] : !llvm.struct<(i32, i32)>
    %b0_1 = llvm.bitcast %b0_1_word : i32 to vector<2xf16>
    %sums0 = nvvm.mma.sync A[%a0_0, %a0_1, %a0_2, %a0_3] B[%b0_0, %b0_1] C[%none, %none, %none, %none]
        {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
        : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    nvvm.cp.async.wait.group 0
    nvvm.barrier0
    %a_rows1 = llvm.getelementptr %stage1[%a_matrix] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %b_rows1 = llvm.getelementptr %b_stage1[%b_matrix] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %a1 = nvvm.ldmatrix %a_rows1 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
    %b1 = nvvm.ldmatrix %b_rows1 {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 2 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
    %a1_0_word = llvm.extractvalue %a1[0] : !llvm.struct<(i32, i32, i32, i32)>
    %a1_0 = llvm.bitcast %a1_0_word : i32 to vector<2xf16>
    %a1_1_word = llvm.extractvalue %a1[1] : !llvm.struct<(i32, i32, i32, i32)>
    %a1_1 = llvm.bitcast %a1_1_word : i32 to vector<2xf16>
    %a1_2_word = llvm.extractvalue %a1[2] : !llvm.struct<(i32, i32, i32, i32)>
    %a1_2 = llvm.bitcast %a1_2_word : i32 to vector<2xf16>
    %a1_3_word = llvm.extractvalue %a1[3] : !llvm.struct<(i32, i32, i32, i32)>
    %a1_3 = llvm.bitcast %a1_3_word : i32 to vector<2xf16>
    %b1_0_word = llvm.extractvalue %b1[0] : !llvm.struct<(i32, i32)>
    %b1_0 = llvm.bitcast %b1_0_word : i32 to vector<2xf16>
    %b1_1_word = llvm.extractvalue %b1[1] : !llvm.struct<(i32, i32)>
    %b1_1 = llvm.bitcast %b1_1_word : i32 to vector<2xf16>
    %c0 = llvm.extractvalue %sums0[0] : !llvm.struct<(f32, f32, f32, f32)>
    %c1 = llvm.extractvalue %sums0[1] : !llvm.struct<(f32, f32, f32, f32)>
    %c2 = llvm.extractvalue %sums0[2] : !llvm.struct<(f32, f32, f32, f32)>
    %c3 = llvm.extractvalue %sums0[3] : !llvm.struct<(f32, f32, f32, f32)>
    %sums1 = nvvm.mma.sync A[%a1_0, %a1_1, %a1_2, %a1_3] B[%b1_0, %b1_1] C[%c0, %c1, %c2, %c3]
        {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
        : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>

    // A lane has two sums of row lane / 4, and two of the row 8 further down.
    %sum_row = llvm.lshr %lane, %two : i32
    %pair = llvm.and %lane, %three : i32
    %column = llvm.mul %pair, %two : i32
    %first_of_row = llvm.mul %sum_row, %eight : i32
    %index = llvm.add %first_of_row, %column : i32
    %to0 = llvm.getelementptr %out[%index] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %to1 = llvm.getelementptr %to0[64] : (!llvm.ptr) -> !llvm.ptr, f32
    %pair_shape = llvm.mlir.poison : vector<2xf32>
    %d0 = llvm.extractvalue %sums1[0] : !llvm.struct<(f32, f32, f32, f32)>
    %d1 = llvm.extractvalue %sums1[1] : !llvm.struct<(f32, f32, f32, f32)>
    %d2 = llvm.extractvalue %sums1[2] : !llvm.struct<(f32, f32, f32, f32)>
    %d3 = llvm.extractvalue %sums1[3] : !llvm.struct<(f32, f32, f32, f32)>
    %half_pair0 = llvm.insertelement %d0, %pair_shape[%zero : i32] : vector<2xf32>
    %pair0 = llvm.insertelement %d1, %half_pair0[%one : i32] : vector<2xf32>
    %half_pair1 = llvm.insertelement %d2, %pair_shape[%zero : i32] : vector<2xf32>
    %pair1 = llvm.insertelement %d3, %half_pair1[%one : i32] : vector<2xf32>
    llvm.store %pair0, %to0 {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr
    llvm.store %pair1, %to1 {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr
    llvm.return
  }
}
