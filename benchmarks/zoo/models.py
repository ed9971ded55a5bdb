"""The zoo: seeded PyTorch models with random weights and fixed inputs.

`build(name)` gives an `Entry`: the module in eval mode, its example inputs by
name, and which input dimensions may vary. Weights are random, so nothing is
downloaded; batch-norm statistics are measured on random data, so that
activations keep a sane size through a deep network.
"""

import dataclasses
import glob
import importlib.util
import math
import os
from typing import Callable, Dict, List, Optional, Tuple

import torch
from torch import nn

WEIGHT_SEED = 20
DATA_SEED = 21


@dataclasses.dataclass
class Entry:
    module: nn.Module
    inputs: Dict[str, torch.Tensor]
    #: input name -> {dimension: symbol}
    symbols: Dict[str, Dict[int, str]]


def declare_torchvision_operators():
    """torchvision's compiled part may not load beside a CPU-only torch; its models
    need only the schemas that it would have registered."""
    package = importlib.util.find_spec("torchvision")
    if package is None:
        return None
    for compiled in glob.glob(os.path.join(package.submodule_search_locations[0], "_C*.so")):
        try:
            torch.ops.load_library(compiled)
            return None
        except OSError:
            continue
    library = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms"):
        library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    return library


_torchvision_operators = declare_torchvision_operators()


def settle_batch_norm(module: nn.Module, data: torch.Tensor) -> None:
    """Sets every batch norm's statistics to those of `data`."""
    norms = [m for m in module.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm)]
    kept = [norm.momentum for norm in norms]
    for norm in norms:
        norm.train()
        norm.momentum = None
        norm.reset_running_stats()
    with torch.no_grad():
        module(data)
    for norm, momentum in zip(norms, kept):
        norm.momentum = momentum
        norm.eval()


class StackedLSTM(nn.Module):
    """torch.nn.LSTM, ten layers; gives the last step."""

    def __init__(self, layers=10, size=256):
        super().__init__()
        self.cells = nn.LSTM(size, size, layers)

    def forward(self, x):
        return self.cells(x)[0][-1]


class UnrolledLSTM(nn.Module):
    """The same work as Python loops over time and layers with the gates written out,
    so that an exporter writes one node per gate, layer and step."""

    def __init__(self, layers=10, size=256):
        super().__init__()
        bound = 1 / math.sqrt(size)

        def weights(*shape):
            return nn.ParameterList(
                [nn.Parameter(torch.empty(*shape).uniform_(-bound, bound)) for _ in range(layers)])

        self.size = size
        self.from_input = weights(size, 4 * size)
        self.from_state = weights(size, 4 * size)
        self.bias = weights(4 * size)

    def forward(self, x):
        layers = range(len(self.bias))
        hidden = [torch.zeros(1, self.size) for _ in layers]
        cell = [torch.zeros(1, self.size) for _ in layers]
        value = x[0]
        for step in range(x.size(0)):
            value = x[step]
            for layer in layers:
                gates = value @ self.from_input[layer] + hidden[layer] @ self.from_state[layer] + self.bias[layer]
                enter, keep, new, leave = gates.split(self.size, dim=1)
                cell[layer] = torch.sigmoid(keep) * cell[layer] + torch.sigmoid(enter) * torch.tanh(new)
                hidden[layer] = torch.sigmoid(leave) * torch.tanh(cell[layer])
                value = hidden[layer]
        return value


class MultiGateExperts(nn.Module):
    """Multi-gate mixture of experts (Ma et al., KDD 2018), its synthetic setting."""

    def __init__(self, features=100, experts=8, width=16, tasks=2, tower=8):
        super().__init__()
        self.experts = nn.ModuleList([nn.Linear(features, width) for _ in range(experts)])
        self.gates = nn.ModuleList([nn.Linear(features, experts, bias=False) for _ in range(tasks)])
        self.towers = nn.ModuleList(
            [nn.Sequential(nn.Linear(width, tower), nn.ReLU(), nn.Linear(tower, 1)) for _ in range(tasks)])

    def forward(self, x):
        answers = torch.stack([torch.relu(expert(x)) for expert in self.experts], dim=1)
        results = []
        for gate, tower in zip(self.gates, self.towers):
            weights = torch.softmax(gate(x), dim=-1)
            results.append(tower((answers * weights.unsqueeze(-1)).sum(dim=1)))
        return tuple(results)


class TensorsOnly(nn.Module):
    """A transformers model that takes and gives plain tensors."""

    def __init__(self, model, **fixed):
        super().__init__()
        self.model = model
        self.fixed = fixed

    def forward(self, input_ids, attention_mask=None):
        masks = {} if attention_mask is None else {"attention_mask": attention_mask}
        return self.model(input_ids=input_ids, return_dict=False, **masks, **self.fixed)[0]


class PositiveOnes(nn.Module):
    """The elements above zero, their places, and how many: sizes that depend on data."""

    def forward(self, x):
        places = torch.nonzero(x > 0)
        return places, x[x > 0] * 2 + 1, torch.tensor(places.size(0))


class GrowingSum(nn.Module):
    """Running sums of rows, one row joined to the result per iteration."""

    def forward(self, x):
        rows = torch.zeros(0, x.size(1))
        last = torch.zeros(1, x.size(1))
        for step in range(x.size(0)):
            last = last * 0.5 + x[step:step + 1]
            rows = torch.cat([rows, last], dim=0)
        return rows, last


def image_model(make: Callable, shape: Tuple[int, ...], settle: Tuple[int, ...]) -> Entry:
    import torchvision

    module = make(torchvision.models).eval()
    head = getattr(module, "heads", None)
    if head is not None and not head.head.weight.any():
        nn.init.normal_(head.head.weight, std=0.02)
    generator = torch.Generator().manual_seed(DATA_SEED)
    settle_batch_norm(module, torch.randn(*settle, generator=generator))
    return Entry(module, {"x": torch.randn(*shape, generator=generator)}, {"x": {0: "N"}})


def text_model(kind: str, attention: str, shape: Tuple[int, int]) -> Entry:
    import transformers

    generator = torch.Generator().manual_seed(DATA_SEED)
    if kind == "gpt2":
        config = transformers.GPT2Config()
        config.use_cache = False
    elif kind == "bert_tiny":
        config = transformers.BertConfig(hidden_size=128, num_hidden_layers=2, num_attention_heads=2,
                                         intermediate_size=512)
    else:
        config = transformers.BertConfig()
    config._attn_implementation = attention
    tokens = torch.randint(0, config.vocab_size, shape, generator=generator)
    if kind == "gpt2":
        module = TensorsOnly(transformers.GPT2LMHeadModel(config), use_cache=False)
        return Entry(module.eval(), {"input_ids": tokens}, {"input_ids": {0: "N", 1: "S"}})
    module = TensorsOnly(transformers.BertModel(config, add_pooling_layer=False))
    names = {"input_ids": tokens, "attention_mask": torch.ones(shape, dtype=torch.int64)}
    return Entry(module.eval(), names, {name: {0: "N", 1: "S"} for name in names})


def plain(module: nn.Module, shape: Tuple[int, ...], symbols: Dict[int, str]) -> Entry:
    generator = torch.Generator().manual_seed(DATA_SEED)
    return Entry(module.eval(), {"x": torch.randn(*shape, generator=generator)}, {"x": symbols})


IMAGES = {
    "mobilenet_v2": "mobilenet_v2",
    "efficientnet_b0": "efficientnet_b0",
    "resnet18": "resnet18",
    "convnext_tiny": "convnext_tiny",
    "vit_b16": "vit_b_16",
    "swin_b": "swin_b",
    "resnext101_64x4d": "resnext101_64x4d",
}
TEXTS = {"bert_tiny": (1, 128), "bert_base": (1, 128), "gpt2": (1, 64)}

#: smallest first
NAMES: List[str] = ["mmoe", "lstm_nn", "bert_tiny", "mobilenet_v2", "efficientnet_b0", "resnet18", "convnext_tiny",
                    "bert_base", "gpt2", "vit_b16", "swin_b", "resnet3d18", "resnext101_64x4d", "lstm_unrolled"]
#: only there to vary their sizes
VARIABLE_NAMES: List[str] = ["nonzero", "growing"]


def build(name: str, attention: str = "sdpa", image_size: int = 224, batch: int = 1,
          sequence: Optional[int] = None) -> Entry:
    """Builds a model of the zoo; equal arguments give equal weights and inputs."""
    torch.manual_seed(WEIGHT_SEED)
    if name in IMAGES:
        return image_model(lambda models: getattr(models, IMAGES[name])(weights=None),
                           (batch, 3, image_size, image_size), (4, 3, image_size, image_size))
    if name in TEXTS:
        return text_model(name, attention, (batch, sequence or TEXTS[name][1]))
    if name == "resnet3d18":
        return image_model(lambda models: models.video.r3d_18(weights=None),
                           (batch, 3, 16, 112, 112), (2, 3, 16, 112, 112))
    if name == "mmoe":
        return plain(MultiGateExperts(), (batch, 100), {0: "N"})
    if name == "lstm_nn":
        return plain(StackedLSTM(), (100, 1, 256), {0: "T"})
    if name == "lstm_unrolled":
        return plain(UnrolledLSTM(), (100, 1, 256), {})
    if name == "nonzero":
        return plain(PositiveOnes(), (4, 6), {0: "N", 1: "M"})
    if name == "growing":
        return plain(torch.jit.script(GrowingSum()), (4, 6), {0: "N", 1: "M"})
    raise KeyError(f"no model named '{name}'; there are {NAMES + VARIABLE_NAMES}")
