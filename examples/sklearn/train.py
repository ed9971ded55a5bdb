# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Trains a scikit-learn pipeline, compiles it, and compares the answers for flowers that it has not seen."""

import numpy as np
import tssa
from skl2onnx import to_onnx
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

data = load_iris()
seen, unseen, labels, expected = train_test_split(data.data.astype(np.float32), data.target, test_size=50, random_state=0)
pipeline = make_pipeline(SimpleImputer(), RandomForestClassifier(n_estimators=100, random_state=0)).fit(seen, labels)
unseen[0, 2] = np.nan  # a value that is missing

# zipmap=False: the probabilities are one array, not a dict for each row. The number of rows stays open.
model = to_onnx(pipeline, seen[:1], options={"zipmap": False})
with open("iris.onnx", "wb") as file:
    file.write(model.SerializeToString())

session = tssa.InferenceSession("iris.onnx")
answers, probabilities = session.run(["label", "probabilities"], {"X": unseen})
same = (answers == pipeline.predict(unseen)).sum()
difference = np.abs(probabilities - pipeline.predict_proba(unseen)).max()
print(f"{same} of {len(unseen)} answers are those of scikit-learn, {(answers == expected).sum()} are right")
print(f"the probabilities differ by at most 1e-5: {difference <= 1e-5}")
for row, answer in zip(probabilities[:3], answers):
    print(f"{data.target_names[answer]:<10}", np.round(row, 2))
