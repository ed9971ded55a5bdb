// RUN: tssa-opt %s -split-input-file -verify-diagnostics

te.kernel @split_C1(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  // expected-error @below {{expects factors of at least 1, got 0}}
  %o, %l = layout.split %i [*, 0]
}

// -----

te.kernel @bind_level(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  // expected-error @+2 {{expected one of [parallel, block, lane, warp] for a level of parallelism, on which iterations run at the same time, got: cluster}}
  // expected-error @+2 {{failed to parse Layout_LevelAttr parameter 'value'}}
  layout.bind %i to cluster
}

// -----

te.kernel @cache_C1_operand(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  // expected-error @below {{expects the index of an operand, got -1}}
  layout.cache -1 at %i to shared
}

// -----

te.kernel @cache_C1_level(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  // expected-error @below {{expects level shared, got 'registers'}}
  layout.cache 0 at %i to registers
}

// -----

te.kernel @atom_C1_instruction(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  %i, %j, %k = layout.loops @y : !layout.loop, !layout.loop, !layout.loop
  // expected-error @below {{expects an instruction, one of mma.m16n8k16, mma.m16n8k8, amx.bf16, amx.int8, avx512.bf16, avx512.vnni, avx.vnni, got 'wgmma'}}
  layout.atom %i, %j, %k "wgmma"
}

// -----

te.kernel @atom_C1_loops(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  // expected-error @below {{expects three loops for 'mma.m16n8k16', got 1}}
  layout.atom %i "mma.m16n8k16"
}

// -----

te.kernel @atom_C1_dot(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  %i, %j = layout.loops @y : !layout.loop, !layout.loop
  // expected-error @below {{expects one loop for 'avx512.bf16', got 2}}
  layout.atom %i, %j "avx512.bf16"
}

// -----

te.kernel @pipeline_C1(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  // expected-error @below {{expects a depth of 2 to 8, got 1}}
  layout.pipeline %i depth 1
}

// -----

te.kernel @store_C1_none(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  // expected-error @below {{expects either a parameter or a label}}
  "layout.store"() {map = #layout.map<reorder(0)>} : () -> ()
}

// -----

te.kernel @store_C1_both(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  // expected-error @below {{expects either a parameter or a label}}
  "layout.store"() {map = #layout.map<reorder(0)>, parameter = 0 : i64, label = @y} : () -> ()
}

// -----

te.kernel @store_C1_negative(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  // expected-error @below {{expects the index of a parameter, got -1}}
  layout.store -1 as map<reorder(0)>
}

// -----

te.kernel @store_C2(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  // expected-error @below {{expects only other stores before it, got 'layout.loops'}}
  layout.store 0 as map<reorder(0)>
}

// -----

te.kernel @store_C3(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  layout.store @y as map<reorder(0)>
  layout.store 0 as map<reorder(0)>
  // expected-error @below {{stores an operand that another op stores}}
  layout.store 0 as map<split(0, [*, 2])>
}

// -----

te.kernel @launches_C1_none(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  // expected-error @below {{expects ascending positions of at least 0}}
  layout.launches []
}

// -----

te.kernel @launches_C1_twice(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  // expected-error @below {{expects ascending positions of at least 0}}
  layout.launches [0, 1, 1]
}

// -----

te.kernel @launches_C1_negative(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  // expected-error @below {{expects ascending positions of at least 0}}
  layout.launches [-1, 1]
}

// -----

te.kernel @launches_C2(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  layout.store 0 as map<reorder(0)>
  // expected-error @below {{expects to be the first op of the schedule}}
  layout.launches [0]
}
