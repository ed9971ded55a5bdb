//===- JointChecker.cpp - layouts and loops of one program ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JointChecker.h"
#include "dialects/layout/Transforms/Passes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tssa/Pipeline/Tasks.h"
#include "tssa/Pipeline/VerifyKernel.h"
#include "tssa/Search/Random.h"
#include "tssa/Tuner/Bench.h"
#include "tssa/Tuner/KernelSpace.h"
#include "tssa/Tuner/StoreSpace.h"

using namespace tssa;
using namespace tssa::reference;
using namespace tssa::tuner;
using llvm::Error;
using llvm::Expected;
namespace te = mlir::tssa::te;
namespace layout = mlir::tssa::layout;

/// Options of a kernel that follows another one.
static constexpr size_t mostFollowers = 8;
static constexpr unsigned mostDraws = 2000;

/// Returns the results of `@main`.
static Expected<std::vector<HostTensor>> run(mlir::ModuleOp module, uint64_t seed,
                                             const EvaluatorOptions &options = {}) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  Expected<std::vector<HostTensor>> inputs = makeRandomInputs(main, seed, {});
  if (!inputs)
    return inputs.takeError();
  return evaluate(module, "main", *inputs, options);
}

/// Compares what the evaluator computes in two ways. It adds in f64, so the order of a sum counts
/// for little.
static Error compareAll(llvm::ArrayRef<HostTensor> expected, llvm::ArrayRef<HostTensor> got,
                        const llvm::Twine &what) {
  constexpr int64_t numTerms = 16;
  if (expected.size() != got.size())
    return llvm::createStringError(what + " has another number of results");
  for (auto [index, before, after] : llvm::enumerate(expected, got)) {
    Comparison comparison =
        compare(before, after, ComparePolicy::forSums(before.getKind(), numTerms));
    if (!comparison.agrees)
      return llvm::createStringError(what + ", result " + llvm::Twine(index) + ": " +
                                     comparison.describe());
  }
  return Error::success();
}

static Error fault(const llvm::Twine &what, Error error) {
  return llvm::createStringError(what + ": " + toString(std::move(error)));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

std::optional<search::Point> JointChecker::draw(const search::Space &space,
                                                const search::Point &except) {
  search::Random stream(random.next(), 0, 0);
  for (unsigned i = 0; i < mostDraws; ++i) {
    search::Point point = space.draw(stream);
    if (point != except && space.isLegal(point))
      return point;
  }
  return std::nullopt;
}

/// Compiles a kernel with loops, and compares it with the evaluator in a run of its program, of
/// which the results are `expected`, unless these are not known.
Error JointChecker::checkLoops(const TaskKernel &task, const KernelPoint &point,
                               llvm::ArrayRef<HostTensor> expected) {
  auto candidate = task.build(point);
  if (!candidate)
    return fault("a legal point cannot be built", candidate.takeError());
  auto object = Bench::build(**candidate, TaskKernel::name, machine);
  if (!object)
    return fault("a legal point cannot be compiled", object.takeError());
  auto kernel = (*candidate)->lookupSymbol<te::KernelOp>(TaskKernel::name);
  auto runner = KernelRunner::load(*object, KernelSignature::get(kernel));
  if (!runner)
    return runner.takeError();
  EvaluatorOptions evaluation;
  evaluation.onLaunch = [&](const LaunchRecord &record) -> Error {
    if (record.kernel != kernel)
      return Error::success();
    Expected<std::vector<HostTensor>> got = (*runner)->run(record.inputs, record.outputs);
    if (!got)
      return got.takeError();
    for (auto [index, before, after] : llvm::enumerate(record.outputs, *got)) {
      Comparison comparison = compare(before, after, getPolicy(record, before));
      if (!comparison.agrees)
        return llvm::createStringError("the kernel's result " + llvm::Twine(index) + ": " +
                                       comparison.describe());
    }
    return Error::success();
  };
  auto got = run(**candidate, seed, evaluation);
  task.freeConstants(**candidate);
  if (!got)
    return got.takeError();
  ++counts.loops;
  if (expected.empty())
    return Error::success();
  return compareAll(expected, *got, "the program with these layouts and loops");
}

Error JointChecker::checkTask(const std::string &text, unsigned loops,
                              llvm::ArrayRef<HostTensor> expected) {
  note(text);
  auto task = TaskKernel::create(text, context, machine.model);
  if (!task)
    return fault("a task cannot be read", task.takeError());
  (*task)->fillConstants(seed);
  auto space = KernelSpace::create(**task);
  if (!space) {
    ++counts.refused;
    refusal(toString(space.takeError()));
    return Error::success();
  }
  const search::Point &first = (*space)->getDefault();
  llvm::ArrayRef<search::Point> picks = (*space)->getDraftPicks();
  std::vector<search::Point> points{first};
  if (loops > 1 && picks.size() > 1)
    points.push_back(picks[1 + random.below(picks.size() - 1)]);
  while (points.size() < loops) {
    std::optional<search::Point> point = draw((*space)->getSpace(), first);
    if (!point)
      break;
    points.push_back(std::move(*point));
  }
  for (const search::Point &point : points) {
    KernelPoint decoded = (*space)->decode(point);
    std::string words = (*space)->getSpace().print(point) + "\n" + print(decoded);
    note(text + "\n" + words + "\n");
    if (std::string obstacle = (*task)->findObstacle(decoded); !obstacle.empty())
      return llvm::createStringError("a legal point has an obstacle: " + obstacle);
    if (Error error = checkLoops(**task, decoded, expected))
      return error;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Adds random options to a kernel. A row of several expressions may no longer be one with a
/// layout, which is refused then.
Error JointChecker::drawOptions(size_t node) {
  const KernelNode &known = layouts->getNodes()[node];
  te::KernelOp kernel = known.kernel;
  auto space = StoreSpace::create(known.kernel, known.constants);
  if (!space) {
    ++counts.plain;
    refusal(toString(space.takeError()));
    return Error::success();
  }
  for (unsigned i = 0; i < options.layouts; ++i) {
    std::optional<search::Point> point = draw((*space)->getSpace(), (*space)->getPlain());
    if (!point)
      break;
    std::string name = (*space)->describe(*point);
    note("layouts " + name);
    if (layouts->addOption(node, (*space)->getStores(*point), name))
      continue;
    if (llvm::hasSingleElement(kernel.getBodyBlock().getOps<te::ComputeOp>()))
      return llvm::createStringError("layouts that are legal cannot be applied: " + name);
    ++counts.refused;
    refusal("layouts " + name + " cannot be applied");
  }
  return Error::success();
}

Error JointChecker::checkOption(size_t node, uint32_t number) {
  const KernelNode &known = layouts->getNodes()[node];
  const KernelOption &option = known.options[number];
  // Constants that are stored before they are filled have other elements.
  bool isComparable = llvm::all_of(known.constants, [&](unsigned constant) {
    return option.kernels[0].stores.inputs[constant].isEmpty();
  });
  std::vector<HostTensor> expected;
  if (isComparable) {
    auto plain = buildTaskModule(known.kernel, known.constants, machine.model);
    TaskKernel::fillConstants(*plain, seed);
    auto got = run(*plain, seed);
    if (!got)
      return fault("the kernel cannot be evaluated", got.takeError());
    expected = std::move(*got);
  }
  ++counts.layouts;
  return checkTask(option.kernels[0].task.text, options.loops, expected);
}

/// Converts the result of a kernel from the layout of one option to that of another one.
Error JointChecker::checkConversion(size_t node) {
  const KernelNode &known = layouts->getNodes()[node];
  te::KernelOp kernel = known.kernel;
  bool isResult = !random.oneIn(3);
  mlir::Type type = isResult ? kernel.getResultTypes()[0] : kernel.getArgumentTypes()[0];
  auto choose = [&] {
    uint64_t option = random.below(known.options.size() + 1);
    if (option == known.options.size())
      return layout::LayoutMap();
    const layout::LaunchStores &stores = known.options[option].kernels[0].stores;
    return isResult ? stores.outputs[0] : stores.inputs[0];
  };
  layout::LayoutMap from = choose(), to = choose();
  auto task = layouts->getConversion(llvm::cast<mlir::RankedTensorType>(type), from, to);
  if (!task)
    return Error::success();
  ++counts.conversions;
  return checkTask(task->text, 1, {});
}

/// Evaluates the program with an option of each kernel, and the conversions between them.
Error JointChecker::checkTogether() {
  std::vector<uint32_t> chosen;
  for (const KernelNode &node : layouts->getNodes())
    chosen.push_back(random.below(node.options.size()));
  mlir::OwningOpRef<mlir::ModuleOp> module = layouts->write(chosen);
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  note(text);
  layout::setMachineModel(*module, machine.model);
  mlir::PassManager manager(&context);
  layout::buildApplyStores(manager);
  if (failed(manager.run(*module)))
    return llvm::createStringError("the layouts of a program cannot be applied");
  auto got = run(*module, seed);
  if (!got)
    return fault("the program with layouts cannot be evaluated", got.takeError());
  return compareAll(results, *got, "the program with layouts");
}

Error JointChecker::check(const std::string &program) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(program, &context);
  if (!module)
    return llvm::createStringError("the program is not valid");
  auto evaluated = run(*module, seed);
  if (!evaluated)
    return fault("the program cannot be evaluated", evaluated.takeError());
  results = std::move(*evaluated);
  auto created = ProgramLayouts::create(*module, machine.model);
  if (!created)
    return fault("the program has no layouts", created.takeError());
  layouts = std::move(*created);
  size_t count = layouts->getNodes().size();
  if (Error error = drawOptions(0))
    return error;
  layouts->addFollowers([](size_t, uint32_t) { return true; }, mostFollowers);
  size_t drawn = std::min<size_t>(layouts->getNodes()[0].options.size(), options.layouts + 1);
  for (uint32_t option = drawn > 1 && !random.oneIn(4) ? 1 : 0; option < drawn; ++option)
    if (Error error = checkOption(0, option))
      return error;
  if (count > 1)
    if (Error error = checkOption(1, random.below(layouts->getNodes()[1].options.size())))
      return error;
  if (Error error = checkConversion(random.below(count)))
    return error;
  return checkTogether();
}
