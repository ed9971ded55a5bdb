# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Times modules that are compiled from PyTorch beside their ONNX form, eager PyTorch and torch.compile.

usage: modules.py [--fixed] [--inductor] [--rounds N] [NAME...]

Modules have random weights. All ways of one module run in turns on one thread of one core; what is printed are
medians of the thread's CPU time in ms, as rows of Markdown. Results agree with eager within 1e-3, for a batch
of 1, too. Sizes are open, those of images and sequences as well as the batch, in the ONNX form where the
exporter can; --fixed fixes them. `gpt2_decode` is a token with a cache of 64 and more, which has no ONNX form.
"""

import argparse
import logging
import os
import statistics
import sys
import tempfile
import time
import warnings

warnings.filterwarnings("ignore")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "zoo"))

import models  # noqa: E402,F401 (declares torchvision's operators)
import timm  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

import tssa  # noqa: E402

SECONDS = 0.05  # of the slowest way in a round


class Tagger(nn.Module):
    """A bidirectional LSTM of two layers."""

    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(32, 64, 2, batch_first=True, bidirectional=True), nn.Linear(128, 10)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


def make_bert():
    return transformers.BertModel(transformers.BertConfig(
        hidden_size=256, num_hidden_layers=4, num_attention_heads=4, intermediate_size=1024, vocab_size=1000))


def make_gpt2():
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(
        n_embd=256, n_layer=4, n_head=4, vocab_size=1000, bos_token_id=0, eos_token_id=0))


def ids(batch, length):
    return torch.randint(0, 1000, (batch, length))


def image(batch):
    return {"x": torch.randn(batch, 3, 224, 224)}


def images_of(name):
    return lambda: timm.create_model(name, pretrained=False), image, {2: "h", 3: "w"}


# What makes a module; arguments for a batch; dims besides the batch that may be open.
MODULES = {
    "resnet18": images_of("resnet18"),
    "densenet121": images_of("densenet121"),
    "regnetx_002": images_of("regnetx_002"),
    "mobilenetv3_small": images_of("mobilenetv3_small_100"),
    "efficientnet_b0": images_of("efficientnet_b0"),
    "convnext_atto": images_of("convnext_atto"),
    "vit_tiny": (*images_of("vit_tiny_patch16_224")[:2], {}),
    "swin_tiny": (*images_of("swin_tiny_patch4_window7_224")[:2], {}),
    "bert": (make_bert, lambda batch: {"input_ids": ids(batch, 128), "attention_mask": torch.ones_like(ids(batch, 128))},
             {1: "s"}),
    "gpt2": (make_gpt2, lambda batch: {"input_ids": ids(batch, 128), "use_cache": False}, {1: "s"}),
    "lstm": (Tagger, lambda batch: {"x": torch.randn(batch, 64, 32)}, {1: "s"}),
}
BATCH = {"bert": 4, "gpt2": 4, "lstm": 8}


def tensors_of(value):
    return [leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def check(expected, actual):
    for left, right in zip(tensors_of(expected), actual, strict=True):
        torch.testing.assert_close(torch.as_tensor(right), left, rtol=1e-3, atol=1e-3)


class Flat(nn.Module):
    """A module that takes and gives tensors only."""

    def __init__(self, module, arguments):
        super().__init__()
        self.module = module
        self.names = [name for name, value in arguments.items() if isinstance(value, torch.Tensor)]
        self.others = {name: value for name, value in arguments.items() if name not in self.names}

    def forward(self, *tensors):
        return tuple(tensors_of(self.module(**dict(zip(self.names, tensors)), **self.others)))


def export(flat, tensors, dims, folder):
    path = os.path.join(folder, "model.onnx")
    batch, auto = torch.export.Dim("batch", min=1, max=64), torch.export.Dim.AUTO
    shapes = (tuple({0: batch, **dict.fromkeys(dims, auto)} for _ in tensors),) if dims is not None else None
    torch.onnx.export(flat, tensors, path, dynamo=True, dynamic_shapes=shapes, verbose=False)
    return tssa.Session(path, threads=1)


def measure(ways, rounds):
    """{name: median ms}; the ways take turns, of equally many calls."""
    calls = max(1, round(SECONDS / max(time_calls(run, 1) for run in ways.values())))
    times = {name: [] for name in ways}
    for _ in range(rounds):
        for name, run in ways.items():
            times[name].append(time_calls(run, calls) / calls)
    return {name: statistics.median(values) * 1e3 for name, values in times.items()}


def time_calls(run, count):
    start = time.thread_time()
    for _ in range(count):
        run()
    return time.thread_time() - start


def make_ways(name, options, folder):
    make, arguments_of, dims = MODULES[name]
    module = make().eval()
    arguments = arguments_of(BATCH.get(name, 2))
    expected = module(**arguments)
    compiled = tssa.compile(module, threads=1, dynamic=not options.fixed)
    check(expected, tensors_of(compiled(**arguments)))
    single = arguments_of(1)
    check(module(**single), tensors_of(compiled(**single)))
    flat = Flat(module, arguments)
    tensors = tuple(arguments[key] for key in flat.names)
    session = export(flat, tensors, None if options.fixed else dims, folder)
    feed = {port.name: tensor.numpy() for port, tensor in zip(session.get_inputs(), tensors)}
    check(expected, session.run(None, feed))
    ways = {"tssa": lambda: compiled(**arguments), "onnx": lambda: session.run(None, feed),
            "eager": lambda: module(**arguments)}
    if options.inductor:
        rival = torch.compile(module, dynamic=not options.fixed)
        check(expected, tensors_of(rival(**arguments)))
        ways["inductor"] = lambda: rival(**arguments)
    return ways


def make_decoding():
    """A token of GPT-2 with the cache of a prompt of 64, which grows."""
    module = make_gpt2().eval()
    compiled = tssa.compile(module, threads=1)
    states = {}

    def step(name, run):
        token, cache = states[name]
        found = run(input_ids=token, past_key_values=cache, use_cache=True)
        states[name] = found.logits[:, -1:].argmax(-1), found.past_key_values

    prompt, ways = ids(1, 64), {"tssa": compiled, "eager": module}
    for name, run in ways.items():
        states[name] = prompt, None
        for _ in range(8):
            step(name, run)
    assert torch.equal(states["tssa"][0], states["eager"][0])
    return {name: lambda name=name, run=run: step(name, run) for name, run in ways.items()}


def print_row(name, medians):
    ratio = f"{medians['tssa'] / medians['onnx']:.3f}" if "onnx" in medians else ""
    cells = [f"{medians[way]:.2f}" if way in medians else "" for way in ("tssa", "onnx", "eager", "inductor")]
    print(f"| {name} |", " | ".join([*cells[:2], ratio, *cells[2:]]), "|", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--inductor", action="store_true")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("names", nargs="*", default=[])
    options = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-1:])
    torch.set_num_threads(1)
    torch.manual_seed(0)
    logging.disable(logging.WARNING)
    print("| module | tssa | tssa of ONNX | ratio | eager | torch.compile |\n|---|--:|--:|--:|--:|--:|")
    with torch.no_grad(), tempfile.TemporaryDirectory() as folder:
        for name in options.names or [*MODULES, "gpt2_decode"]:
            ways = make_decoding() if name == "gpt2_decode" else make_ways(name, options, folder)
            print_row(name, measure(ways, options.rounds))


if __name__ == "__main__":
    main()
