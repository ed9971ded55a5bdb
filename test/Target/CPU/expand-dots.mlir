// RUN: tssa-opt %s -pass-pipeline='builtin.module(func.func(cpu-expand-dots{emulate=true}))' | FileCheck %s
// RUN: tssa-opt %s -pass-pipeline='builtin.module(func.func(cpu-expand-dots{features=amx-bf16,amx-tile,avx512bf16,avx512vnni}))' | FileCheck %s --check-prefixes=KEPT,MATRICES

// The products of the second elements, in the upper halves of the words, are added first.
// CHECK-LABEL: func.func @bf16(
// CHECK: %[[HIGH:.*]] = arith.constant dense<-65536> : vector<16xi32>
// CHECK: arith.andi %{{.*}}, %[[HIGH]]
// CHECK: %[[SUM:.*]] = math.fma %{{.*}}, %{{.*}}, %arg0 : vector<16xf32>
// CHECK: %[[C16:.*]] = arith.constant dense<16> : vector<16xi32>
// CHECK: arith.shli %{{.*}}, %[[C16]]
// CHECK: %[[RESULT:.*]] = math.fma %{{.*}}, %{{.*}}, %[[SUM]] : vector<16xf32>
// CHECK: return %[[RESULT]]
// KEPT-LABEL: func.func @bf16(
// KEPT: llvm.call_intrinsic
func.func @bf16(%s: vector<16xf32>, %a: vector<32xbf16>, %b: vector<32xbf16>) -> vector<16xf32> {
  %r = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%s, %a, %b) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
  return %r : vector<16xf32>
}

// CHECK-LABEL: func.func @bytes(
// CHECK-COUNT-4: arith.shrsi
// CHECK: arith.addi
// CHECK-NOT: call_intrinsic
// KEPT-LABEL: func.func @bytes(
// KEPT: llvm.call_intrinsic
func.func @bytes(%s: vector<16xi32>, %a: vector<64xi8>, %b: vector<64xi8>) -> vector<16xi32> {
  %r = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%s, %a, %b) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
  return %r : vector<16xi32>
}

// AVX-512 has the instruction of 256 bits, too.
// KEPT-LABEL: func.func @short(
// KEPT: llvm.call_intrinsic
func.func @short(%s: vector<8xi32>, %a: vector<32xi8>, %b: vector<32xi8>) -> vector<8xi32> {
  %r = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"(%s, %a, %b) : (vector<8xi32>, vector<32xi8>, vector<32xi8>) -> vector<8xi32>
  return %r : vector<8xi32>
}

// Registers of matrices are memory of the function; without, they are released where it returns.
// CHECK-LABEL: func.func @matrices(
// CHECK: memref.alloca() : memref<2048xi32>
// CHECK: memref.alloca() : memref<8xindex>
// CHECK: memref.alloca() : memref<8xindex>
// CHECK: llvm.load
// CHECK: llvm.intr.masked.load
// CHECK: scf.if
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-2: math.fma
// CHECK: llvm.intr.masked.store
// CHECK-NOT: call_intrinsic
// MATRICES-LABEL: func.func @matrices(
// MATRICES: llvm.call_intrinsic "llvm.x86.tilestored64"
// MATRICES-NEXT: llvm.call_intrinsic "llvm.x86.tilerelease"
// MATRICES-NEXT: return
func.func @matrices(%config: !llvm.ptr, %a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr, %stride: i64) {
  %0 = llvm.mlir.constant(0 : i8) : i8
  %1 = llvm.mlir.constant(1 : i8) : i8
  %2 = llvm.mlir.constant(2 : i8) : i8
  llvm.call_intrinsic "llvm.x86.ldtilecfg"(%config) : (!llvm.ptr) -> ()
  llvm.call_intrinsic "llvm.x86.tilezero"(%0) : (i8) -> ()
  llvm.call_intrinsic "llvm.x86.tileloadd64"(%1, %a, %stride) : (i8, !llvm.ptr, i64) -> ()
  llvm.call_intrinsic "llvm.x86.tileloadd64"(%2, %b, %stride) : (i8, !llvm.ptr, i64) -> ()
  llvm.call_intrinsic "llvm.x86.tdpbf16ps"(%0, %1, %2) : (i8, i8, i8) -> ()
  llvm.call_intrinsic "llvm.x86.tilestored64"(%0, %c, %stride) : (i8, !llvm.ptr, i64) -> ()
  return
}
