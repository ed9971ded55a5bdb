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

/// The methods that all ops with a path have.
defvar pathMethods = [{
    /// Returns the path with the index operands bound to each `?`.
    ::mlir::tssa::refs::Path getBoundPath() {
      return ::mlir::tssa::refs::bindPath(getPath(), getIndexes());
    }
}];

//===----------------------------------------------------------------------===//
// Ops on references
//===----------------------------------------------------------------------===//

def TSSA_AllocOp : TSSA_Op<"alloc", [RefOfTensor<"ref", "source">]> {
  let summary = "allocate a storage with the contents of `source`";
  let description = [{
    If the storage holds a constant of the user's program, `constant` is the name of
    that constant. A write to such a storage is an error, because the next run would
    read the written elements.

    Example: `%s = tssa.alloc %b : !tssa.ref<?x4xf32>`
  }];
  let arguments = (ins AnyRankedTensor:$source, OptionalAttr<StrAttr>:$constant);
  let results = (outs Res<TSSA_RefType, "", [MemAlloc]>:$ref);
  let assemblyFormat = "$source attr-dict `:` qualified(type($ref))";
  let builders = [OpBuilder<(ins "::mlir::Value":$source)>];
}

def TSSA_ViewOp : TSSA_Op<"view", [Pure,
    DeclareOpInterfaceMethods<ViewLikeOpInterface, ["getViewSource", "getViewDest"]>]> {
  let summary = "a view of the same storage";
  let description = [{
    Constraints:
    - (C1) there is one index operand per `?` of the path.
    - (C2) each step fits the shape that results from the steps before it.
    - (C3) the result has the shape that results from the path, and the element
      type of the source.

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
    - (C1) `dim` is below the rank of the ref.

    Example: `%n = tssa.dim %s, 0 : !tssa.ref<?x4xf32>`
  }];
  let arguments = (ins TSSA_RefType:$ref, I64Attr:$dim);
  let results = (outs Index:$size);
  let assemblyFormat = "$ref `,` $dim attr-dict `:` qualified(type($ref))";
  let hasVerifier = 1; // C1
  let hasFolder = 1;
}

def TSSA_ReadOp : TSSA_Op<"read", [RefOfTensor<"ref", "value">]> {
  let summary = "read the elements of a ref as a tensor value";
  let description = [{
    Example: `%x = tssa.read %v : !tssa.ref<4xf32>`
  }];
  let arguments = (ins Arg<TSSA_RefType, "", [MemRead]>:$ref);
  let results = (outs AnyRankedTensor:$value);
  let assemblyFormat = "$ref attr-dict `:` qualified(type($ref))";
  let builders = [OpBuilder<(ins "::mlir::Value":$ref)>];
}

def TSSA_WriteOp : TSSA_Op<"write", [RefOfTensor<"ref", "value">]> {
  let summary = "overwrite the elements of a ref";
  let description = [{
    This is the only op that writes. Front ends convert and broadcast the value
    to the type of the ref beforehand.

    Example: `tssa.write %y, %v : !tssa.ref<4xf32>`
  }];
  let arguments = (ins AnyRankedTensor:$value, Arg<TSSA_RefType, "", [MemWrite]>:$ref);
  let assemblyFormat = "$value `,` $ref attr-dict `:` qualified(type($ref))";
}

//===----------------------------------------------------------------------===//
// Ops on values
//===----------------------------------------------------------------------===//

def TSSA_AccessOp : TSSA_Op<"access", [Pure]> {
  let summary = "a view of a tensor value";
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
  let summary = "a tensor value with the elements of a view replaced";
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
  let summary = "mark that later uses of the old version mean the new version";
  let description = [{
    This op computes nothing. It exists only between the passes
    `tssa-rewrite-mutation` and `tssa-erase-versions`.

    Example: `tssa.version %b2, %b : tensor<?x4xf32>`
  }];
  let arguments = (ins AnyRankedTensor:$new_version, AnyRankedTensor:$old_version);
  let assemblyFormat = "$new_version `,` $old_version attr-dict `:` type($new_version)";
}

#endif // DIALECTS_TSSA_IR_TSSAOPS
