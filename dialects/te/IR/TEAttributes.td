//===- TEAttributes.td - what stages tell each other -------*- tablegen -*-===//
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
  let summary = "what callers know of an argument or a result of the program";
  let description = [{
    The attribute `te.port` of an argument or a result of the host program:

    - `name`: the name in the user's model, where it has one.
    - `type`: the element type with its sign, such as `ui8`; the tensor's own
      element type where it is absent. Integers of less than a byte and floats of
      a byte are stored as `i8`.
    - `dims`: per dim an integer, the name of a size, or "" where nothing is known.
      Equal names are equal sizes.
    - `example`, of an argument: sizes that are known to work, one per dim.
    - `writes_back`, of a result: the argument whose contents after the run it is.
    - `alias_of`, of a result: the argument whose storage it is a view of; `path`
      has the steps of the view, where it is not the whole, and `indexes` is the
      result with the integers that stand for each `?` of the steps.

    Constraints:
    - (C1) `type` is an integer type of at most 64 bits or a float type.
    - (C2) a dim is a string or an integer of at least 0; `example` has as many.
    - (C3) a port has `writes_back` or `alias_of`, not both; `path` and `indexes`
      come with `alias_of`, `indexes` with a `path`.

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
    OptionalParameter<"::std::optional<unsigned>">:$indexes);
  let builders = [
    AttrBuilder<(ins CArg<"::mlir::StringAttr", "{}">:$name, CArg<"::mlir::Type", "{}">:$type,
                     CArg<"::mlir::ArrayAttr", "{}">:$dims,
                     CArg<"::mlir::DenseI64ArrayAttr", "{}">:$example), [{
      return $_get($_ctxt, name, type, dims, example, std::nullopt, std::nullopt,
                   ::mlir::ArrayAttr(), std::nullopt);
    }]>];
  let genVerifyDecl = 1; // C1 to C3
  let extraClassDeclaration = [{
    /// The entry of `dims` for a dim, null where there is none.
    ::mlir::Attribute getDim(unsigned dim) const {
      return getDims() && dim < getDims().size() ? getDims()[dim] : ::mlir::Attribute();
    }
    /// This port as the result that has the contents of `argument` after the run.
    PortAttr writingBack(unsigned argument) const;
    /// This port as a view of the storage of `argument`.
    PortAttr aliasing(unsigned argument, ::mlir::ArrayAttr path,
                      ::std::optional<unsigned> indexes) const;
  }];
}

def TE_WeightAttr : TE_Attr<"Weight", "weight"> {
  let summary = "a constant of the program and where it lies in the weights";
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
    An entry of `te.nodes` on the module: the name of a node, which locations
    carry, and its operator, "" where none is known. The order numbers the nodes.

    Example: `#te.node<name = "conv1", op = "Conv">`
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::StringAttr":$op);
}

def TE_LaunchRecordAttr : TE_Attr<"LaunchRecord", "launch_record"> {
  let summary = "a launch of the host program, for errors and profiles";
  let description = [{
    An entry of `te.launches` on the module: the kernel, the numbers in `te.nodes`
    of the nodes that it computes, and its floating-point operations, where they
    can be counted.

    Constraints:
    - (C1) numbers of nodes and `flops` are at least 0.

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
    - (C1) there is a thread, and `shared_bytes` is at least 0.

    Example: `func.func @k0() attributes {te.block = #te.block<threads = 256, shared_bytes = 0>}`
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$shared_bytes);
  let genVerifyDecl = 1; // C1
}

def TE_DeviceKernelAttr : TE_Attr<"DeviceKernel", "device_kernel"> {
  let summary = "a kernel in the device code of the program";
  let description = [{
    An entry of `te.kernels` on the module, in the order in which launches number
    the kernels. `parameters` are pointers and sizes in the order of the device
    function's.

    Constraints:
    - (C1) `parameters` is at least 0.

    Example: `#te.device_kernel<name = "k0", parameters = 3, block = <threads = 256, shared_bytes = 0>>`
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$parameters, "BlockAttr":$block);
  let genVerifyDecl = 1; // C1
}

#endif // DIALECTS_TE_IR_TEATTRIBUTES
