// RUN: tssa-opt %s --pass-pipeline='builtin.module(gpu.module(cuda-emulate))' --split-input-file --verify-diagnostics

gpu.module @device {
  llvm.func @copies(%barrier: !llvm.ptr<3>) attributes {nvvm.kernel} {
    // expected-error@+1 {{op 'nvvm.cp.async.mbarrier.arrive' has no emulation}}
    nvvm.cp.async.mbarrier.arrive %barrier : !llvm.ptr<3>
    llvm.return
  }
}

// -----

gpu.module @device {
  llvm.func @bytes(%a: !llvm.ptr<3>) attributes {nvvm.kernel} {
    // expected-error@+1 {{a load of matrices other than 8 by 8 has no emulation}}
    %x = nvvm.ldmatrix %a {eltType = #nvvm.ld_st_matrix_elt_type<b8>, layout = #nvvm.mma_layout<col>, num = 1 : i32, shape = #nvvm.ld_st_matrix_shape<m = 16, n = 16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
    llvm.return
  }
}

// -----

gpu.module @device {
  llvm.func @products(%a: i32, %b: i32, %c: i32) attributes {nvvm.kernel} {
    // expected-error@+1 {{expected a product m16n8 of f16, bf16 or tf32 with sums in f32, or of s8; others have no emulation}}
    %d = nvvm.mma.sync A[%a, %a, %a, %a] B[%b, %b] C[%c, %c, %c, %c]
        {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
         intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>,
         multiplicandAPtxType = #nvvm.mma_type<u8>, multiplicandBPtxType = #nvvm.mma_type<u8>,
         shape = #nvvm.shape<m = 16, n = 8, k = 32>} : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
    llvm.return
  }
}

// -----

gpu.module @device {
  llvm.func @some(%n: i32) attributes {nvvm.kernel} {
    // expected-error@+1 {{a barrier of only some threads, or with a reduction, has no emulation}}
    nvvm.barrier id = %n
    llvm.return
  }
}

// -----

gpu.module @device {
  llvm.func @helper()
  llvm.func @calls() attributes {nvvm.kernel} {
    // expected-error@+1 {{op 'llvm.call' has no emulation}}
    llvm.call @helper() : () -> ()
    llvm.return
  }
}

// -----

gpu.module @device {
  // expected-error@+1 {{expected only kernels, got a function that kernels could call}}
  llvm.func @helper() {
    llvm.return
  }
}

// -----

gpu.module @device {
  llvm.func @waits(%flag: !llvm.ptr) attributes {nvvm.kernel} {
    // expected-error@+1 {{an atomic load has no emulation}}
    %x = llvm.load %flag atomic acquire {alignment = 4 : i64} : !llvm.ptr -> i32
    llvm.return
  }
}

// -----

gpu.module @device {
  llvm.func @signals(%flag: !llvm.ptr, %n: i32) attributes {nvvm.kernel} {
    // expected-error@+1 {{an atomic store has no emulation}}
    llvm.store %n, %flag atomic release {alignment = 4 : i64} : i32, !llvm.ptr
    llvm.return
  }
}

// -----

gpu.module @device {
  llvm.func @bits(%p: !llvm.ptr) attributes {nvvm.kernel} {
    // expected-error@+1 {{an access of 'vector<8xi1>' has no emulation}}
    %x = llvm.load %p : !llvm.ptr -> vector<8xi1>
    llvm.return
  }
}

// -----

gpu.module @device {
  llvm.func @assembly() attributes {nvvm.kernel} {
    // expected-error@+1 {{op 'llvm.inline_asm' has no emulation}}
    %x = llvm.inline_asm "mov.u32 $0, %clock;", "=r" : () -> i32
    llvm.return
  }
}

// -----

gpu.module @device {
  llvm.func @floats(%x: f32, %mask: i32) attributes {nvvm.kernel} {
    // expected-error@+1 {{a reduction of floats by a warp has no emulation}}
    %r = nvvm.redux.sync fmin %x, %mask : f32 -> f32
    llvm.return
  }
}
