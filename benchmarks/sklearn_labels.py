# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Classifiers of scikit-learn, converted by skl2onnx with its defaults, give the labels and maps of ONNX Runtime.

usage: sklearn_labels.py [NAME...]

Needs scikit-learn, skl2onnx, onnxruntime and tssa. Compares the types, labels and maps of each pipeline, or of those whose
names contain a NAME. The exit status is 1 if one differs.
"""

import sys
import warnings

import numpy as np
import onnxruntime
import tssa
from skl2onnx import to_onnx
from sklearn import (calibration, compose, datasets, discriminant_analysis, ensemble, feature_selection, linear_model,
                     model_selection, multiclass, naive_bayes, neighbors, neural_network, pipeline, preprocessing, svm, tree)

NAMES = np.array(["setosa", "Vérsicolor", "virginica"])
CLASSIFIERS = {
    "logistic": lambda: linear_model.LogisticRegression(max_iter=500),
    "sgd": lambda: linear_model.SGDClassifier(loss="log_loss", random_state=0),
    "tree": lambda: tree.DecisionTreeClassifier(max_depth=4, random_state=0),
    "forest": lambda: ensemble.RandomForestClassifier(12, max_depth=4, random_state=0),
    "extra": lambda: ensemble.ExtraTreesClassifier(8, max_depth=4, random_state=0),
    "boosting": lambda: ensemble.GradientBoostingClassifier(n_estimators=6, random_state=0),
    "ada": lambda: ensemble.AdaBoostClassifier(n_estimators=5, random_state=0),
    "bagging": lambda: ensemble.BaggingClassifier(tree.DecisionTreeClassifier(max_depth=3), 4, random_state=0),
    "svc": lambda: svm.SVC(),
    "svc_probability": lambda: svm.SVC(probability=True, random_state=0),
    "linear_svc": lambda: svm.LinearSVC(),
    "bayes": naive_bayes.GaussianNB,
    "bernoulli": naive_bayes.BernoulliNB,
    "neighbors": lambda: neighbors.KNeighborsClassifier(5),
    "mlp": lambda: neural_network.MLPClassifier((8,), max_iter=80, random_state=0),
    "lda": discriminant_analysis.LinearDiscriminantAnalysis,
    "qda": discriminant_analysis.QuadraticDiscriminantAnalysis,
    "rest": lambda: multiclass.OneVsRestClassifier(linear_model.LogisticRegression()),
    "voting": lambda: ensemble.VotingClassifier(
        [("a", linear_model.LogisticRegression()), ("b", tree.DecisionTreeClassifier(max_depth=3))], voting="soft", flatten_transform=False),
    "hard_voting": lambda: ensemble.VotingClassifier(
        [("a", linear_model.LogisticRegression()), ("b", naive_bayes.GaussianNB()), ("c", tree.DecisionTreeClassifier())],
        flatten_transform=False),
    "calibrated": lambda: calibration.CalibratedClassifierCV(linear_model.LogisticRegression(), cv=2),
    "stacking": lambda: ensemble.StackingClassifier([("a", tree.DecisionTreeClassifier(max_depth=3))], cv=2),
    "grid": lambda: model_selection.GridSearchCV(linear_model.LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
    "scaled": lambda: pipeline.make_pipeline(preprocessing.StandardScaler(), linear_model.LogisticRegression()),
    "selected": lambda: pipeline.make_pipeline(preprocessing.MinMaxScaler(), feature_selection.SelectKBest(k=2),
                                               svm.SVC(probability=True, random_state=0)),
    "columns": lambda: pipeline.make_pipeline(
        compose.ColumnTransformer([("a", preprocessing.StandardScaler(), [0, 1]), ("b", preprocessing.RobustScaler(), [2, 3])]),
        ensemble.RandomForestClassifier(5, random_state=0)),
}
LABELS = {"strings": lambda y: NAMES[y], "ints": lambda y: y * 10 - 7}


def compare(model, x):
    """Returns what differs between the results of both, or "". Labels may differ where two classes are about equally likely."""
    theirs = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    ours = tssa.InferenceSession(model)
    name = theirs.get_inputs()[0].name
    types = [[(port.name, port.type) for port in session.get_outputs()] for session in (theirs, ours)]
    if types[0] != types[1]:
        return f"outputs {types[1]}, expected {types[0]}"
    for theirs_of, ours_of in zip(theirs.run(None, {name: x}), ours.run(None, {name: x})):
        if isinstance(theirs_of, list):
            if [list(row) for row in theirs_of] != [list(row) for row in ours_of]:
                return "the keys of maps"
            difference = max(abs(a - b) for p, q in zip(theirs_of, ours_of) for a, b in zip(p.values(), q.values()))
            if not difference < 1e-4:
                return f"probabilities by {difference:.2g}"
        elif theirs_of.dtype.kind == "f":
            if not np.allclose(theirs_of, ours_of, atol=1e-4):
                return "scores"
        elif theirs_of.dtype != ours_of.dtype or theirs_of.shape != ours_of.shape:
            return f"labels of {ours_of.dtype}{ours_of.shape}, expected {theirs_of.dtype}{theirs_of.shape}"
        elif (theirs_of != ours_of).any():
            return f"{(theirs_of != ours_of).sum()} of {theirs_of.size} labels"
    return ""


def main():
    warnings.filterwarnings("ignore")
    x, y = datasets.load_iris(return_X_y=True)
    x = x.astype(np.float32)
    counts = {"same": 0, "different": 0, "not converted": 0, "refused": 0}
    for name, make in CLASSIFIERS.items():
        for classes in (2, 3):
            for kind, label in LABELS.items():
                title = f"{name}, {classes} classes, {kind}"
                if sys.argv[1:] and not any(word in title for word in sys.argv[1:]):
                    continue
                chosen = y < classes
                try:
                    model = to_onnx(make().fit(x[chosen], label(y[chosen])), x[:1]).SerializeToString()
                    onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
                except Exception as error:  # pylint: disable=broad-exception-caught
                    counts["not converted"] += 1
                    print(f"{title}: not converted: {str(error).splitlines()[0][:120]}")
                    continue
                try:
                    found = compare(model, x)
                    outcome = "different" if found else "same"
                except tssa.Error as error:
                    outcome, found = "refused", str(error)
                counts[outcome] += 1
                if found:
                    print(f"{title}: {outcome}: {found}")
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    return bool(counts["different"] or counts["refused"])


if __name__ == "__main__":
    sys.exit(main())
