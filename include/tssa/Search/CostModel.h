//===- CostModel.h - throughput learned from measurements -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Predicts how fast a point is from numbers that describe it. Gradient-boosted trees are fitted
/// with XGBoost (https://xgboost.readthedocs.io/en/release_1.7.0/c.html) to the squared error of
/// the throughput. The parameters are those of TVM's MetaSchedule (python/tvm/meta_schedule/
/// cost_model/xgb_model.py). One thread and a fixed seed: equal rows give equal models, bit for
/// bit.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_SEARCH_COSTMODEL_H
#define TSSA_SEARCH_COSTMODEL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tssa::search {

/// The features of one point: one finite number for each name of the model.
using Features = std::vector<float>;

/// One measured point.
struct Row {
  /// Only times of one task are compared with each other.
  uint64_t task = 0;
  Features features;
  /// The time in seconds, positive; none if the point failed, which counts as no throughput.
  std::optional<double> seconds;
};

class CostModel {
public:
  /// With fewer rows that have a time, the model does not predict.
  static constexpr size_t minRows = 8;
  static constexpr size_t maxRows = 1 << 20;
  static constexpr size_t maxFeatures = 4096;

  /// A model that knows nothing yet. Fails if there is no name or more than `maxFeatures`, or if a
  /// name is empty or has a line break.
  static llvm::Expected<CostModel> create(std::vector<std::string> featureNames);
  CostModel(CostModel &&);
  CostModel &operator=(CostModel &&);
  ~CostModel();

  /// Returns the name and version of the library that models are fitted with, such as "XGBoost
  /// 1.7.4". It is loaded at run time: fails with a sentence if it is not there, and then so does
  /// `train`. Models of different versions may differ.
  static llvm::Expected<std::string> getLibrary();

  llvm::ArrayRef<std::string> getFeatureNames() const;
  /// A hash of the names: rows with another one are of another model.
  uint64_t getFeatureHash() const;
  /// Whether it was trained on `minRows` rows with a time.
  bool isTrained() const;

  /// Forgets what it knew and learns from `rows`. The target of a row is the best time of its task
  /// divided by its own time: 1 for the best point. Fails, and knows what it knew, if a row has
  /// another number of features, one that is not finite or a time that is not positive, if there
  /// are more than `maxRows` rows, or with XGBoost's text.
  llvm::Error train(llvm::ArrayRef<Row> rows);

  /// The expected throughput of each point as a share of the best, or nullopt if the model is not
  /// trained: then the caller ranks by its own estimate. Fails as `train` does.
  llvm::Expected<std::optional<std::vector<double>>> predict(llvm::ArrayRef<Features> points) const;

private:
  struct State;
  explicit CostModel(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace tssa::search

#endif // TSSA_SEARCH_COSTMODEL_H
