"""Cases of the operators of ai.onnx.ml."""

import numpy as np
from onnx import numpy_helper

from contrib_case import Case, Random

r = Random(3)
CASES = []


def add(op, inputs, outputs=(0,), symbols=None, rtol=1e-4, atol=1e-5, constants=(), **attributes):
    number = sum(case.op == op for case in CASES)
    CASES.append(Case(op, inputs, attributes, outputs, f"#{number}", "ai.onnx.ml", constants, symbols or {},
                      rtol=rtol, atol=atol, verified=number < 2 and op != "ArrayFeatureExtractor"))


def trees(number, depth, features, ids, modes=("BRANCH_LEQ",), positive=False, prefix="target"):
    """Attributes of `number` random trees whose leaves have a weight for each of `ids`, or for
    one of them if there is a row of ids."""
    names = ["treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids",
             "missing_value_tracks_true"]
    nodes = {name: [] for name in names}
    weights = {name: [] for name in ("treeids", "nodeids", "ids", "weights")}
    for tree in range(number):
        count = 1
        queue = [(0, 0)]
        while queue:
            node, level = queue.pop(0)
            is_leaf = level == depth or (level > 0 and r.uniform() < 0.2)
            children = (0, 0) if is_leaf else (count, count + 1)
            row = [tree, node, 0 if is_leaf else int(r.integers(0, features)), float(np.float32(r.normal())),
                   "LEAF" if is_leaf else modes[int(r.integers(0, len(modes)))], *children, int(r.integers(0, 2))]
            for name, value in zip(names, row):
                nodes[name].append(value)
            if not is_leaf:
                queue += [(count, level + 1), (count + 1, level + 1)]
                count += 2
                continue
            for number_of_target in ids:
                value = r.uniform(low=0.01, high=0.3) if positive else r.normal()
                for name, entry in zip(weights, [tree, node, number_of_target, float(np.float32(value))]):
                    weights[name].append(entry)
    return {**{f"nodes_{k}": v for k, v in nodes.items()}, **{f"{prefix}_{k}": v for k, v in weights.items()}}


def ensemble(number, depth, features, targets, with_members=False):
    """Attributes of `number` full random trees in the form of TreeEnsemble."""
    ints = {name: [] for name in ("featureids", "truenodeids", "falsenodeids", "trueleafs", "falseleafs",
                                  "missing_value_tracks_true")}
    splits, modes, members, leaves, roots = [], [], [], 0, []
    for tree in range(number):
        first = len(splits)
        roots.append(first)
        inner = 2 ** depth - 1
        for node in range(inner):
            modes.append(6 if with_members and node % 3 == 1 else int(r.integers(0, 6)))
            if modes[-1] == 6:
                members += [*range(node % 4 + 1), np.nan]
            splits.append(float(r.integers(0, 4)))
            ints["featureids"].append(int(r.integers(0, features)))
            ints["missing_value_tracks_true"].append(int(r.integers(0, 2)))
            for side, child in (("true", 2 * node + 1), ("false", 2 * node + 2)):
                is_leaf = child >= inner
                ints[f"{side}leafs"].append(int(is_leaf))
                ints[f"{side}nodeids"].append(leaves + child - inner if is_leaf else first + child)
        leaves += inner + 1
    tensor = lambda values, kind: numpy_helper.from_array(np.asarray(values, kind))
    return {**{f"nodes_{name}": values for name, values in ints.items()}, "tree_roots": roots, "n_targets": targets,
            "nodes_splits": tensor(splits, np.float32), "nodes_modes": tensor(modes, np.uint8),
            "leaf_weights": tensor(r.normal(leaves), np.float32),
            "leaf_targetids": [int(v) for v in r.integers(0, targets, leaves)],
            **({"membership_values": tensor(members, np.float32)} if with_members else {})}


ALL_MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")
for number in range(12):
    x = r.normal(5 + number, 4)
    if number % 3 == 2:
        x[::2, 1] = np.nan
    ids = list(range(1 + number % 3))
    add("TreeEnsembleRegressor", [x], symbols={5 + number: "N"}, n_targets=len(ids),
        aggregate_function=["SUM", "AVERAGE", "MIN", "MAX"][number % 4],
        **({"base_values": [0.5] * len(ids)} if number % 2 else {}),
        **trees(1 + number, 1 + number % 5, 4, ids, ALL_MODES if number % 2 else ("BRANCH_LEQ",)))
for number in range(10):
    x = r.integers(-1, 5, 6, 3).astype(np.float32)
    if number % 3 == 0:
        x[1, :] = np.nan
    # ONNX Runtime numbers post_transform in another order than the schema
    add("TreeEnsemble", [x], aggregate_function=number % 4,
        **ensemble(1 + number % 4, 1 + number % 4, 3, 1 + number % 2, number % 2 == 1))
add("TreeEnsembleRegressor", [r.normal(3, 4)], n_targets=1, **trees(2, 20, 4, [0]))
# So many trees that their number is filled up to whole vectors, with one weight in each leaf and with several.
for number, aggregate in enumerate(["SUM", "AVERAGE", "MIN", "MAX"]):
    add("TreeEnsembleRegressor", [r.normal(5, 4)], symbols={5: "N"}, n_targets=1 + number % 2 * 2, aggregate_function=aggregate,
        **trees(17 + 9 * number, 4, 4, range(1 + number % 2 * 2), ALL_MODES if number == 2 else ("BRANCH_LEQ",)))
add("TreeEnsembleRegressor", [np.where(r.normal(6, 4) > 1, np.nan, r.normal(6, 4)).astype(np.float32)], n_targets=1,
    **trees(20, 5, 4, [0]))
add("TreeEnsembleClassifier", [r.integers(-3, 3, 6, 4)], (0, 1), classlabels_int64s=[0, 1, 2],
    **trees(3, 3, 4, range(3), prefix="class"))

for number in range(10):
    classes = 3 + number % 2
    add("TreeEnsembleClassifier", [r.normal(7, 4)], (0, 1), classlabels_int64s=[10 * k for k in range(classes)],
        post_transform=["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"][number % 4],
        **trees(2 + number, 3, 4, range(classes), prefix="class"))
    add("TreeEnsembleClassifier", [r.normal(7, 4)], (0, 1), classlabels_int64s=[0, 1] if number % 2 else [3, 5],
        post_transform=["NONE", "LOGISTIC"][number % 2],
        **trees(2 + number, 3, 4, [number // 2 % 2], positive=number % 3 == 0, prefix="class"))

for number in range(4):
    # ONNX Runtime's label is not the class of the greatest score when both classes have one
    add("TreeEnsembleClassifier", [r.normal(7, 4)], (1,), classlabels_int64s=[4, 9],
        post_transform=["NONE", "SOFTMAX"][number % 2],
        **trees(2 + number, 3, 4, [0, 1], positive=number > 1, prefix="class"))
    add("LinearClassifier", [r.normal(6, 4)], (0, 1), coefficients=[float(v) for v in r.normal(4)],
        intercepts=[0.3], classlabels_ints=[4, 9], post_transform=["NONE", "LOGISTIC"][number % 2])

for number in range(10):
    shape = [(3, 4), (2, 5), (1, 3)][number % 3]
    kind = [np.float32, np.int64, np.float64, np.int32][number % 4]
    x = (r.normal(*shape) * 4).astype(kind)
    per_feature = number % 2 == 1
    size = shape[1] if per_feature else 1
    add("Scaler", [x], offset=[float(v) for v in r.normal(size)], scale=[float(v) for v in r.normal(size)], rtol=1e-3)
    add("Normalizer", [x], norm=["MAX", "L1", "L2"][number % 3])
    if kind == np.float32:
        x = x.copy()
        x[0, 0] = np.nan
        add("Imputer", [x], imputed_value_floats=[float(v) for v in r.normal(size)], replaced_value_float=float("nan"))
    if kind == np.int64:
        add("Imputer", [x], imputed_value_int64s=[7] * size, replaced_value_int64=int(x[0, 0]))
    add("Binarizer", [r.normal(*shape)], threshold=0.3 * number)
    add("ArrayFeatureExtractor", [r.normal(*shape), r.integers(0, shape[1], 2 + number % 3)])
    add("FeatureVectorizer", [r.normal(3, 2), r.normal(3, 4)] + ([r.normal(3, 1)] if number % 2 else []),
        inputdimensions=[2, 4, 1][:3 if number % 2 else 2])
    add("LabelEncoder", [r.integers(0, 6, *shape)], keys_int64s=[0, 1, 2, 5], values_int64s=[7, 3, 9, 1], default_int64=-5)
    add("LabelEncoder", [r.integers(0, 6, *shape)], keys_int64s=[0, 3, 4], values_floats=[0.5, -1.0, 2.5], default_float=9.0)
    add("LabelEncoder", [r.integers(0, 4, *shape).astype(np.float32)], keys_floats=[0.0, 1.0, 3.0], values_int64s=[4, 5, 6])
    add("OneHotEncoder", [r.integers(0, 6, 4 + number)], cats_int64s=[0, 2, 3, 5], zeros=1)
    targets = 1 + number % 3
    add("LinearRegressor", [r.normal(5, 4)], coefficients=[float(v) for v in r.normal(4 * targets)], targets=targets,
        **({"intercepts": [float(v) for v in r.normal(targets)]} if number % 2 else {}))
    classes = 3 + number % 3
    add("LinearClassifier", [r.normal(6, 4)], (0, 1), coefficients=[float(v) for v in r.normal(4 * classes)],
        intercepts=[float(v) for v in r.normal(classes)], classlabels_ints=[2 * k for k in range(classes)],
        post_transform=["NONE", "SOFTMAX", "LOGISTIC"][number % 3])
    add("SVMRegressor", [r.normal(5, 3)], kernel_type=["LINEAR", "POLY", "RBF", "SIGMOID"][number % 4],
        kernel_params=[0.3, 0.5, 3.0], n_supports=4, support_vectors=[float(v) for v in r.normal(12)],
        coefficients=[float(v) for v in r.normal(4)], rho=[0.7], rtol=1e-3, atol=1e-4)
    add("SVMRegressor", [r.normal(5, 3)], kernel_type="LINEAR", kernel_params=[0.0, 0.0, 0.0],
        coefficients=[float(v) for v in r.normal(3)], rho=[0.2])
for number, (classes, transform) in enumerate([(2, "NONE"), (2, "LOGISTIC"), (2, "SOFTMAX"), (3, "NONE"), (4, "LOGISTIC")]):
    pairs = classes * (classes - 1) // 2
    per_class = [3, 1, 2, 0][:classes]
    machine = dict(
        classlabels_ints=[10 * k for k in range(classes)], vectors_per_class=per_class, post_transform=transform,
        kernel_type=["LINEAR", "POLY", "RBF", "SIGMOID"][number % 4], kernel_params=[0.3, 0.5, 3.0],
        support_vectors=[float(v) for v in r.normal(sum(per_class) * 3)],
        coefficients=[float(v) for v in r.normal(sum(per_class) * (classes - 1))], rho=[float(v) for v in r.normal(pairs)])
    add("SVMClassifier", [r.normal(7, 3)], (0, 1), symbols={7: "N"}, **machine)
    add("SVMClassifier", [r.normal(7, 3)], (0, 1), prob_a=[-0.5 - k for k in range(pairs)],
        prob_b=[float(v) for v in r.normal(pairs)], **machine)
for classes, positive, transform in [(2, False, "NONE"), (2, True, "LOGISTIC"), (3, False, "SOFTMAX")]:
    add("SVMClassifier", [r.normal(7, 4)], (0, 1), classlabels_ints=[5 - k for k in range(classes)], kernel_type="LINEAR",
        coefficients=[abs(float(v)) if positive else float(v) for v in r.normal(4 * classes)], rho=[-0.2],
        post_transform=transform, kernel_params=[0.0] * 3)


def refused(op, inputs, code, words, **attributes):
    outputs = (0, 1) if op.endswith("Classifier") else (0,)
    return Case(op, inputs, attributes, outputs, domain="ai.onnx.ml"), code, words


REFUSED = [
    refused("ZipMap", [r.normal(2, 2)], 1, "scores and class labels", classlabels_int64s=[0, 1, 2]),
    refused("TreeEnsembleClassifier", [r.normal(2, 4)], 1, "expected 'classlabels_int64s' or 'classlabels_strings', got both",
            classlabels_strings=["a", "b", "c"], classlabels_int64s=[0, 1, 2], **trees(1, 2, 4, [0, 1, 2], prefix="class")),
    refused("SVMClassifier", [r.normal(2, 2)], 1, "elements of 'rho', got 1", classlabels_ints=[0, 1, 2], rho=[0.5],
            vectors_per_class=[1, 1, 1], support_vectors=[0.5] * 6, coefficients=[0.5] * 6),
    refused("SVMClassifier", [r.normal(2, 2)], 1, "rows of 3 'coefficients', got 5", classlabels_ints=[0, 1, 2],
            rho=[0.5] * 3, vectors_per_class=[1, 1, 1], support_vectors=[0.5] * 6, coefficients=[0.5] * 5),
    refused("SVMClassifier", [r.normal(2, 2)], 1, "'vectors_per_class' for each of 3 classes, got 2", rho=[0.5] * 3,
            classlabels_ints=[0, 1, 2], vectors_per_class=[1, 1], support_vectors=[0.5] * 4, coefficients=[0.5] * 4),
    refused("SVMClassifier", [r.normal(2, 2)], 1, "support vectors of a class, got -1", rho=[0.5],
            classlabels_ints=[0, 1], vectors_per_class=[1, -1], support_vectors=[0.5] * 2, coefficients=[0.5]),
    refused("SVMClassifier", [r.normal(2, 2)], 1, "'prob_a' and 'prob_b', got 1 and 2", classlabels_ints=[0, 1], rho=[0.5],
            vectors_per_class=[1, 1], support_vectors=[0.5] * 4, coefficients=[0.5] * 2, prob_a=[-1.0], prob_b=[0.0, 0.0]),
    refused("SVMClassifier", [r.normal(2, 2)], 3, "post_transform 'PROBIT' of one score", classlabels_ints=[0, 1], rho=[0.5],
            vectors_per_class=[1, 1], support_vectors=[0.5] * 4, coefficients=[0.5] * 2, post_transform="PROBIT"),
    refused("SVMClassifier", [r.normal(2, 2)], 3, "a classifier of 1 classes", classlabels_ints=[0], rho=[0.5],
            coefficients=[0.5] * 2),
    refused("LabelEncoder", [r.integers(0, 4, 3)], 1, "expected keys of the input's type, as many as values, got string[1]",
            keys_strings=["a"], values_int64s=[1]),
    refused("OneHotEncoder", [r.integers(0, 4, 3)], 3, "'cats_strings' has strings: encode them before the model",
            cats_strings=["a"]),
    refused("TreeEnsembleRegressor", [r.normal(2, 4)], 1, "is below no root",
            **{**trees(1, 1, 4, [0]), "nodes_truenodeids": [0, 0, 0]}),
    refused("TreeEnsembleRegressor", [r.normal(2, 1)], 1, "features of the input minus those of the trees",
            **{**trees(1, 1, 4, [0]), "nodes_featureids": [3, 0, 0]}),
]
