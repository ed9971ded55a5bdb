//===- TSSAOps.td - operations of the tssa dialect --------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_IR_TSSAOPS
#define DIALECTS_TSSA_IR_TSSAOPS

include "dialects/tssa/IR/TSSABase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

class TSSA_Op<string mnemonic, list<Trait> traits = []>
    : Op<TSSA_Dialect, mnemonic, traits>;

class RefOfTensor<string ref, string tensor> : TypesMatchWith<
    "type of '" # tensor # "' is the tensor of '" # ref # "'", ref, tensor,
    "::llvm::cast<RefType>($_self).getTensorType()">;

/// What ops with a path have in common.
defvar pathMethods = [{
    /// The path with its operands.
    ::mlir::tssa::refs::Path getBoundPath() {
      return ::mlir::tssa::refs::bindPath(getPath(), getIndexes());
    }
}];

//===----------------------------------------------------------------------===//
// With identity
//===----------------------------------------------------------------------===//

def TSSA_AllocOp : TSSA_Op<"alloc", [RefOfTensor<"ref", "source">]> {
  let summary = "a fresh storage with these contents";
  let description = [{
    `constant` names the tensor of the user's program whose contents they are: a
    write to such a storage would be seen by the next run, and is an error.

    Example: `%s = tssa.alloc %b : !tssa.ref<?x4xf32>`
  }];
  let arguments = (ins AnyRankedTensor:$source, OptionalAttr<StrAttr>:$constant);
  let results = (outs Res<TSSA_RefType, "", [MemAlloc]>:$ref);
  let assemblyFormat = "$source attr-dict `:` qualified(type($ref))";
  let builders = [OpBuilder<(ins "::mlir::Value":$source)>];
}

def TSSA_ViewOp : TSSA_Op<"view", [Pure,
    DeclareOpInterfaceMethods<ViewLikeOpInterface, ["getViewSource", "getViewDest"]>]> {
  let summary = "another window on the same storage";
  let description = [{
    Constraints:
    - (C1) there is one index operand per `?` of the path.
    - (C2) every step fits the shape that the steps before it give.
    - (C3) the result has the shape that the path gives and the element type of
      the source.

    Example: `%v = tssa.view %s [select(0, ?)](%i) : !tssa.ref<?x4xf32> -> !tssa.ref<4xf32>`
  }];
  let arguments = (ins TSSA_RefType:$source, ArrayAttr:$path, Variadic<Index>:$indexes);
  let results = (outs TSSA_RefType:$ref);
  let assemblyFormat = [{
    $source custom<Path>($path) (`(` $indexes^ `)`)? attr-dict `:` qualified(type($source)) `->` qualified(type($ref))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$source,
                                 "const ::mlir::tssa::refs::Path &":$path)>];
  let hasVerifier = 1; // C1 to C3
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let extraClassDeclaration = pathMethods;
}

def TSSA_DimOp : TSSA_Op<"dim", [Pure]> {
  let summary = "the size of a dim of a ref";
  let description = [{
    Constraints:
    - (C1) the ref has such a dim.

    Example: `%n = tssa.dim %s, 0 : !tssa.ref<?x4xf32>`
  }];
  let arguments = (ins TSSA_RefType:$ref, I64Attr:$dim);
  let results = (outs Index:$size);
  let assemblyFormat = "$ref `,` $dim attr-dict `:` qualified(type($ref))";
  let hasVerifier = 1; // C1
  let hasFolder = 1;
}

def TSSA_ReadOp : TSSA_Op<"read", [RefOfTensor<"ref", "value">]> {
  let summary = "the contents of a ref as a value";
  let description = [{
    Example: `%x = tssa.read %v : !tssa.ref<4xf32>`
  }];
  let arguments = (ins Arg<TSSA_RefType, "", [MemRead]>:$ref);
  let results = (outs AnyRankedTensor:$value);
  let assemblyFormat = "$ref attr-dict `:` qualified(type($ref))";
  let builders = [OpBuilder<(ins "::mlir::Value":$ref)>];
}

def TSSA_WriteOp : TSSA_Op<"write", [RefOfTensor<"ref", "value">]> {
  let summary = "put a value into the window that a ref names";
  let description = [{
    The only write. Front ends convert and broadcast the value before.

    Example: `tssa.write %y, %v : !tssa.ref<4xf32>`
  }];
  let arguments = (ins AnyRankedTensor:$value, Arg<TSSA_RefType, "", [MemWrite]>:$ref);
  let assemblyFormat = "$value `,` $ref attr-dict `:` qualified(type($ref))";
}

//===----------------------------------------------------------------------===//
// On values
//===----------------------------------------------------------------------===//

def TSSA_AccessOp : TSSA_Op<"access", [Pure]> {
  let summary = "a window of a value";
  let description = [{
    Constraints: (C1) to (C3) of `tssa.view`.

    Example: `%x = tssa.access %b [select(0, ?)](%i) : tensor<?x4xf32> -> tensor<4xf32>`
  }];
  let arguments = (ins AnyRankedTensor:$base, ArrayAttr:$path, Variadic<Index>:$indexes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $base custom<Path>($path) (`(` $indexes^ `)`)? attr-dict `:` type($base) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$base,
                                 "const ::mlir::tssa::refs::Path &":$path)>];
  let hasVerifier = 1; // C1 to C3
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let extraClassDeclaration = pathMethods;
}

def TSSA_AssignOp : TSSA_Op<"assign", [Pure, AllTypesMatch<["base", "result"]>]> {
  let summary = "a value with a window of it replaced";
  let description = [{
    Constraints: (C1) to (C3) of `tssa.view`, for the type of `source`, and
    - (C4) no step of the path repeats elements.

    Example: `%b2 = tssa.assign %y into %b [select(0, ?)](%i) : tensor<4xf32> into tensor<?x4xf32>`
  }];
  let arguments = (ins AnyRankedTensor:$source, AnyRankedTensor:$base, ArrayAttr:$path,
                       Variadic<Index>:$indexes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `into` $base custom<Path>($path) (`(` $indexes^ `)`)? attr-dict `:` type($source) `into` type($base)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$base,
                                 "const ::mlir::tssa::refs::Path &":$path)>];
  let hasVerifier = 1; // C1 to C4
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let extraClassDeclaration = pathMethods;
}

def TSSA_VersionOp : TSSA_Op<"version", [
    AllTypesMatch<["new_version", "old_version"]>, MemoryEffects<[MemWrite]>]> {
  let summary = "from here on, uses of the old version mean the new one";
  let description = [{
    Computes nothing. Stands between `tssa-rewrite-mutation` and
    `tssa-erase-versions` only.

    Example: `tssa.version %b2, %b : tensor<?x4xf32>`
  }];
  let arguments = (ins AnyRankedTensor:$new_version, AnyRankedTensor:$old_version);
  let assemblyFormat = "$new_version `,` $old_version attr-dict `:` type($new_version)";
}

#endif // DIALECTS_TSSA_IR_TSSAOPS
