//===- OptionTable.cpp - the options of tssa-compile
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptionTable.h"
#include "tssa/Pipeline/Compile.h"
#include "tssa/abi.h"

#include <algorithm>

namespace tssa::compile {

/// Returns what to use instead of an option that other compilers have, or "".
static std::string adviseOption(std::string_view name) {
  static const std::pair<std::vector<std::string_view>, const char *> all[] = {
      {{"output", "out", "output-file"}, "write -o FILE"},
      {{"O", "Os", "Oz", "Ofast", "optimize", "opt", "opt-level", "optimization-level"},
       "leave it out: there is one level, the code that runs fastest"},
      {{"fp", "half", "float", "bf", "tf", "dtype"},
       "--precision=f16, bf16 or tf32 rounds the factors of products; all else has the types of "
       "the "
       "model"},
      {{"int", "quantize"},
       "the code computes in the types of the model, so convert the model before, such as with "
       "ONNX "
       "Runtime's quantization"},
      {{"batch", "batch-size"}, "fix a named size with --dim NAME=N"},
      {{"shape", "shapes", "input-shapes", "optShapes", "minShapes", "maxShapes"},
       "fix the shape of an input with --input-shape NAME=1x3x224x224"},
      {{"device", "gpu", "cuda"},
       "choose with --target=cuda, the GPU of this machine, or --target=cuda:sm_NN"},
      {{"march", "arch", "cpu", "mtune"}, "choose the CPU with --mcpu=NAME"},
      {{"onnx", "model", "input"}, "give the model without an option: tssa-compile MODEL.onnx"},
      {{"debug"}, "use -v, --remarks or --explain"},
      {{"timing", "time"}, "use -v, which prints each step with its seconds"},
      {{"progress"}, "use -v, or --progress-fd=N"},
      {{"jobs", "j", "num-threads", "nproc"}, "use --threads=N"}};
  name = name.substr(0, name.find_last_not_of("0123456789") + 1);
  for (const auto &[names, advice] : all)
    if (std::find(names.begin(), names.end(), name) != names.end())
      return advice;
  return "";
}

static tools::About makeAbout() {
  tools::About about;
  about.name = "tssa-compile";
  about.summary = "compiles a model to one binary that tssa-run and libtssart run";
  about.operand = "MODEL.onnx|MODEL.mlir|PROGRAM.json";
  about.noun = "model";
  about.examples = {
      {"tssa-compile model.onnx", "writes model.so for this CPU"},
      {"tssa-compile model.onnx -o m.so --mcpu=x86-64-v3 --dim batch=1", ""},
      {"tssa-compile model.onnx --target=cpu,cuda:sm_90", "runs on either"},
      {"tssa-compile model.onnx --check", "lists all that is not supported"},
      {"tssa-compile model.onnx --explain", "says what each kernel does, and why"},
      {"tssa-compile model.onnx --print-partition -o groups.svg", ""},
      {"tssa-compile model.onnx --compile-to=te", "prints the module after stage te"},
      {"tssa-compile model.onnx --emit=schedule -o s.mlir", ""},
      {"tssa-compile --emit=machine -o here.txt", "for --machine=here.txt on another host"},
      {"tssa-compile program.json", "a PyTorch program, as the Python package tssa writes it"}};
  about.exitCodes = "0 ok, 1 error in the model, 2 usage, 3 unsupported, 4 mismatch, 5 limit or "
                    "timeout, 70 internal";
  about.version = getToolBuild() + "\n  onnx " TSSA_ONNX_VERSION ", manifest ABI " +
                  std::to_string(TSSA_ABI_VERSION) + ", build " TSSA_BUILD_ID;
  about.advise = adviseOption;
  return about;
}

CommandLine::CommandLine() : tools::CommandLine(makeAbout()) {
  bindOperand(input);
  addOutput();
  addKernels();
  addChecks();
  addReports();
  addLimits();
}

void CommandLine::addOutput() {
  add("o", output, "FILE", "Output file; by default MODEL.so in the current directory");
  add("depfile", depFile, "FILE", "Write which files the output depends on, for make and Ninja");
  add("target", target, "TARGET,...",
      "What to make code for: cpu (default), cuda (the GPU of this machine), cuda:sm_90 and "
      "others, "
      "cuda-emu, or a list");
  add("mcpu", mcpu, "CPU,...",
      "CPU, such as native (default), x86-64-v3, znver4; of several, a run takes the one with the "
      "most instructions that its machine has");
  add("machine", machine, "FILE",
      "Machine, as --emit=machine and tssa-run --inspect write it, instead of --mcpu");
  add("atom", atom, "native|emulate",
      "Dot products of schedules: instructions of the CPU (default), or other arithmetic that "
      "gives the same, on any CPU");
  add("dim", sizes.dims, "NAME=N", "Fix the size of a named dim; repeatable");
  add("input-shape", sizes.shapes, "NAME=1x3x224x224",
      "Fix the shape of an input, or name its dims, as in [N,3,?,?], where ? is any size; "
      "repeatable");
  add("const", sizes.constants, "NAME=VALUE",
      "Make an input of an ONNX model a constant: a number, true, false, or a list such as "
      "[1,3,224,224]; repeatable");
  add("operators", operators, "FILE.mlir",
      "Operators that the model uses and nobody knows, as functions of te named DOMAIN::OPERATOR, "
      "or an object .o with routines that they call; repeatable");
  add("compile-to", lastStage, "STAGE",
      "Stop after import, functional, te, layout, buffers, loops or target");
  add("emit", emit, "KIND",
      "Write llvm, ptx, asm, obj, so (default), schedule or machine, which needs no model");
}

void CommandLine::addKernels() {
  add("precision", precision, "TYPE",
      "Round the factors of matrix products and convolutions of f32 to f16, bf16 or tf32, and sum "
      "in f32; weights of 16 bits take half the space. fast is bf16 where a target multiplies "
      "those "
      "faster, else f32. f32 (default) rounds nothing");
  add("point", point, "N", "Take the loops that the draft model ranks N-th, not first (0)");
  add("schedule", schedule, "FILE", "Schedules of kernels, as --emit=schedule writes them");
  add("tuned", tuned, "DIR", "Give kernels the loops that a tuner has recorded in DIR");
  add("dump-dir", dumpDir, "DIR", "Write the module after every stage");
  add("cache-dir", cacheDir, "DIR",
      "Keep the code of kernels in DIR, and take what is kept there. Serves --emit=so only, "
      "without --remarks, --dump-dir and --verify-each-stage");
}

void CommandLine::addChecks() {
  add("verify-each-stage", verify, "Run the model after every stage and name the first wrong one");
  add("inject-fault", injectFault, "NAME", "Make a fault, for tests").hide();
  add("no-merge", noMerge, "Make each op a kernel of its own, for comparisons").hide();
  add("force", force, "NAME", "Apply a transformation wherever it is legal").hide();
  add("without", without, "NAME", "Leave a transformation out").hide();
  add("bisect", bisect, "Run the model and name the first node whose value is wrong");
  add("inputs", inputs, "IN.npz", "Inputs for --bisect; by default random ones");
  add("reference", reference, "REF.npz",
      "Reference values for --bisect, by tensor name; by default the evaluator's");
  add("random", seed, "SEED", "Seed of random inputs for --bisect (1)");
  add("rtol", rtol, "R", "Allowed error for --bisect, relative to the largest magnitude (1e-3)");
  add("atol", atol, "A", "Allowed error of an element for --bisect (1e-5)");
  add("sanitize", sanitize, "NAME", "address: code for a process with AddressSanitizer").hide();
}

void CommandLine::addReports() {
  add("list-operators", listOperators, "Print the table of operators as JSON").hide();
  add("explain", explain,
      "Only print what each launch computes and moves, and why its results are stored");
  add("print-partition", printPartition,
      "Only print which nodes are one launch, and its part of the time; with -o FILE.dot or "
      "FILE.svg as a graph");
  add("annotate", annotate, "FILE.onnx",
      "Only write the ONNX model with the launches of its nodes as metadata, for viewers such as "
      "Netron");
  add("times", times, "TIMES.json",
      "For these three: times of the launches, as tssa-run --profile --json prints them, instead "
      "of "
      "estimates");
  add("v", verbose, "Print each step of the compilation with its seconds");
  add("verbose", verbose, "As -v").hide();
  add("progress-fd", progressFile, "N",
      "Write each step and each kernel that is compiled as a line of JSON to file descriptor N");
  add("remarks", remarks, "REGEX",
      "Print what passes decided and why; with REGEX, those passes whose names match",
      tools::Option::Takes::OptionalText);
}

void CommandLine::addLimits() {
  add("untrusted", untrusted,
      "Refuse what a hostile model could abuse; sets --timeout=300 and --memory-limit=16G unless "
      "they are given");
  add("check", check, "Only list what is not supported in the model");
  add("json", json, "With --check or --explain: answer in JSON");
  add("timeout", timeout, "SECONDS", "Give up after this many seconds");
  add("threads", threads, "N",
      "Threads that compile; by default one on each CPU. The output does not depend on it");
  add("memory-limit", memoryLimit, "BYTES",
      "Give up when more memory is needed; K, M and G are powers of 1024");
}

} // namespace tssa::compile
