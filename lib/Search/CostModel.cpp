//===- CostModel.cpp - throughput learned from measurements ---------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Search/CostModel.h"

#include "XGBoost.h"
#include "tssa/Search/Random.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

using namespace tssa::search;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::StringRef;

static constexpr int rounds = 100;

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Success, or XGBoost's text of its last error without its time of day and its frames.
static llvm::Error check(const XGBoost &library, int result, StringRef action) {
  if (result == 0)
    return llvm::Error::success();
  StringRef text = StringRef(library.getLastError()).split("\nStack trace").first.trim();
  if (text.starts_with("["))
    text = text.split("] ").second;
  return fail("XGBoost could not " + action + ": " + text);
}

namespace {

struct Matrix {
  const XGBoost &library;
  DMatrixHandle handle = nullptr;
  explicit Matrix(const XGBoost &library) : library(library) {}
  Matrix(const Matrix &) = delete;
  ~Matrix() {
    if (handle)
      library.freeMatrix(handle);
  }
};

struct Booster {
  const XGBoost *library = nullptr;
  BoosterHandle handle = nullptr;
  Booster() = default;
  explicit Booster(const XGBoost &library) : library(&library) {}
  Booster(Booster &&other) : library(other.library), handle(std::exchange(other.handle, nullptr)) {}
  Booster &operator=(Booster &&other) {
    std::swap(library, other.library);
    std::swap(handle, other.handle);
    return *this;
  }
  ~Booster() {
    if (handle)
      library->freeBooster(handle);
  }
};

} // namespace

struct CostModel::State {
  std::vector<std::string> names;
  /// Without a handle while the model is not trained.
  Booster booster;
};

CostModel::CostModel(std::unique_ptr<State> state) : state(std::move(state)) {}
CostModel::CostModel(CostModel &&) = default;
CostModel &CostModel::operator=(CostModel &&) = default;
CostModel::~CostModel() = default;

Expected<CostModel> CostModel::create(std::vector<std::string> featureNames) {
  if (featureNames.empty() || featureNames.size() > maxFeatures)
    return fail("a cost model has 1 to " + llvm::Twine(maxFeatures) + " features, not " +
                llvm::Twine(featureNames.size()));
  for (StringRef name : featureNames)
    if (name.empty() || name.contains('\n'))
      return fail("the name of a feature is empty or has a line break");
  auto state = std::make_unique<State>();
  state->names = std::move(featureNames);
  return CostModel(std::move(state));
}

Expected<std::string> CostModel::getLibrary() {
  Expected<const XGBoost *> library = XGBoost::get();
  if (!library)
    return library.takeError();
  return "XGBoost " + (*library)->version;
}

ArrayRef<std::string> CostModel::getFeatureNames() const { return state->names; }

uint64_t CostModel::getFeatureHash() const { return hashBytes(llvm::join(state->names, "\n")); }

bool CostModel::isTrained() const { return state->booster.handle != nullptr; }

static llvm::Error checkFeatures(ArrayRef<float> features, ArrayRef<std::string> names) {
  if (features.size() != names.size())
    return fail("a point has " + llvm::Twine(features.size()) + " features, expected " +
                llvm::Twine(names.size()));
  for (auto [feature, name] : llvm::zip_equal(features, names))
    if (!std::isfinite(feature))
      return fail("the feature " + name + " is not finite");
  return llvm::Error::success();
}

/// Makes XGBoost's matrix of points of `width` features each, which lie one behind the other.
static llvm::Error makeMatrix(ArrayRef<float> features, size_t width, Matrix &matrix) {
  int result = matrix.library.createMatrix(features.data(), features.size() / width, width,
                                           std::numeric_limits<float>::quiet_NaN(), &matrix.handle,
                                           /*nthread=*/1);
  return check(matrix.library, result, "take the features");
}

static llvm::Error makeBooster(ArrayRef<DMatrixHandle> matrices, Booster &booster) {
  const XGBoost &library = *booster.library;
  if (auto error =
          check(library, library.createBooster(matrices.data(), matrices.size(), &booster.handle),
                "make a model"))
    return error;
  constexpr std::pair<const char *, const char *> parameters[] = {
      {"verbosity", "0"},       {"nthread", "1"},      {"seed", "43"},
      {"tree_method", "hist"},  {"base_score", "0.5"}, {"objective", "reg:squarederror"},
      {"max_depth", "10"},      {"eta", "0.2"},        {"gamma", "0.001"},
      {"min_child_weight", "0"}};
  for (auto [name, value] : parameters)
    if (auto error = check(library, library.setParameter(booster.handle, name, value),
                           "set a parameter"))
      return error;
  return llvm::Error::success();
}

/// The throughput of each row as a share of the best of its task.
static Expected<std::vector<float>> getThroughputs(ArrayRef<Row> rows) {
  std::map<uint64_t, double> best;
  for (const Row &row : rows) {
    if (!row.seconds)
      continue;
    if (!std::isfinite(*row.seconds) || *row.seconds <= 0)
      return fail("the time of a row is " + llvm::formatv("{0:e}", *row.seconds).str() +
                  " s, expected a positive one");
    auto [entry, isNew] = best.try_emplace(row.task, *row.seconds);
    entry->second = std::min(entry->second, *row.seconds);
  }
  std::vector<float> throughputs;
  for (const Row &row : rows)
    throughputs.push_back(row.seconds ? float(best[row.task] / *row.seconds) : 0.0f);
  return throughputs;
}

static llvm::Error fit(ArrayRef<float> features, ArrayRef<float> throughputs, Booster &booster) {
  Expected<const XGBoost *> library = XGBoost::get();
  if (!library)
    return library.takeError();
  Matrix matrix(**library);
  if (auto error = makeMatrix(features, features.size() / throughputs.size(), matrix))
    return error;
  booster = Booster(**library);
  if (auto error = check(
          **library,
          (*library)->setFloats(matrix.handle, "label", throughputs.data(), throughputs.size()),
          "take the throughputs"))
    return error;
  if (auto error = makeBooster(matrix.handle, booster))
    return error;
  for (int round = 0; round < rounds; ++round)
    if (auto error = check(**library, (*library)->update(booster.handle, round, matrix.handle),
                           "train"))
      return error;
  return llvm::Error::success();
}

llvm::Error CostModel::train(ArrayRef<Row> rows) {
  if (rows.size() > maxRows)
    return fail("a cost model learns from up to " + llvm::Twine(maxRows) + " rows, not " +
                llvm::Twine(rows.size()));
  std::vector<float> features;
  for (const Row &row : rows) {
    if (auto error = checkFeatures(row.features, state->names))
      return error;
    features.insert(features.end(), row.features.begin(), row.features.end());
  }
  Expected<std::vector<float>> throughputs = getThroughputs(rows);
  if (!throughputs)
    return throughputs.takeError();
  Booster booster;
  size_t timed =
      size_t(llvm::count_if(rows, [](const Row &row) { return row.seconds.has_value(); }));
  if (timed >= minRows)
    if (auto error = fit(features, *throughputs, booster))
      return error;
  state->booster = std::move(booster);
  return llvm::Error::success();
}

Expected<std::optional<std::vector<double>>> CostModel::predict(ArrayRef<Features> points) const {
  std::vector<float> features;
  for (const Features &point : points) {
    if (auto error = checkFeatures(point, state->names))
      return std::move(error);
    features.insert(features.end(), point.begin(), point.end());
  }
  if (!isTrained())
    return std::nullopt;
  if (points.empty())
    return std::vector<double>();
  const XGBoost &library = *state->booster.library;
  Matrix matrix(library);
  if (auto error = makeMatrix(features, state->names.size(), matrix))
    return std::move(error);
  const char *options = R"({"type": 0, "training": false, "iteration_begin": 0,
                            "iteration_end": 0, "strict_shape": false})";
  const bst_ulong *shape = nullptr;
  bst_ulong rank = 0;
  const float *result = nullptr;
  if (auto error = check(library,
                         library.predict(state->booster.handle, matrix.handle, options, &shape,
                                         &rank, &result),
                         "predict"))
    return std::move(error);
  if (rank != 1 || shape[0] != points.size())
    return fail("XGBoost predicted something else than one number for each point");
  return std::vector<double>(result, result + points.size());
}
