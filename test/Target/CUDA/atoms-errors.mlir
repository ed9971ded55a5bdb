// RUN: tssa-opt %s -convert-kernels-to-device-loops -split-input-file -verify-diagnostics

te.kernel @pipeline_alone(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x64xf16>
    %v = te.read %b[d2, d1] : tensor<64x64xf16>
    %x = arith.extf %u : f16 to f32
    %z = arith.extf %v : f16 to f32
    %p = arith.mulf %x, %z : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %ko, %ki = layout.split %k [*, 32]
  // expected-error @below {{expected a layout.atom, whose factors it brings}}
  layout.pipeline %ko depth 2
}

// -----

te.kernel @warps_alone(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x64xf16>
    %v = te.read %b[d2, d1] : tensor<64x64xf16>
    %x = arith.extf %u : f16 to f32
    %z = arith.extf %v : f16 to f32
    %p = arith.mulf %x, %z : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 2]
  // expected-error @below {{expected a layout.atom, which the lanes of a warp compute together; other loops are bound to lanes}}
  layout.bind %ii to warp
}

// -----

te.kernel @lanes(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x64xf16>
    %v = te.read %b[d2, d1] : tensor<64x64xf16>
    %x = arith.extf %u : f16 to f32
    %z = arith.extf %v : f16 to f32
    %p = arith.mulf %x, %z : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 32]
  %jo, %ji = layout.split %j [*, 32]
  %ko, %ki = layout.split %k [*, 32]
  layout.reorder %io, %jo, %ko, %ii, %ji, %ki
  layout.cache 0 at %ko to shared
  layout.cache 1 at %ko to shared
  // expected-error @below {{expected warps, not lanes: those of a warp compute an atom together}}
  layout.bind %io, %jo to lane
  layout.pipeline %ko depth 2
  layout.atom %ii, %ji, %ki "mma.m16n8k16"
}

// -----

te.kernel @two_atoms(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x64xf16>
    %v = te.read %b[d2, d1] : tensor<64x64xf16>
    %x = arith.extf %u : f16 to f32
    %z = arith.extf %v : f16 to f32
    %p = arith.mulf %x, %z : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 32]
  %jo, %ji = layout.split %j [*, 32]
  %ko, %ki = layout.split %k [*, 32]
  layout.reorder %io, %jo, %ko, %ii, %ji, %ki
  layout.cache 0 at %ko to shared
  layout.cache 1 at %ko to shared
  layout.bind %io, %jo to warp
  layout.pipeline %ko depth 2
  layout.atom %ii, %ji, %ki "mma.m16n8k16"
  // expected-error @below {{expected one atom in the schedule of 'y'}}
  layout.atom %io, %jo, %ko "mma.m16n8k16"
}

// -----

te.kernel @tiled(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x64xf16>
    %v = te.read %b[d2, d1] : tensor<64x64xf16>
    %x = arith.extf %u : f16 to f32
    %z = arith.extf %v : f16 to f32
    %p = arith.mulf %x, %z : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 32]
  %jo, %ji = layout.split %j [*, 32]
  %kp, %kq = layout.split %k [*, 1]
  layout.reorder %io, %jo, %kp, %kq, %ii, %ji
  layout.register_tile %kq
  // expected-error @below {{expected no tiled or vectorized loop beside those of an atom}}
  layout.atom %ii, %ji, %kp "mma.m16n8k16"
}

// -----

te.kernel @roles(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x64xf16>
    %v = te.read %b[d2, d1] : tensor<64x64xf16>
    %x = arith.extf %u : f16 to f32
    %z = arith.extf %v : f16 to f32
    %p = arith.mulf %x, %z : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 32]
  %jo, %ji = layout.split %j [*, 32]
  %ko, %ki = layout.split %k [*, 32]
  layout.reorder %io, %jo, %ko, %ii, %ji, %ki
  layout.cache 0 at %ko to shared
  layout.cache 1 at %ko to shared
  layout.bind %io, %jo to warp
  layout.pipeline %ko depth 2
  // expected-error @below {{expected two loops over parallel dims and one over a reduction dim}}
  layout.atom %ii, %ki, %ji "mma.m16n8k16"
}

// -----

te.kernel @multiple(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x64xf16>
    %v = te.read %b[d2, d1] : tensor<64x64xf16>
    %x = arith.extf %u : f16 to f32
    %z = arith.extf %v : f16 to f32
    %p = arith.mulf %x, %z : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 24]
  %jo, %ji = layout.split %j [*, 32]
  %ko, %ki = layout.split %k [*, 32]
  layout.reorder %io, %jo, %ko, %ii, %ji, %ki
  layout.cache 0 at %ko to shared
  layout.cache 1 at %ko to shared
  layout.bind %io, %jo to warp
  layout.pipeline %ko depth 2
  // expected-error @below {{expected loops of a multiple of 16, 8 and 16 iterations, got 24, which is no multiple of 16}}
  layout.atom %ii, %ji, %ki "mma.m16n8k16"
}

// -----

te.kernel @steps(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x64xf16>
    %v = te.read %b[d2, d1] : tensor<64x64xf16>
    %x = arith.extf %u : f16 to f32
    %z = arith.extf %v : f16 to f32
    %p = arith.mulf %x, %z : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 32]
  %jo, %ji = layout.split %j [*, 32]
  %ko, %ki = layout.split %k [*, 12]
  layout.reorder %io, %jo, %ko, %ii, %ji, %ki
  layout.cache 0 at %ko to shared
  layout.cache 1 at %ko to shared
  layout.bind %io, %jo to warp
  layout.pipeline %ko depth 2
  // expected-error @below {{expected loops of a multiple of 16, 8 and 8 iterations, got 12, which is no multiple of 8}}
  layout.atom %ii, %ji, %ki "mma.m16n8k8"
}

// -----

te.kernel @innermost(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x64xf16>
    %v = te.read %b[d2, d1] : tensor<64x64xf16>
    %x = arith.extf %u : f16 to f32
    %z = arith.extf %v : f16 to f32
    %p = arith.mulf %x, %z : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 32]
  %jo, %ji = layout.split %j [*, 32]
  %ko, %ki = layout.split %k [*, 32]
  layout.reorder %io, %ko, %ii, %ki, %jo, %ji
  layout.cache 0 at %ko to shared
  layout.cache 1 at %ko to shared
  layout.bind %io, %jo to warp
  layout.pipeline %ko depth 2
  // expected-error @below {{expected the loops of an atom to be the innermost of 'y'}}
  layout.atom %ii, %ji, %ki "mma.m16n8k16"
}

// -----

te.kernel @no_pipeline(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x64xf16>
    %v = te.read %b[d2, d1] : tensor<64x64xf16>
    %x = arith.extf %u : f16 to f32
    %z = arith.extf %v : f16 to f32
    %p = arith.mulf %x, %z : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 32]
  %jo, %ji = layout.split %j [*, 32]
  %ko, %ki = layout.split %k [*, 32]
  layout.reorder %io, %jo, %ko, %ii, %ji, %ki
  layout.cache 0 at %ko to shared
  layout.cache 1 at %ko to shared
  layout.bind %io, %jo to warp
  // expected-error @below {{expected a layout.pipeline at the innermost reduction loop around the atom}}
  layout.atom %ii, %ji, %ki "mma.m16n8k16"
}

// -----

te.kernel @one_cache(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x64xf16>
    %v = te.read %b[d2, d1] : tensor<64x64xf16>
    %x = arith.extf %u : f16 to f32
    %z = arith.extf %v : f16 to f32
    %p = arith.mulf %x, %z : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 32]
  %jo, %ji = layout.split %j [*, 32]
  %ko, %ki = layout.split %k [*, 32]
  layout.reorder %io, %jo, %ko, %ii, %ji, %ki
  layout.cache 0 at %ko to shared
  layout.bind %io, %jo to warp
  // expected-error @below {{expected both factors, and nothing else, to be cached at this loop}}
  layout.pipeline %ko depth 2
  layout.atom %ii, %ji, %ki "mma.m16n8k16"
}

// -----

// The instruction has no factors of f32.
te.kernel @types(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x64xf32>
    %v = te.read %b[d2, d1] : tensor<64x64xf32>
    %p = arith.mulf %u, %v : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 32]
  %jo, %ji = layout.split %j [*, 32]
  %ko, %ki = layout.split %k [*, 32]
  layout.reorder %io, %jo, %ko, %ii, %ji, %ki
  layout.cache 0 at %ko to shared
  layout.cache 1 at %ko to shared
  layout.bind %io, %jo to warp
  layout.pipeline %ko depth 2
  // expected-error @below {{expected a sum of products of two values that mma.m16n8k16 takes (f16 or bf16, extended to f32), by 'y'}}
  layout.atom %ii, %ji, %ki "mma.m16n8k16"
}

// -----

// A tile would add the same value of the right factor in all its steps, also in those that are not there.
te.kernel @same(%a: tensor<64x20xf16>, %b: tensor<64xf16>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 20) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x20xf16>
    %v = te.read %b[d1] : tensor<64xf16>
    %x = arith.extf %u : f16 to f32
    %z = arith.extf %v : f16 to f32
    %p = arith.mulf %x, %z : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 32]
  %jo, %ji = layout.split %j [*, 32]
  %ko, %ki = layout.split %k [*, 32]
  layout.reorder %io, %jo, %ko, %ii, %ji, %ki
  layout.cache 0 at %ko to shared
  layout.cache 1 at %ko to shared
  layout.bind %io, %jo to warp
  layout.pipeline %ko depth 2
  // expected-error @below {{expected factors that depend on the steps, got one that does not for operand 1 of 'y'}}
  layout.atom %ii, %ji, %ki "mma.m16n8k16"
}

// -----

// Factors of f32 need not have values of tf32.
te.kernel @unmarked(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x64xf32>
    %v = te.read %b[d2, d1] : tensor<64x64xf32>
    %p = arith.mulf %u, %v : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 32]
  %jo, %ji = layout.split %j [*, 32]
  %ko, %ki = layout.split %k [*, 32]
  layout.reorder %io, %jo, %ko, %ii, %ji, %ki
  layout.cache 0 at %ko to shared
  layout.cache 1 at %ko to shared
  layout.bind %io, %jo to warp
  layout.pipeline %ko depth 2
  // expected-error @below {{expected a sum of products of two values that mma.m16n8k8 takes (f32, in products with te.tf32), by 'y'}}
  layout.atom %ii, %ji, %ki "mma.m16n8k8"
}

// -----

// Those that have are for another instruction.
te.kernel @marked(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x64xf32>
    %v = te.read %b[d2, d1] : tensor<64x64xf32>
    %p = arith.mulf %u, %v {te.tf32} : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 32]
  %jo, %ji = layout.split %j [*, 32]
  %ko, %ki = layout.split %k [*, 32]
  layout.reorder %io, %jo, %ko, %ii, %ji, %ki
  layout.cache 0 at %ko to shared
  layout.cache 1 at %ko to shared
  layout.bind %io, %jo to warp
  layout.pipeline %ko depth 2
  // expected-error @below {{expected a sum of products of two values that mma.m16n8k16 takes (f16 or bf16, extended to f32), by 'y'}}
  layout.atom %ii, %ji, %ki "mma.m16n8k16"
}

// -----

te.kernel @extended(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %y = te.compute @y (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<64x64xf16>
    %v = te.read %b[d2, d1] : tensor<64x64xf16>
    %x = arith.extf %u : f16 to f32
    %z = arith.extf %v : f16 to f32
    %p = arith.mulf %x, %z : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  te.return %y : tensor<64x64xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  %io, %ii = layout.split %i [*, 32]
  %jo, %ji = layout.split %j [*, 32]
  %ko, %ki = layout.split %k [*, 32]
  layout.reorder %io, %jo, %ko, %ii, %ji, %ki
  layout.cache 0 at %ko to shared
  layout.cache 1 at %ko to shared
  layout.bind %io, %jo to warp
  layout.pipeline %ko depth 2
  // expected-error @below {{expected a sum of products of two values that mma.m16n8k8 takes (f32, in products with te.tf32), by 'y'}}
  layout.atom %ii, %ji, %ki "mma.m16n8k8"
}
