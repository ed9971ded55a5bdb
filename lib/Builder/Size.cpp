//===- Size.cpp - sizes as polynomials over values -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Builder/Size.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace llvm;

namespace tssa::operators {

static constexpr size_t maxTerms = 64;
static constexpr unsigned maxBoundDepth = 4, maxBoundSteps = 2000;
/// The maximal depth of a size. It bounds the recursion of functions that visit the operands of a
/// size.
static constexpr unsigned maxDepth = 500;
static constexpr size_t maxShown = 10'000;

/// Compares monomials: a negative result means that `lhs` comes before `rhs`. Higher degrees come
/// first; between equal degrees, the atoms decide. Multiplication preserves this order, as
/// polynomial long division requires.
static int compare(const Size::Monomial &lhs, const Size::Monomial &rhs) {
  if (lhs.size() != rhs.size())
    return lhs.size() > rhs.size() ? -1 : 1;
  for (auto [l, r] : zip(lhs, rhs))
    if (l != r)
      return l->number < r->number ? -1 : 1;
  return 0;
}

static Size::Monomial multiply(const Size::Monomial &lhs, const Size::Monomial &rhs) {
  Size::Monomial result;
  std::merge(lhs.begin(), lhs.end(), rhs.begin(), rhs.end(), std::back_inserter(result),
             [](const Atom *l, const Atom *r) { return l->number < r->number; });
  return result;
}

/// Returns lhs / rhs if all factors of `rhs` are factors of `lhs`, else nothing.
static std::optional<Size::Monomial> divide(const Size::Monomial &lhs, const Size::Monomial &rhs) {
  Size::Monomial result;
  size_t next = 0;
  for (const Atom *atom : lhs) {
    if (next < rhs.size() && rhs[next] == atom)
      ++next;
    else
      result.push_back(atom);
  }
  if (next != rhs.size())
    return std::nullopt;
  return result;
}

Size::Size(int64_t constant) {
  if (constant != 0)
    sum.push_back({Monomial(), constant});
}

Size::Size(const Atom &atom) { sum.push_back({Monomial{&atom}, 1}); }

Size::Size(const Monomial &monomial, int64_t coefficient) { add(monomial, coefficient); }

Size Size::overflow() {
  Size result(0);
  result.bad = true;
  return result;
}

std::optional<int64_t> Size::constant() const {
  if (bad)
    return std::nullopt;
  if (sum.empty())
    return 0;
  if (sum.size() == 1 && sum.front().first.empty())
    return sum.front().second;
  return std::nullopt;
}

void Size::add(const Monomial &monomial, int64_t coefficient) {
  if (coefficient == 0 || bad)
    return;
  auto it = std::lower_bound(sum.begin(), sum.end(), monomial, [](const auto &term, const auto &m) {
    return compare(term.first, m) < 0;
  });
  if (it == sum.end() || compare(it->first, monomial) != 0) {
    if (sum.size() == maxTerms)
      *this = overflow();
    else
      sum.insert(it, {monomial, coefficient});
    return;
  }
  if (AddOverflow(it->second, coefficient, it->second))
    *this = overflow();
  else if (it->second == 0)
    sum.erase(it);
}

/// Adds other * monomial * factor to this Size.
void Size::add(const Size &other, const Monomial &monomial, int64_t factor) {
  if (other.bad)
    *this = overflow();
  for (const auto &[m, coefficient] : other.sum) {
    int64_t scaled;
    if (MulOverflow(coefficient, factor, scaled)) {
      *this = overflow();
      return;
    }
    add(multiply(m, monomial), scaled);
  }
}

Size Size::operator+(const Size &other) const {
  Size result = *this;
  result.add(other, {}, 1);
  return result;
}

Size Size::operator-(const Size &other) const {
  Size result = *this;
  result.add(other, {}, -1);
  return result;
}

Size Size::operator*(const Size &other) const {
  if (bad)
    return *this;
  Size result(0);
  result.bad = other.bad;
  for (const auto &[monomial, coefficient] : sum)
    result.add(other, monomial, coefficient);
  return result;
}

std::optional<Size> Size::divideExactly(const Size &divisor) const {
  if (bad || divisor.bad || divisor.sum.empty())
    return std::nullopt;
  Size quotient(0), rest = *this;
  const auto &[leading, leadingCoefficient] = divisor.sum.front();
  if (leadingCoefficient == -1)
    return (-*this).divideExactly(-divisor);
  for (size_t step = 0; !rest.sum.empty(); ++step) {
    const auto &[monomial, coefficient] = rest.sum.front();
    std::optional<Monomial> factor = divide(monomial, leading);
    if (!factor || step == maxTerms || coefficient % leadingCoefficient != 0)
      return std::nullopt;
    int64_t scale = coefficient / leadingCoefficient;
    quotient.add(*factor, scale);
    Size product(0);
    product.add(divisor, *factor, scale);
    rest = rest - product;
    if (rest.bad)
      return std::nullopt;
  }
  return quotient;
}

/// Returns floor(size / divisor) for a constant divisor. Terms that are multiples of the divisor
/// are divided exactly; only the others become part of an atom.
static Size floorDivConstant(const Size &size, int64_t divisor,
                             function_ref<Size(const Size &, const Size &)> makeAtom) {
  Size quotient(0), rest(0);
  int64_t common = divisor;
  for (const auto &[monomial, coefficient] : size.terms()) {
    int64_t whole = divideFloorSigned(coefficient, divisor);
    if (!monomial.empty() && coefficient % divisor != 0) {
      rest = rest + Size(monomial, coefficient);
      common = std::gcd(common, coefficient);
      continue;
    }
    quotient = quotient + Size(monomial, whole);
    if (monomial.empty())
      rest = rest + Size(llvm::mod(coefficient, divisor));
  }
  if (std::optional<int64_t> constant = rest.constant())
    return quotient + Size(divideFloorSigned(*constant, divisor));
  Size reduced(0);
  for (const auto &[monomial, coefficient] : rest.terms())
    reduced = reduced + Size(monomial, divideFloorSigned(coefficient, common));
  return quotient + makeAtom(reduced, Size(divisor / common));
}

Size Size::floorDiv(const Size &divisor) const {
  if (bad || divisor.bad)
    return overflow();
  if (std::optional<Size> quotient = divideExactly(divisor))
    return *quotient;
  auto atom = [](const Size &lhs, const Size &rhs) {
    return makeAtom(Atom::FloorDiv, lhs, rhs, lhs.isAtLeast(0));
  };
  if (std::optional<int64_t> constant = divisor.constant())
    return *constant > 0 ? floorDivConstant(*this, *constant, atom) : overflow();
  Size quotient(0), rest(0);
  for (const auto &[monomial, coefficient] : sum) {
    Size term(monomial, coefficient);
    if (std::optional<Size> whole = term.divideExactly(divisor))
      quotient = quotient + *whole;
    else
      rest = rest + term;
  }
  return quotient + atom(rest, divisor);
}

Size Size::ceilDiv(const Size &divisor) const {
  if (std::optional<Size> quotient = divideExactly(divisor))
    return *quotient;
  return (*this + divisor - 1).floorDiv(divisor);
}

Size Size::min(const Size &lhs, const Size &rhs) {
  if (lhs.constant() && rhs.constant())
    return *lhs.constant() < *rhs.constant() ? lhs : rhs;
  Size difference = rhs - lhs;
  if (difference.bad)
    return overflow();
  if (difference.isAtLeast(0))
    return lhs;
  if (difference.isAtMost(0))
    return rhs;
  return makeAtom(Atom::Min, lhs, rhs, lhs.isAtLeast(0) && rhs.isAtLeast(0));
}

Size Size::max(const Size &lhs, const Size &rhs) {
  if (lhs.constant() && rhs.constant())
    return *lhs.constant() > *rhs.constant() ? lhs : rhs;
  Size difference = lhs - rhs;
  if (difference.bad)
    return overflow();
  if (difference.isAtLeast(0))
    return lhs;
  if (difference.isAtMost(0))
    return rhs;
  return makeAtom(Atom::Max, lhs, rhs, lhs.isAtLeast(0) || rhs.isAtLeast(0));
}

bool Size::operator==(const Size &other) const { return !bad && !other.bad && sum == other.sum; }

bool Size::operator<(const Size &other) const {
  if (bad != other.bad)
    return bad;
  size_t count = std::min(sum.size(), other.sum.size());
  for (size_t i = 0; i < count; ++i) {
    if (int order = compare(sum[i].first, other.sum[i].first))
      return order < 0;
    if (sum[i].second != other.sum[i].second)
      return sum[i].second < other.sum[i].second;
  }
  return sum.size() < other.sum.size();
}

static bool isNonNegative(const Size::Monomial &monomial) {
  return all_of(monomial, [](const Atom *atom) { return atom->nonNegative; });
}

/// Tries to show that `size` >= `value` after one atom is replaced by a bound of the atom. The atom
/// is a minimum, a maximum, a quotient or an iteration number, and it is the only atom of its term.
static bool isAtLeastByBounds(const Size &size, int64_t value, unsigned depth, unsigned &steps);

/// Returns whether `size` >= `value` can be shown. `steps` counts the sizes that were examined, to
/// bound the time of a query.
static bool isAtLeastImpl(const Size &size, int64_t value, unsigned depth, unsigned &steps) {
  if (size.overflowed() || ++steps > maxBoundSteps)
    return false;
  int64_t bound = 0;
  bool known = true;
  for (const auto &[monomial, coefficient] : size.terms()) {
    if (monomial.empty())
      bound = coefficient;
    else
      known &= coefficient > 0 && isNonNegative(monomial);
  }
  if (known && bound >= value)
    return true;
  return depth < maxBoundDepth && isAtLeastByBounds(size, value, depth + 1, steps);
}

static bool isAtLeastByBounds(const Size &size, int64_t value, unsigned depth, unsigned &steps) {
  for (const auto &[monomial, coefficient] : size.terms()) {
    if (monomial.size() != 1)
      continue;
    const Atom &atom = *monomial.front();
    Size factor(coefficient), without = size - Size(monomial, coefficient);
    auto holdsWith = [&](const Size &bound) {
      return isAtLeastImpl(without + bound * factor, value, depth, steps);
    };
    if (atom.kind == Atom::Value) {
      if (coefficient < 0 && atom.rhs && holdsWith(*atom.rhs - 1))
        return true;
      continue;
    }
    if (atom.kind == Atom::FloorDiv) {
      if (coefficient >= 0)
        continue;
      // The bound d * floor(a / d) <= a is tighter than floor(a / d) <= a.
      std::optional<int64_t> divisor = atom.rhs->constant();
      if (divisor && *divisor > 0 && coefficient % *divisor == 0 &&
          isAtLeastImpl(without + *atom.lhs * Size(coefficient / *divisor), value, depth, steps))
        return true;
      if (atom.nonNegative && holdsWith(*atom.lhs))
        return true;
      continue;
    }
    bool either = (atom.kind == Atom::Max) == (coefficient > 0);
    bool left = holdsWith(*atom.lhs);
    if (either ? left || holdsWith(*atom.rhs) : left && holdsWith(*atom.rhs))
      return true;
  }
  return false;
}

bool Size::isAtLeast(int64_t value) const {
  unsigned steps = 0;
  return isAtLeastImpl(*this, value, 0, steps);
}

bool Size::differs(const Size &other) const {
  if (constant() && other.constant())
    return *constant() != *other.constant();
  Size difference = *this - other;
  return difference.isAtLeast(1) || difference.isAtMost(-1);
}

/// Appends the size to `text`, up to the maximal length of a text.
void Size::print(std::string &text) const {
  static const char *const functions[] = {"", "floordiv", "min", "max"};
  auto printAtom = [&](const Atom *atom) {
    if (atom->kind == Atom::Value) {
      text += atom->name.empty() ? "?" : atom->name;
      return;
    }
    text += functions[atom->kind] + std::string("(");
    atom->lhs->print(text);
    text += ", ";
    atom->rhs->print(text);
    text += ")";
  };
  if (sum.empty())
    text += "0";
  for (const auto &[index, term] : enumerate(sum)) {
    if (text.size() > maxShown)
      return;
    const auto &[monomial, coefficient] = term;
    if (index)
      text += coefficient < 0 ? " - " : " + ";
    else if (coefficient < 0)
      text += "-";
    uint64_t magnitude = coefficient < 0 ? -static_cast<uint64_t>(coefficient) : coefficient;
    if (magnitude != 1 || monomial.empty())
      text += std::to_string(magnitude) + (monomial.empty() ? "" : "*");
    interleave(monomial, printAtom, [&] { text += "*"; });
  }
}

std::string Size::str() const {
  if (bad)
    return "<overflow>";
  std::string text;
  print(text);
  return text.size() > maxShown ? text.substr(0, maxShown) + "..." : text;
}

Size product(ArrayRef<Size> sizes) {
  Size result(1);
  for (const Size &size : sizes)
    result = result * size;
  return result;
}

unsigned Size::depth() const {
  unsigned depth = 0;
  for (const auto &[monomial, coefficient] : sum)
    for (const Atom *atom : monomial)
      depth = std::max(depth, atom->depth);
  return depth;
}

Size Size::makeAtom(Atom::Kind kind, const Size &lhs, const Size &rhs, bool nonNegative) {
  if (std::max(lhs.depth(), rhs.depth()) >= maxDepth)
    return overflow();
  const Size &symbolic = lhs.constant() ? rhs : lhs;
  for (const auto &[monomial, coefficient] : symbolic.terms())
    if (!monomial.empty())
      return monomial.front()->table->get(kind, lhs, rhs, nonNegative);
  llvm_unreachable("operations on constants are folded");
}

Size SizeTable::get(mlir::Value value, bool nonNegative, StringRef name) {
  const Atom *&atom = values[value];
  if (!atom) {
    atoms.push_back(std::make_unique<Atom>(Atom{Atom::Value,
                                                unsigned(atoms.size()),
                                                /*depth=*/0,
                                                this,
                                                nonNegative,
                                                value,
                                                name.str(),
                                                {},
                                                {}}));
    atom = atoms.back().get();
  }
  return Size(*atom);
}

Size SizeTable::getPosition(mlir::Value value, const Size &count) {
  Size position = get(value, /*nonNegative=*/true);
  atoms[values.lookup(value)->number]->rhs = std::make_unique<Size>(count);
  return position;
}

void SizeTable::learnNonNegative(const Size &size) {
  if (size.terms().size() != 1)
    return;
  const auto &[monomial, coefficient] = size.terms().front();
  if (monomial.size() == 1 && coefficient > 0)
    atoms[monomial.front()->number]->nonNegative = true;
}

Size SizeTable::get(Atom::Kind kind, const Size &lhs, const Size &rhs, bool nonNegative) {
  bool swap = kind != Atom::FloorDiv && rhs < lhs;
  const Size &left = swap ? rhs : lhs, &right = swap ? lhs : rhs;
  const Atom *&atom = operations[{kind, left, right}];
  if (!atom) {
    atoms.push_back(std::make_unique<Atom>(Atom{kind,
                                                unsigned(atoms.size()),
                                                1 + std::max(left.depth(), right.depth()),
                                                this,
                                                nonNegative,
                                                {},
                                                {},
                                                std::make_unique<Size>(left),
                                                std::make_unique<Size>(right)}));
    atom = atoms.back().get();
  }
  return Size(*atom);
}

} // namespace tssa::operators
