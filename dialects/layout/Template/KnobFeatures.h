//===- KnobFeatures.h - what a cost model may know of a point -----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TEMPLATE_KNOBFEATURES_H
#define DIALECTS_LAYOUT_TEMPLATE_KNOBFEATURES_H

#include "dialects/layout/Template/Knobs.h"

namespace mlir::tssa::layout {

// Each adds the features of a knob, or of several.
void addVectorFeatures(const KnobSpace &space, const Point &point, FeatureList &list);
template <unsigned number>
void addRowsFeatures(const KnobSpace &space, const Point &point, FeatureList &list);
void addUnrollFeatures(const KnobSpace &space, const Point &point, FeatureList &list);
void addDotFeatures(const KnobSpace &space, const Point &point, FeatureList &list);
void addStepFeatures(const KnobSpace &space, const Point &point, FeatureList &list);
void addLoopFeatures(const KnobSpace &space, const Point &point, FeatureList &list);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_KNOBFEATURES_H
