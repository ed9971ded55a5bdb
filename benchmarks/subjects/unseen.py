"""The unseen models, in a folder that unseen/make.py wrote: with open sizes beside fixed ones."""

import os

from compare.cases import Case
from unseen import listing

QUICK = ["ocr_rec_v4", "nudenet_320n", "silero_vad"]


def cases(options, folder):
    if not os.path.exists(options.models):
        raise SystemExit(f"unseen: there is no '{options.models}'; give what unseen/make.py wrote (--models DIR)")
    for name, unseen in listing.MODELS.items():
        if name not in (options.names or (QUICK if options.quick else [name])):
            continue
        for index, sizes in enumerate(unseen.sizes[:1] if options.quick else unseen.sizes):
            text = "x".join(map(str, sizes))
            stem = os.path.join(options.models, name)
            forms = {"open": stem + ".onnx", "fixed": f"{stem}.at_{text}.onnx"}
            missing = [path for path in forms.values() if not os.path.exists(path)]
            if missing:
                print(f"{name}: left out, there is no {missing[0]}", flush=True)
                break
            yield Case(f"{name} {text}", unseen.task, forms, f"{stem}.{index}.in.npz", f"{stem}.{index}.out.npz")
