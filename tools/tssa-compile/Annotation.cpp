//===- Annotation.cpp - implements --annotate -----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Annotation.h"
#include "tssa/Import/Annotate.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tssa::compile {

/// What the names of the notes begin with, as other tools begin theirs with their own names.
static const std::string prefix = std::string("tssa") + ".";

/// Returns the launches by the names of their nodes.
static StringMap<SmallVector<const LaunchInfo *>> findLaunches(const LaunchList &launches) {
  StringMap<SmallVector<const LaunchInfo *>> found;
  for (const LaunchInfo &step : launches.getSteps())
    for (const NodeName &node : step.nodes)
      found[node.name].push_back(&step);
  return found;
}

/// Returns whether two files are in one folder.
static bool areBeside(StringRef one, StringRef other) {
  auto getFolder = [](StringRef path) {
    StringRef folder = sys::path::parent_path(path);
    return folder.empty() ? StringRef(".") : folder;
  };
  return sys::fs::equivalent(getFolder(one), getFolder(other));
}

Expected<std::string> annotateModel(StringRef path, StringRef output, const LaunchList &launches) {
  StringMap<SmallVector<const LaunchInfo *>> found = findLaunches(launches);
  auto annotated = annotateONNX(path, [&](StringRef node) {
    SmallVector<std::string> kernels;
    double ms = 0;
    for (const LaunchInfo *step : found.lookup(node)) {
      kernels.push_back((step->number ? std::to_string(*step->number) + " " : "") + step->name);
      ms += step->ms;
    }
    if (kernels.empty())
      return Notes();
    return Notes{
        {prefix + "kernel", join(kernels, ", ")},
        {prefix + (launches.isMeasured() ? "ms" : "estimated_ms"), formatv("{0:F4}", ms).str()}};
  });
  if (!annotated)
    return annotated.takeError();
  if (annotated->hasFiles && !areBeside(path, output))
    return createStringError("--annotate: weights of the model are in files beside it: write into "
                             "the same folder");
  return std::move(annotated->bytes);
}

} // namespace tssa::compile
