# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Prints where there is speech in a WAV file of 16 kHz, mono, 16 bits: detect.py FILE.wav

silero-vad's model takes 512 samples after the last 64 of those before, and its state, which it returns for the next call.
"""

import importlib.util
import os
import sys
import wave

import numpy as np
import tssa

RATE, WINDOW, CONTEXT = 16000, 512, 64


def read_samples(path):
    """f32[samples] from -1 to 1. Ends the program for another format."""
    with wave.open(path) as file:
        if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (RATE, 1, 2):
            sys.exit(f"error: {path}: expected {RATE} Hz, one channel and 16 bits")
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32768


def find_probabilities(session, samples):
    """The probability of speech for each window."""
    state = np.zeros((2, 1, 128), np.float32)
    padded = np.concatenate([np.zeros(CONTEXT, np.float32), samples])
    for start in range(0, len(samples) - WINDOW + 1, WINDOW):
        window = padded[None, start:start + CONTEXT + WINDOW]
        probability, state = session.run(None, {"input": window, "state": state, "sr": np.array(RATE)})
        yield probability.item()


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: detect.py FILE.wav")
    samples = read_samples(sys.argv[1])
    # The package itself imports PyTorch; its model does not need it.
    package = importlib.util.find_spec("silero_vad").submodule_search_locations[0]
    session = tssa.InferenceSession(os.path.join(package, "data", "silero_vad_16k_op15.onnx"))
    voiced = [probability > 0.5 for probability in find_probabilities(session, samples)]
    # A pause of up to four windows does not end what is said.
    edges, last = [], None
    for index in np.flatnonzero(voiced):
        if last is None or index - last > 5:
            edges.append([index, index])
        last = edges[-1][1] = index
    for first, last in edges:
        print(f"speech from {first * WINDOW / RATE:.1f} s to {(last + 1) * WINDOW / RATE:.1f} s")


main()
