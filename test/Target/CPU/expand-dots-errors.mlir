// RUN: tssa-opt %s -pass-pipeline='builtin.module(func.func(cpu-expand-dots{features=avx2}))' -verify-diagnostics

func.func @bf16(%s: vector<16xf32>, %a: vector<32xbf16>, %b: vector<32xbf16>) -> vector<16xf32> {
  // expected-error @below {{'avx512.bf16' needs avx512bf16, which this CPU does not have: compile for another one, or with --atom=emulate}}
  %r = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%s, %a, %b) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
  return %r : vector<16xf32>
}

func.func @bytes(%s: vector<16xi32>, %a: vector<64xi8>, %b: vector<64xi8>) -> vector<16xi32> {
  // expected-error @below {{'avx512.vnni' needs avx512vnni}}
  %r = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%s, %a, %b) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
  return %r : vector<16xi32>
}

func.func @short(%s: vector<8xi32>, %a: vector<32xi8>, %b: vector<32xi8>) -> vector<8xi32> {
  // expected-error @below {{'avx.vnni' needs avxvnni}}
  %r = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"(%s, %a, %b) : (vector<8xi32>, vector<32xi8>, vector<32xi8>) -> vector<8xi32>
  return %r : vector<8xi32>
}

func.func @matrices() {
  %0 = llvm.mlir.constant(0 : i8) : i8
  // expected-error @below {{'amx.int8' needs amx-int8, which this CPU does not have: compile for another one, or with --atom=emulate}}
  llvm.call_intrinsic "llvm.x86.tdpbssd"(%0, %0, %0) : (i8, i8, i8) -> ()
  return
}
