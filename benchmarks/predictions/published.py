"""Times that others have published, in microseconds, with where they stand. Nothing here was measured by this project."""

import dataclasses

TRITON = ("Triton's tutorial on matrix multiplication", "https://triton-lang.org/main/getting-started/tutorials/03-matrix-multiplication.html")
BENCH_SM90A = ("blackwell-tensorcore-kernels, results/bench_sm90a.csv",
               "https://github.com/waynehacking8/blackwell-tensorcore-kernels/blob/main/results/bench_sm90a.csv")
TENSORRT = ("TensorRT, demo/BERT/README.md", "https://github.com/NVIDIA/TensorRT/blob/main/demo/BERT/README.md")
SOUFFLE = ("Souffle (ASPLOS 2024), Table 3", "https://doi.org/10.1145/3617232.3624858")
H100 = ("NVIDIA H100 datasheet", "https://www.nvidia.com/en-us/data-center/h100/")
SOURCES = [TRITON, BENCH_SM90A, TENSORRT, SOUFFLE, H100]

#: size -> teraflops of f16 products of size^3 on an A100 (cuBLAS, Triton); below 768 the timer's floor shows
TUTORIAL = {768: (63.2, 68.1), 1024: (110.4, 99.9), 1280: (157.5, 163.8), 1536: (176.9, 157.3), 1792: (172.9, 204.4),
            2048: (223.7, 190.7), 2560: (224.4, 221.4), 3072: (209.7, 213.7), 3584: (219.3, 225.4), 4096: (219.7, 220.0)}
#: rows, columns, warps down and across, steps, depth: the tiles among which that tutorial chooses for each size
TILES = [(128, 256, 2, 4, 64, 3), (64, 256, 1, 4, 32, 4), (128, 128, 2, 2, 32, 4), (128, 64, 2, 2, 32, 4),
         (64, 128, 2, 2, 32, 4), (128, 32, 4, 1, 32, 4), (64, 32, 2, 1, 32, 5), (32, 64, 1, 2, 32, 5)]
#: operations a second of f16 by instructions that the compiler does not use (wgmma); that of an A100 follows from the
#: compiler's own numbers
PEAK_F16 = {"sm_90": 989.4e12}


@dataclasses.dataclass
class Rival:
    name: str
    microseconds: float
    source: tuple


def tutorial_rivals(size):
    return [Rival(name, 2 * size ** 3 / rate / 1e6, TRITON) for name, rate in zip(("cuBLAS", "Triton"), TUTORIAL[size])]


RIVALS = {
    ("sm_80", "gemm1024_f16"): tutorial_rivals(1024),
    ("sm_80", "gemm2048_f16"): tutorial_rivals(2048),
    ("sm_80", "gemm4096_f16"): tutorial_rivals(4096),
    ("sm_90", "gemm2048_f16"): [Rival("cuBLAS", 32, BENCH_SM90A)],
    ("sm_90", "gemm4096_f16"): [Rival("cuBLAS", 189, BENCH_SM90A)],
    ("sm_90", "gemm4096_f32"): [Rival("cuBLAS", 3009, BENCH_SM90A)],
    ("sm_80", "bert_base"): [Rival("TensorRT", 670, TENSORRT)],
    ("sm_80", "lstm"): [Rival("Souffle", 800, SOUFFLE), Rival("Rammer", 1720, SOUFFLE), Rival("TensorRT", 6300, SOUFFLE)],
}
