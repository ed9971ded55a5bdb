//===- RandomKernels.cpp - sums of products made from a seed --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomKernels.h"
#include "tssa/Reference/RandomInputs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <array>

namespace tssa::reference {

namespace {
using Shape = llvm::SmallVector<int64_t>;
using Words = llvm::SmallVector<std::string>;

/// The types of a kernel: of the elements of its tensors, and of its sums.
struct Types {
  std::string element, sum;
  ElementKind kind;

  bool isFloat() const { return sum != "i32"; }
  std::string suffix() const { return isFloat() ? "f" : "i"; }
};

/// A tensor that a kernel reads.
struct Operand {
  std::string name; ///< of the parameter
  Shape shape;
  bool isConstant = false;
  std::string value = ""; ///< in @main, if it is known
};

/// A factor of the products, and where a point reads it.
struct Factor {
  Shape shape;
  Words index, guard;
};

/// A sum of products before it is written.
struct Sum {
  Shape parallel, reduced;
  Factor data, weights;
  unsigned channels = 0; ///< the dim that a bias is read at
  bool hasTwoTensors = false;
  /// Dims of the result that a pool may run over.
  llvm::SmallVector<unsigned> image;

  int64_t countSteps() const {
    int64_t count = 1;
    for (const Shape &sizes : {parallel, reduced})
      for (int64_t size : sizes)
        count *= size;
    return count;
  }
};

class KernelMaker {
public:
  explicit KernelMaker(uint64_t seed) : random(seed) {}

  std::string make() {
    types = chooseTypes();
    Sum sum;
    int64_t most = random.oneIn(8) ? 2000000 : 200000;
    do
      sum = random.oneIn(3) ? makeProduct() : makeConvolution();
    while (sum.countSteps() > most);
    writeFirst(sum);
    if (random.oneIn(3))
      writeSecond(sum);
    return finish();
  }

private:
  int64_t pick(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random.below(high - low + 1));
  }

  Types chooseTypes() {
    switch (random.below(16)) {
    case 0:
      return {"f16", random.oneIn(2) ? "f16" : "f32", ElementKind::F16};
    case 1:
      return {"bf16", random.oneIn(4) ? "bf16" : "f32", ElementKind::BF16};
    case 2:
      return {"i32", "i32", ElementKind::I32};
    case 3:
      return {"i8", "i32", ElementKind::I8};
    default:
      return {"f32", "f32", ElementKind::F32};
    }
  }

  /// Returns a number of channels: often a multiple of a power of two, sometimes an odd one.
  int64_t pickChannels() {
    constexpr int64_t even[] = {4, 8, 12, 16, 24, 32, 40};
    return random.oneIn(2) ? even[random.below(std::size(even))] : pick(1, 40);
  }

  //===--------------------------------------------------------------------===//
  // Convolutions
  //===--------------------------------------------------------------------===//

  static std::string name(unsigned dim) { return "d" + std::to_string(dim); }

  /// Adds the guards that an index of a dim of `size` needs, if it runs from `low` to `high`.
  static void guard(Factor &factor, const std::string &index, int64_t low, int64_t high,
                    int64_t size) {
    if (low < 0)
      factor.guard.push_back(index + " >= 0");
    if (high >= size)
      factor.guard.push_back(std::to_string(size - 1) + " - (" + index + ") >= 0");
  }

  /// Adds an image dim: position `at` of the result, and step `step` of the window. Returns the
  /// number of positions and of steps.
  std::pair<int64_t, int64_t> addImage(Sum &sum, const std::string &at, const std::string &step,
                                       int64_t most, bool isTransposed) {
    int64_t size = pick(1, most), window = pick(1, 5), stride = random.oneIn(3) ? pick(2, 3) : 1;
    int64_t dilation = random.oneIn(5) ? pick(2, 3) : 1, low = pick(0, 2), high = pick(0, 2);
    sum.data.shape.push_back(size);
    std::string offset = low ? " + " + std::to_string(low) : "";
    if (isTransposed) {
      // The phase of a position says where its taps begin.
      window = std::max(window, low + high + 1);
      int64_t count = (size - 1) * stride + window - low - high;
      int64_t steps = (window + stride - 1) / stride;
      std::string by = std::to_string(stride), padded = "(" + at + offset + ")";
      std::string index =
          stride == 1 ? at + offset + " - " + step : padded + " floordiv " + by + " - " + step;
      std::string tap = stride == 1 ? step : padded + " mod " + by + " + " + step + " * " + by;
      guard(sum.data, index, low / stride - steps + 1, (count - 1 + low) / stride, size);
      guard(sum.weights, tap, 0, stride - 1 + (steps - 1) * stride, window);
      sum.data.index.push_back(index);
      addTap(sum, tap, window);
      return {count, steps};
    }
    while (size + low + high < dilation * (window - 1) + 1)
      --window;
    int64_t count = (size + low + high - dilation * (window - 1) - 1) / stride + 1;
    std::string index = (stride == 1 ? at : at + " * " + std::to_string(stride)) + " + " +
                        (dilation == 1 ? step : step + " * " + std::to_string(dilation)) +
                        (low ? " - " + std::to_string(low) : "");
    guard(sum.data, index, -low, (count - 1) * stride + (window - 1) * dilation - low, size);
    sum.data.index.push_back(index);
    addTap(sum, step, window);
    return {count, window};
  }

  static void addTap(Sum &sum, const std::string &tap, int64_t window) {
    sum.weights.shape.push_back(window);
    sum.weights.index.push_back(tap);
  }

  static void insert(Factor &factor, bool isFirst, int64_t size, const std::string &index) {
    factor.shape.insert(isFirst ? factor.shape.begin() : factor.shape.end(), size);
    factor.index.insert(isFirst ? factor.index.begin() : factor.index.end(), index);
  }

  Sum makeConvolution() {
    Sum sum;
    unsigned rank = std::array<unsigned, 6>{1, 2, 2, 2, 2, 3}[random.below(6)];
    bool isLast = random.oneIn(4), isTransposed = random.oneIn(6);
    int64_t groups = 1, in = pickChannels(), out = pickChannels();
    unsigned form = random.below(6); // dense, depthwise, or grouped
    if (form == 0 || form == 1) {
      groups = pickChannels();
      in = 1;
      out = random.oneIn(4) ? pick(2, 3) : 1;
    } else if (form == 2) {
      groups = pick(2, 5);
      in = pick(2, 9);
      out = pick(1, 9);
    }
    unsigned firstImage = isLast ? 1 : 2, channel = isLast ? rank + 1 : 1;
    bool hasIn = in > 1 || !random.oneIn(2);
    unsigned firstStep = rank + 2 + (hasIn ? 1 : 0);
    Shape counts, steps;
    for (unsigned i = 0; i < rank; ++i) {
      auto [count, step] = addImage(sum, name(firstImage + i), name(firstStep + i),
                                    rank == 3 ? 8 : 17, isTransposed);
      counts.push_back(count);
      steps.push_back(step);
      sum.image.push_back(firstImage + i);
    }
    std::string own = hasIn ? name(rank + 2) : "0";
    std::string group =
        out == 1 ? name(channel) : "(" + name(channel) + " floordiv " + std::to_string(out) + ")";
    std::string inIndex = groups == 1 ? own
                          : in == 1   ? group
                                      : group + " * " + std::to_string(in) + " + " + own;
    insert(sum.data, !isLast, groups * in, inIndex);
    bool isWeightsLast = random.oneIn(4);
    if (hasIn)
      insert(sum.weights, !isWeightsLast, in, own);
    insert(sum.weights, !isWeightsLast, groups * out, name(channel));
    int64_t batch = random.oneIn(3) ? pick(2, 3) : 1;
    insert(sum.data, true, batch, "d0");
    sum.parallel = counts;
    sum.parallel.insert(isLast ? sum.parallel.end() : sum.parallel.begin(), groups * out);
    sum.parallel.insert(sum.parallel.begin(), batch);
    if (hasIn)
      sum.reduced.push_back(in);
    llvm::append_range(sum.reduced, steps);
    sum.channels = channel;
    sum.hasTwoTensors = random.oneIn(4);
    return sum;
  }

  //===--------------------------------------------------------------------===//
  // Products of matrices
  //===--------------------------------------------------------------------===//

  Sum makeProduct() {
    Sum sum;
    unsigned batches = random.below(3);
    bool isBatched = batches > 0 && random.oneIn(2);
    for (unsigned i = 0; i < batches; ++i) {
      int64_t size = pick(1, 6);
      sum.parallel.push_back(size);
      insert(sum.data, false, size, name(i));
      if (isBatched)
        insert(sum.weights, false, size, name(i));
    }
    std::string row = name(batches), column = name(batches + 1), inner = name(batches + 2);
    int64_t rows = pickChannels(), columns = pickChannels();
    int64_t steps = random.oneIn(4) ? pick(1, 130) : pickChannels();
    auto add = [&](Factor &factor, int64_t a, const std::string &at, int64_t b,
                   const std::string &bAt) {
      bool isTransposed = random.oneIn(2);
      insert(factor, false, isTransposed ? b : a, isTransposed ? bAt : at);
      insert(factor, false, isTransposed ? a : b, isTransposed ? at : bAt);
    };
    add(sum.data, rows, row, steps, inner);
    add(sum.weights, steps, inner, columns, column);
    sum.parallel.append({rows, columns});
    sum.reduced = {steps};
    sum.channels = batches + 1;
    sum.hasTwoTensors = isBatched || random.oneIn(4);
    return sum;
  }

  //===--------------------------------------------------------------------===//
  // Text
  //===--------------------------------------------------------------------===//

  std::string getType(llvm::ArrayRef<int64_t> shape, const std::string &element) const {
    std::string text = "tensor<";
    for (int64_t size : shape)
      text += std::to_string(size) + "x";
    return text + element + ">";
  }

  std::string getType(llvm::ArrayRef<int64_t> shape) const { return getType(shape, types.element); }

  static std::string getDomain(llvm::ArrayRef<int64_t> sizes, unsigned first) {
    Words words;
    for (auto [i, size] : llvm::enumerate(sizes))
      words.push_back(name(first + i) + ": " + std::to_string(size));
    return llvm::join(words, ", ");
  }

  static std::string getDims(unsigned count) {
    Words words;
    for (unsigned i = 0; i < count; ++i)
      words.push_back(name(i));
    return llvm::join(words, ", ");
  }

  std::string getZero(const std::string &type) const {
    return (types.isFloat() ? "0.0 : " : "0 : ") + type;
  }

  /// Writes the read of an element as a number of the type of the sums.
  std::string read(const std::string &value, const std::string &tensor,
                   llvm::ArrayRef<int64_t> shape, const std::string &index,
                   const std::string &guard = "") const {
    bool isNarrow = types.element != types.sum;
    std::string text = "    %" + value + (isNarrow ? "_n" : "") + " = te.read %" + tensor + "[" +
                       index + "] : " + getType(shape);
    if (!guard.empty())
      text += " where (" + guard + ") else " + (types.isFloat() ? "0.0" : "0");
    if (isNarrow)
      text += "\n    %" + value + " = arith.ext" + (types.isFloat() ? "f" : "si") + " %" + value +
              "_n : " + types.element + " to " + types.sum;
    return text + "\n";
  }

  std::string compute(const std::string &value, const std::string &op,
                      const std::string &operands) {
    return "    %" + value + " = arith." + op + " " + operands + " : " + types.sum + "\n";
  }

  /// Writes the end of a body whose result is `value`.
  std::string yield(const std::string &value) {
    if (types.element == types.sum)
      return "    te.yield %" + value + " : " + types.element + "\n";
    return "    %" + value + "_t = arith.trunc" + types.suffix() + " %" + value + " : " +
           types.sum + " to " + types.element + "\n    te.yield %" + value +
           "_t : " + types.element + "\n";
  }

  std::string writeMaximum(const std::string &value, const std::string &from) {
    return "    %" + value + "_z = arith.constant " + getZero(types.sum) + "\n" +
           compute(value, types.isFloat() ? "maximumf" : "maxsi",
                   "%" + from + ", %" + value + "_z");
  }

  /// Returns the epilogue of the sums, or nothing.
  std::string writeEpilogue(const Sum &sum, bool hasRows) {
    std::string text, last = "s";
    auto add = [&](const std::string &value, const std::string &op) {
      text += compute(last + "e", op + types.suffix(), "%" + last + ", %" + value);
      last += "e";
    };
    if (hasRows) {
      Shape rows(sum.parallel.begin(), sum.parallel.end() - 1);
      text += read("t0", "rows", rows, getDims(rows.size()));
      add("t0", "sub");
    }
    if (random.oneIn(3)) {
      int64_t size = sum.parallel[sum.channels];
      operands.push_back({"bias", {size}, random.oneIn(2)});
      text += read("t1", "bias", {size}, name(sum.channels));
      add("t1", "add");
    }
    if (random.oneIn(4)) {
      operands.push_back({"rest", sum.parallel});
      text += read("t2", "rest", sum.parallel, getDims(sum.parallel.size()));
      add("t2", "add");
    }
    if (random.oneIn(3)) {
      text += writeMaximum("m", last);
      last = "m";
    }
    if (text.empty() && types.element == types.sum)
      return "";
    return " then (%s: " + types.sum + ") {\n" + text + yield(last) + "  }";
  }

  /// Writes an expression that sums the last dim of a tensor.
  std::string writeRowSum(const std::string &label, const std::string &tensor,
                          llvm::ArrayRef<int64_t> shape) {
    llvm::ArrayRef<int64_t> rows = shape.drop_back();
    std::string text =
        "  %" + label + " = te.compute @" + label + " (" + getDomain(rows, 0) + ") reduce (" +
        getDomain(shape.take_back(), rows.size()) + ") init (" + getZero(types.sum) + ") {\n" +
        read("v", tensor, shape, getDims(shape.size())) + "    te.yield %v : " + types.sum +
        "\n  } combine arith.add" + types.suffix();
    if (types.element != types.sum)
      text += " then (%s: " + types.sum + ") {\n" + yield("s") + "  }";
    return text + " : " + getType(rows) + "\n";
  }

  void writeFirst(const Sum &sum) {
    result = sum.parallel;
    bool isMatrix = sum.image.empty();
    // The row of the data that a sum reads, unless it is transposed.
    bool canHaveRows = isMatrix && sum.data.index.back() == name(sum.parallel.size());
    bool hasRows = canHaveRows && random.oneIn(5), hasSums = !hasRows && random.oneIn(12);
    operands.push_back({"x", sum.data.shape});
    operands.push_back({"w", sum.weights.shape, !sum.hasTwoTensors});
    std::string body;
    if (hasRows)
      body += writeRowSum("rows", "x", sum.data.shape);
    body += "  %y = te.compute @y (" + getDomain(sum.parallel, 0) + ") reduce (" +
            getDomain(sum.reduced, sum.parallel.size()) + ") init (" + getZero(types.sum) +
            ") {\n" +
            read("a", "x", sum.data.shape, llvm::join(sum.data.index, ", "),
                 llvm::join(sum.data.guard, ", ")) +
            read("b", "w", sum.weights.shape, llvm::join(sum.weights.index, ", "),
                 llvm::join(sum.weights.guard, ", ")) +
            compute("p", "mul" + types.suffix(), "%a, %b") + "    te.yield %p : " + types.sum +
            "\n  } combine arith.add" + types.suffix() + writeEpilogue(sum, hasRows) + " : " +
            getType(result) + "\n";
    llvm::SmallVector<Shape> results{result};
    if (hasSums) {
      body += writeRowSum("sums", "y", result);
      results.push_back(Shape(result.begin(), result.end() - 1));
    }
    writeKernel("first", body, hasSums ? "%y, %sums" : "%y", results);
  }

  /// Writes a kernel that reads the result of the first: a pool, or an element-wise one.
  void writeSecond(const Sum &sum) {
    operands.assign({{"y", result, false, firstValue}});
    bool isPool = !sum.image.empty() && random.oneIn(2);
    Shape shape = result, window;
    std::string index, body;
    if (isPool) {
      Words words;
      int64_t stride = pick(1, 2);
      for (auto [dim, size] : llvm::enumerate(shape)) {
        words.push_back(name(dim));
        if (!llvm::is_contained(sum.image, dim))
          continue;
        window.push_back(std::min<int64_t>(size, pick(1, 3)));
        words.back() += (stride == 1 ? "" : " * " + std::to_string(stride)) + " + " +
                        name(shape.size() + window.size() - 1);
        size = (size - window.back()) / stride + 1;
      }
      std::string init = !types.isFloat() ? getZero(types.sum) : "-65504.0 : " + types.sum;
      body = "  %z = te.compute @z (" + getDomain(shape, 0) + ") reduce (" +
             getDomain(window, shape.size()) + ") init (" + init + ") {\n" +
             read("v", "y", result, llvm::join(words, ", ")) + "    te.yield %v : " + types.sum +
             "\n  } combine arith." + (types.isFloat() ? "maximumf" : "maxsi");
      if (types.element != types.sum)
        body += " then (%s: " + types.sum + ") {\n" + yield("s") + "  }";
    } else {
      bool hasOther = random.oneIn(2);
      std::string at = getDims(shape.size());
      body = "  %z = te.compute @z (" + getDomain(shape, 0) + ") {\n" + read("v", "y", result, at);
      if (hasOther) {
        operands.push_back({"other", shape});
        body += read("u", "other", shape, at) + compute("a", "add" + types.suffix(), "%v, %u");
      }
      body += writeMaximum("m", hasOther ? "a" : "v") + yield("m") + "  }";
    }
    body += " : " + getType(shape) + "\n";
    writeKernel("second", body, "%z", {shape});
  }

  std::string makeConstant(const Operand &operand) {
    HostTensor tensor = llvm::cantFail(makeRandomTensor(types.kind, operand.shape, random));
    llvm::StringRef bytes(reinterpret_cast<const char *>(tensor.getData()), tensor.getNumBytes());
    return "dense<\"0x" + llvm::toHex(bytes) + "\"> : " + getType(operand.shape);
  }

  /// Adds a kernel with `operands`, and its launch.
  void writeKernel(const std::string &symbol, const std::string &body, const std::string &returned,
                   llvm::ArrayRef<Shape> results) {
    Words parameters, values, inputs, outputs;
    for (Operand &operand : operands) {
      std::string type = getType(operand.shape);
      if (operand.value.empty()) {
        operand.value = "%" + symbol + "_" + operand.name;
        if (operand.isConstant)
          main += "  " + operand.value + " = te.constant " + makeConstant(operand) + "\n";
        else
          arguments.push_back(operand.value + ": " + type);
      }
      bool isFinite = operand.isConstant && types.isFloat();
      parameters.push_back("%" + operand.name + ": " + type + (isFinite ? " {te.finite}" : ""));
      values.push_back(operand.value);
      inputs.push_back(type);
    }
    for (const Shape &shape : results)
      outputs.push_back(getType(shape));
    std::string types = llvm::join(outputs, ", "),
                all = results.size() > 1 ? "(" + types + ")" : types;
    main += "  %" + symbol + (results.size() > 1 ? ":" + std::to_string(results.size()) : "") +
            " = te.launch @" + symbol + "(" + llvm::join(values, ", ") + ") : (" +
            llvm::join(inputs, ", ") + ") -> " + all + "\n";
    for (auto [number, type] : llvm::enumerate(outputs)) {
      returnedTypes.push_back(type);
      returnedValues.push_back("%" + symbol +
                               (results.size() > 1 ? "#" + std::to_string(number) : ""));
    }
    if (results.size() > 1 && symbol == "first")
      firstValue = "%first#0";
    kernels += "te.kernel @" + symbol + "(" + llvm::join(parameters, ", ") + ") -> " + all +
               " {\n" + body + "  te.return " + returned + " : " + types + "\n}\n";
  }

  std::string finish() {
    return "func.func @main(" + llvm::join(arguments, ", ") + ") -> (" +
           llvm::join(returnedTypes, ", ") + ") {\n" + main + "  return " +
           llvm::join(returnedValues, ", ") + " : " + llvm::join(returnedTypes, ", ") + "\n}\n" +
           kernels;
  }

  Random random;
  Types types;
  llvm::SmallVector<Operand> operands; ///< of the kernel that is written
  Shape result;                        ///< of the first kernel
  Words arguments, returnedTypes, returnedValues;
  std::string main, kernels, firstValue = "%first";
};
} // namespace

std::string makeRandomKernels(uint64_t seed) { return KernelMaker(seed).make(); }

} // namespace tssa::reference
