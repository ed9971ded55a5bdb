"""Writes models with strings and maps: strings.py DIR"""

import sys

from onnx import TensorProto, helper, parser, save

HEADER = '<ir_version: 8, opset_import: ["" : 19, "ai.onnx.ml" : 4]>\n'

MODELS = {
    "encoder": """encoder (int64[N] x) => (string[N] s, int64[N] n, string[N] t, float[N] f) {
        s = ai.onnx.ml.LabelEncoder<keys_int64s = [1, 2], values_strings = ["one", "two"], default_string = "many">(x)
        n = ai.onnx.ml.LabelEncoder<keys_strings = ["two", "one", "two"], values_int64s = [20, 10, 30], default_int64 = 7>(s)
        t = ai.onnx.ml.LabelEncoder<keys_strings = ["one"], values_strings = ["uno"]>(s)
        f = ai.onnx.ml.LabelEncoder<keys_strings = ["many"], values_floats = [0.5]>(s)
    }""",
    # What converters of scikit-learn end with.
    "tail": """tail (float[N, 3] x) => (string[L] label) <string[3] classes = {"setosa", "versicolor", "setosa"}> {
        best = ArgMax<axis = 1>(x)
        chosen = ai.onnx.ml.ArrayFeatureExtractor(classes, best)
        text = Cast<to = 8>(chosen)
        shape = Constant<value_ints = [-1]>()
        label = Reshape(text, shape)
    }""",
    "moved": """moved (int64[N] x) => (string[N, 1] a, string[1, N, 1] b, string[M] c, string[1, 1] d, string[] e, string[2] f)
        <string[2, 2] table = {"a", "b", "c", "a"}, int64[1] first = {0}, int64[1] flat = {-1}> {
        rows = Gather(table, x)
        column = Constant<value_int = 1>()
        chosen = Gather<axis = 1>(rows, column)
        a = Unsqueeze(chosen, last)
        last = Constant<value_ints = [1]>()
        b = Unsqueeze(a, first)
        lines = Flatten<axis = 0>(rows)
        turned = Transpose(lines)
        same = Identity(turned)
        narrow = Squeeze(same, last)
        word = Constant<value_string = "z">()
        words = Constant<value_strings = ["b", "y"]>()
        c = Concat<axis = 0>(narrow, words)
        d = Reshape(word, ones)
        ones = Constant<value_ints = [1, 1]>()
        e = Identity(word)
        f = Identity(words)
    }""",
    "joined": """joined (float[N] x) => (string[2] y) {
        a = Constant<value_string = "a">()
        b = Constant<value_string = "b">()
        y = Equal(a, b)
    }""",
    "cast": """cast (float[N] x) => (string[N] y) { y = Cast<to = 8>(x) }""",
    "parsed": """parsed (float[N] x) => (float[1] y) <string[1] text = {"1.5"}> { y = Cast<to = 1>(text) }""",
    "declared": """declared (int64[N] x) => (int64[1] y) <string[1] text = {"a"}> { y = Identity(text) }""",
    "numbers": """numbers (int64[N] x) => (string[N] y) { y = Identity(x) }""",
    "mixed": """mixed (int64[N] x) => (string[N] y) <string[1] text = {"a"}> { y = Concat<axis = 0>(text, x) }""",
    "input": """input (string[N] x) => (string[N] y) { y = Identity(x) }""",
    "body": """body (bool c) => (string[1] y) <string[1] a = {"a"}> {
        y = If(c) <then_branch = yes () => (string[1] p) { p = Identity(a) },
                   else_branch = no () => (string[1] q) { q = Identity(a) }>
    }""",
    "default": """default (int64[N] x) => (string[N] y) {
        y = ai.onnx.ml.LabelEncoder<keys_int64s = [1], values_strings = ["a"], default_tensor = int64[1] {1}>(x)
    }""",
    "encoded": """encoded (int64[N] x) => (int64[N] y) {
        y = ai.onnx.ml.LabelEncoder<keys_int64s = [1], values_int64s = [2], default_tensor = string[1] {"a"}>(x)
    }""",
    "second": """second (int64[N] x) => (string[N] y) {
        y = ai.onnx.ml.LabelEncoder<keys_tensor = int64[2] {1, 2}, values_tensor = string[2] {"b", "a"},
                                    default_tensor = string[1] {"?"}>(x)
    }""",
    "empty": """empty (float[N] x) => (float[N] y) { y = Constant() }""",
    "filled": """filled (int64[1] x) => (string[M] y) { y = ConstantOfShape<value = string[1] {"a"}>(x) }""",
}


def zip_map(keys, kind=TensorProto.INT64, size=2, rank=2):
    shape = [size] if rank == 1 else ["N", size]
    scores = helper.make_tensor_type_proto(TensorProto.FLOAT, [])
    maps = helper.make_sequence_type_proto(helper.make_map_type_proto(kind, scores))
    graph = helper.make_graph([helper.make_node("ZipMap", ["x"], ["maps"], "zip", domain="ai.onnx.ml", **keys)], "zip",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_value_info("maps", maps)])
    return helper.make_model(graph, ir_version=8,
                             opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)])


folder = sys.argv[1]
for name, text in MODELS.items():
    save(parser.parse_model(HEADER + text), f"{folder}/{name}.onnx")
INTS, STRINGS = {"classlabels_int64s": [7, -3]}, {"classlabels_strings": ["no", "yes"]}
save(zip_map(INTS), f"{folder}/zip.onnx")
save(zip_map(STRINGS, TensorProto.STRING, rank=1), f"{folder}/row.onnx")
save(zip_map(STRINGS), f"{folder}/other.onnx")
save(zip_map(INTS | STRINGS), f"{folder}/both.onnx")
save(zip_map({}), f"{folder}/none.onnx")
used = zip_map(INTS)
used.graph.node.append(helper.make_node("Identity", ["maps"], ["y"], "copy"))
used.graph.output[0].name = "y"
save(used, f"{folder}/used.onnx")
plain = zip_map(INTS)
plain.graph.node[0].CopyFrom(helper.make_node("Identity", ["x"], ["maps"]))
save(plain, f"{folder}/plain.onnx")
tensor = zip_map(INTS)
tensor.graph.output[0].CopyFrom(helper.make_tensor_value_info("maps", TensorProto.FLOAT, ["N", 2]))
save(tensor, f"{folder}/tensor.onnx")
