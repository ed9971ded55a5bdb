//===- TEAttributes.td - attributes of the te dialect ------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_TEATTRIBUTES
#define DIALECTS_TE_IR_TEATTRIBUTES

include "dialects/te/IR/TEBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

class TE_Attr<string name, string attrMnemonic> : AttrDef<TE_Dialect, name> {
  let mnemonic = attrMnemonic;
  let assemblyFormat = "`<` struct(params) `>`";
}

def TE_PortAttr : TE_Attr<"Port", "port"> {
  let summary = "an argument or a result of the program as callers see it";
  let description = [{
    The attribute `te.port` of an argument or a result of the host program:

    - `name`: the name in the user's model, if it has one.
    - `type`: the element type with its signedness, such as `ui8`. Without `type`,
      the element type is that of the tensor. Integers of less than a byte and
      floats of a byte are stored as `i8`.
    - `dims`: for each dim an integer, the name of a size, or "" if nothing is
      known. Dims with equal names have equal sizes.
    - `example`, of an argument: sizes that are known to work, one for each dim.
    - `writes_back`, of a result: the argument whose new contents the result is.
    - `alias_of`, of a result: the argument that the result is a view of. `path` has
      the view steps, if the view is not the whole argument. `indexes` is the
      position of the result that holds the integers bound to each `?` of the path.
    - `strings`, of a result: the table of strings whose indexes the elements are.
    - `keys`, of a result with rows: each row is a map from these strings or integers, one
      for each column, to the elements of the row.

    Constraints:
    - (C1) `type` is an integer type of at most 64 bits or a float type.
    - (C2) a dim is a string or an integer of at least 0; `example` has one size
      for each dim.
    - (C3) a port does not have both `writes_back` and `alias_of`; `path` requires
      `alias_of`, and `indexes` requires `path`.
    - (C4) `strings` are strings and `keys` are either strings or i64; a port does not
      have both. With `strings`, `type` is `i64`.

    Example:
    ```mlir
    func.func @main(%x: tensor<?x3xi8> {te.port = #te.port<name = "image", type = ui8, dims = ["N", 3]>})
    ```
  }];
  let parameters = (ins
    OptionalParameter<"::mlir::StringAttr">:$name,
    OptionalParameter<"::mlir::Type">:$type,
    OptionalParameter<"::mlir::ArrayAttr">:$dims,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$example,
    OptionalParameter<"::std::optional<unsigned>">:$writes_back,
    OptionalParameter<"::std::optional<unsigned>">:$alias_of,
    OptionalParameter<"::mlir::ArrayAttr">:$path,
    OptionalParameter<"::std::optional<unsigned>">:$indexes,
    OptionalParameter<"::mlir::ArrayAttr">:$strings,
    OptionalParameter<"::mlir::ArrayAttr">:$keys);
  let builders = [
    AttrBuilder<(ins CArg<"::mlir::StringAttr", "{}">:$name, CArg<"::mlir::Type", "{}">:$type,
                     CArg<"::mlir::ArrayAttr", "{}">:$dims,
                     CArg<"::mlir::DenseI64ArrayAttr", "{}">:$example), [{
      return $_get($_ctxt, name, type, dims, example, std::nullopt, std::nullopt,
                   ::mlir::ArrayAttr(), std::nullopt, ::mlir::ArrayAttr(), ::mlir::ArrayAttr());
    }]>];
  let genVerifyDecl = 1; // C1 to C4
  let extraClassDeclaration = [{
    /// Returns the entry of `dims` for a dim, or null if there is none.
    ::mlir::Attribute getDim(unsigned dim) const {
      return getDims() && dim < getDims().size() ? getDims()[dim] : ::mlir::Attribute();
    }
    /// Returns this port with tables of strings and of keys; either may be null.
    PortAttr withLabels(::mlir::ArrayAttr strings, ::mlir::ArrayAttr keys) const;
    /// Returns this port for a result that has the new contents of `argument`.
    PortAttr writingBack(unsigned argument) const;
    /// Returns this port for a result that is a view of `argument`.
    PortAttr aliasing(unsigned argument, ::mlir::ArrayAttr path,
                      ::std::optional<unsigned> indexes) const;
  }];
}

def TE_WindowAttr : TE_Attr<"Window", "window"> {
  let summary = "the place of a tensor inside the memory of a larger tensor";
  let description = [{
    The attribute `te.window` of a parameter or a result of a kernel: the elements of
    the tensor are not contiguous, but lie in a larger tensor, row by row. For each
    dim, `sizes` has the size of the larger tensor, or -1 if it is that of the tensor
    itself, and `at` has the index of the first element. A launch passes the memory of
    the larger tensor. `layout-place-joins` sets the attribute.

    Constraints:
    - (C1) `sizes` and `at` have one entry for each dim; no entry of `at` is negative.
    - (C2) where `sizes` is -1, `at` is 0; elsewhere it is at least 0.

    Example: `%x: tensor<1x8x64xf32> {te.window = #te.window<sizes = [-1, -1, 256], at = [0, 0, 64]>}`
  }];
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$sizes, "::mlir::DenseI64ArrayAttr":$at);
  let genVerifyDecl = 1; // C1, C2
}

def TE_WeightAttr : TE_Attr<"Weight", "weight"> {
  let summary = "a constant of the program and its offset in the weights";
  let description = [{
    An entry of `te.weights` on the module, which `te-plan-buffers` sets. `offset` is in bytes.

    Constraints:
    - (C1) `offset` is at least 0.

    Example: `#te.weight<offset = 64, value = dense<1.0> : tensor<4xf32>>`
  }];
  let parameters = (ins "int64_t":$offset, "::mlir::ElementsAttr":$value);
  let genVerifyDecl = 1; // C1
}

def TE_NodeAttr : TE_Attr<"Node", "node"> {
  let summary = "a node of the user's model, for errors and profiles";
  let description = [{
    An entry of `te.nodes` on the module: the name of a node and its operator, or ""
    if the operator is not known. The name is also in the locations of ops. The
    number of a node is its position in `te.nodes`.

    Example: `#te.node<name = "conv1", op = "Conv">`
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::StringAttr":$op);
}

def TE_LaunchRecordAttr : TE_Attr<"LaunchRecord", "launch_record"> {
  let summary = "a launch of the host program, for errors and profiles";
  let description = [{
    An entry of `te.launches` on the module: the kernel, the nodes that the launch
    computes (as positions in `te.nodes`), and the number of its floating-point
    operations, if they can be counted.

    Constraints:
    - (C1) the positions of the nodes and `flops` are at least 0.

    Example: `#te.launch_record<kernel = "k0", nodes = [0, 1], flops = 4096>`
  }];
  let parameters = (ins "::mlir::StringAttr":$kernel, "::mlir::DenseI32ArrayAttr":$nodes,
                        OptionalParameter<"::std::optional<int64_t>">:$flops);
  let genVerifyDecl = 1; // C1
}

def TE_BlockAttr : TE_Attr<"Block", "block"> {
  let summary = "how a device runs a function as a kernel";
  let description = [{
    The attribute `te.block` of a function that a block of `threads` threads runs
    with `shared_bytes` bytes of shared memory.

    Constraints:
    - (C1) `threads` is at least 1, and `shared_bytes` is at least 0.

    Example: `func.func @k0() attributes {te.block = #te.block<threads = 256, shared_bytes = 0>}`
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$shared_bytes);
  let genVerifyDecl = 1; // C1
}

def TE_DeviceKernelAttr : TE_Attr<"DeviceKernel", "device_kernel"> {
  let summary = "a kernel in the device code of the program";
  let description = [{
    An entry of `te.kernels` on the module. Launches refer to a kernel by its
    position in this table. `parameters` is the number of parameters, pointers
    and sizes, of the device function.

    Constraints:
    - (C1) `parameters` is at least 0.

    Example: `#te.device_kernel<name = "k0", parameters = 3, block = <threads = 256, shared_bytes = 0>>`
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$parameters, "BlockAttr":$block);
  let genVerifyDecl = 1; // C1
}

#endif // DIALECTS_TE_IR_TEATTRIBUTES
