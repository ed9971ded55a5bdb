// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the three likeliest classes of a binary PPM file (P6) of 8 bits.
#include <tssa/tssa.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <numeric>

static const char *const names[] = {"black", "blue",    "green",  "cyan",
                                    "red",   "magenta", "yellow", "white"};

/// An image of f32[1,3,height,width] from 0 to 1.
struct Image {
  int64_t width = 0, height = 0;
  std::vector<float> values;
};

static Image readImage(const char *path) {
  Image image;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error(std::string(path) + ": cannot be read");
  std::string format;
  int most = 0;
  file >> format >> image.width >> image.height >> most;
  const int64_t limit = 1 << 14;
  if (!file || format != "P6" || most != 255 || image.width < 1 || image.height < 1 ||
      image.width > limit || image.height > limit)
    throw std::runtime_error(std::string(path) + ": expected a P6 file of 8 bits without comments");
  file.get();
  size_t count = size_t(image.width) * size_t(image.height);
  std::vector<unsigned char> bytes(3 * count);
  if (!file.read(reinterpret_cast<char *>(bytes.data()), bytes.size()))
    throw std::runtime_error(std::string(path) + ": the file ends early");
  image.values.resize(3 * count);
  for (size_t i = 0; i < 3 * count; ++i)
    image.values[i % 3 * count + i / 3] = bytes[i] / 255.f;
  return image;
}

int main(int argc, char **argv) try {
  if (argc != 3)
    throw std::runtime_error("usage: classify MODEL.so IMAGE.ppm");
  tssa::Session session(argv[1]);
  Image image = readImage(argv[2]);
  auto results =
      session.run({tssa::Value("image", image.values.data(), {1, 3, image.height, image.width})});
  auto share = results[0].span<float>();
  size_t order[std::size(names)];
  std::iota(std::begin(order), std::end(order), 0);
  std::partial_sort(order, order + 3, std::end(order),
                    [&](size_t a, size_t b) { return share[a] > share[b]; });
  for (size_t i = 0; i < 3; ++i)
    std::printf("%-8s %5.1f %%\n", names[order[i]], 100 * share[order[i]]);
} catch (const std::exception &error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
