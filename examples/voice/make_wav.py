# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes voice.wav: two times two seconds of vowels between pauses, 16 kHz, mono, 16 bits.

A vowel is the harmonics of a voice, louder the nearer they are to its formants.
"""

import wave

import numpy as np

RATE = 16000
VOWELS = [(730, 1090, 2440), (270, 2290, 3010), (570, 840, 2410), (530, 1840, 2480), (300, 870, 2240)]


def speak(seconds):
    """f64[samples]: a syllable each 0.2 s."""
    time = np.arange(int(seconds * RATE)) / RATE
    pitch = 125 + 25 * np.sin(2 * np.pi * 0.7 * time) + 3 * np.sin(2 * np.pi * 5 * time)
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    syllable = time / 0.2
    formants = np.array(VOWELS)[syllable.astype(int) % len(VOWELS)].T
    sound = np.zeros(len(time))
    for harmonic in range(1, 40):
        frequency = harmonic * pitch
        gain = sum(weight / (1 + ((frequency - formant) / 80) ** 2) for formant, weight in zip(formants, (1, 0.5, 0.25)))
        sound += gain * np.sin(harmonic * phase)
    return 0.2 * sound * np.sin(np.pi * (syllable % 1)) ** 0.7


noise = np.random.default_rng(0)
pause = np.zeros(int(1.5 * RATE))
samples = np.concatenate([pause, speak(2), pause, speak(2), pause])
samples += 0.001 * noise.standard_normal(len(samples))
with wave.open("voice.wav", "wb") as file:
    file.setparams((1, 2, RATE, 0, "NONE", ""))
    file.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
