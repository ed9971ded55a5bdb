//===- PrintTemplate.cpp - prints the roles of dims and the best points -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/Space.h"
#include "dialects/layout/Transforms/ConstantOperands.h"
#include "dialects/layout/Transforms/Passes.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::tssa::layout {
#define GEN_PASS_DEF_PRINTTEMPLATE
#include "dialects/layout/Transforms/Passes.h.inc"
} // namespace mlir::tssa::layout

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

namespace {
struct PrintTemplate : layout::impl::PrintTemplateBase<PrintTemplate> {
  using PrintTemplateBase::PrintTemplateBase;

  void runOnOperation() final {
    if (!scores.empty() && failed(readPoints()))
      return signalPassFailure();
    ConstantOperands constants(getOperation());
    for (auto kernel : getOperation().getOps<te::KernelOp>()) {
      llvm::outs() << "kernel @" << kernel.getSymName() << '\n';
      for (auto compute : kernel.getBodyBlock().getOps<te::ComputeOp>())
        print(compute, constants.getAccesses(compute));
    }
  }

private:
  /// Reads the points whose times are asked for.
  LogicalResult readPoints() {
    std::string message;
    std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(scores, &message);
    if (!file)
      return getOperation().emitError(message);
    for (llvm::line_iterator line(*file); !line.is_at_eof(); ++line) {
      FailureOr<Point> point = parsePoint(*line, [&](const Twine &reason) {
        getOperation().emitError() << scores << ", line " << line.line_number() << ": " << reason;
      });
      if (failed(point))
        return failure();
      given.push_back(*point);
    }
    return success();
  }

  void print(te::ComputeOp compute, ArrayRef<Access> accesses) {
    MachineModel machine = getMachineModel(getOperation());
    Roles roles = getRoles(compute);
    llvm::outs() << "  @" << compute.getLabel().value_or("?") << ' ' << roles << '\n';
    if (scores.empty())
      return printBest(rankPoints(compute, accesses, machine));
    Draft draft(compute, accesses, roles, machine);
    for (const Point &point : given) {
      std::string obstacle = findObstacle(compute, roles, point, machine);
      if (obstacle.empty())
        printPoint({point, draft.getCycles(point)});
      else
        llvm::outs() << "    " << obstacle << ": " << point << '\n';
    }
  }

  void printBest(ArrayRef<RankedPoint> ranked) {
    for (const RankedPoint &entry : ranked.take_front(points))
      printPoint(entry);
  }

  static void printPoint(const RankedPoint &entry) {
    llvm::outs() << "    " << llvm::format("%.3g", entry.cycles) << " cycles: " << entry.point
                 << '\n';
  }

  std::vector<Point> given;
};
} // namespace
