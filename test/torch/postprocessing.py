# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Post-processing of models as people write it; the comment before a program says where such code is found."""

import decoding
import detections
from collected import Programs

PROGRAMS = Programs({**detections.PROGRAMS, **decoding.PROGRAMS})
