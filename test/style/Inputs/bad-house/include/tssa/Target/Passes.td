// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def Silent : Pass<"silent"> {
  let summary = "a pass without a page";
}

def Terse : Pass<"terse"> {
  let description = [{
    A pass without an example.

    - **Needs**: nothing.
    - **Keeps**: nothing.
  }];
}
