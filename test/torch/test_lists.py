# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Lists of which only a run knows the length: they grow in loops and branches that a run decides about."""

import unittest

import torch
import tssa
from support import AgreementTest

PROGRAMS, REFUSED = {}, {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def refused(reason):
    def add(function):
        REFUSED[function.__name__] = function, reason
        return function

    return add


def positives(x):
    """A list of rows."""
    found = []
    for row in x:
        if row.sum() > 0:
            found.append(row)
    return found


def numbers(x):
    """A list of numbers."""
    found = []
    for i in range(x.size(0)):
        if x[i, 0] > 0:
            found.append(i)
    return found


# Lists that grow.


@program
def in_a_branch(x):
    found = [x[0]]
    if x.sum() > 0:
        found.append(x[1] * 2)
    return torch.stack(found), len(found)


@program
def in_both_arms(x):
    found = []
    if x.sum() > 0:
        found.append(x[0])
    else:
        found.append(x[1])
        found.append(x[2])
    return torch.stack(found)


@program
def in_a_loop(x):
    found = positives(x)
    return torch.stack(found, 1) if found else x * 2


@program
def until_a_break(x):
    found = []
    for i in range(x.size(0)):
        found.append(x[i])
        if x[i, 0] > 1:
            break
    return torch.stack(found)


@program
def with_continue(x):
    found = []
    for i in range(x.size(0)):
        if x[i, 0] > 1:
            continue
        found.append(i)
    return found


@program
def in_a_while_loop(x):
    found, rest = [], x.abs().sum() + 1
    while rest > 1:
        found.append(rest)
        rest = rest / 2
    return torch.stack(found)


@program
def in_nested_loops(x):
    found = []
    for i in range(x.size(0)):
        for j in range(x.size(1)):
            if x[i, j] > 0:
                found.append((i, j))
    return found


@program
def tuples(x):
    found = [(0, x[0], 0.5)]
    for i in range(x.size(0)):
        if x[i, 1] < 0:
            found.append((i, x[i] * 2, float(x[i, 0])))
    total = torch.zeros(x.size(1))
    for place, row, weight in found:
        total = total + row * weight + place
    return total


@program
def two_lists(x):
    low, high = [], []
    for i in range(x.size(0)):
        (high if x.size(0) > 100 else low).append(x[i])
        if x[i, 0] > 0:
            high.append(x[i] + 1)
    return torch.stack(low), torch.stack([*high, x[0]])


@program
def a_list_for_each_row(x):
    totals = torch.zeros(x.size(0), dtype=torch.long)
    for i in range(x.size(0)):
        found = []
        for j in range(x.size(1)):
            if x[i, j] > 0:
                found.append(j)
        totals[i] = len(found)
    return totals


@program
def grows_by_a_sum(x):
    found = [0]
    while len(found) < 5 and x.sum() < 1000:
        found = found + [found[-1] + 1]
    return found


@program
def lists_of_two_lengths(x):
    found = [1] if x.sum() > 0 else [2, 3]
    found.append(4)
    return found


@program
def lists_of_lists(x):
    rows = []
    for i in range(x.size(0)):
        row = [i]
        for j in range(x.size(1)):
            if x[i, j] > 0:
                row.append(j)
        rows.append({"name": "row", "places": row, "of": (i, float(x[i, 0]))})
    return rows, len(rows)


@program
def an_element_of_lists_of_lists(x):
    rows = []
    for i in range(x.size(0)):
        row = []
        for j in range(i):
            if x[j, 0] > 0:
                row.append(j)
        rows.append(row)
    return rows[2], rows[-1], len(rows[x.size(0) // 2])


@program
def numbers_of_a_mask(x):
    places = (x[:, 0] > 0).nonzero()[:, 0].tolist()
    places.append(-1)
    for place in x[0, :2].tolist():
        places.extend([int(place)])
    return places, x[:, 0][x[:, 0] > 0].tolist()


@program
def extended(x):
    found = []
    for i in range(x.size(0)):
        if x[i, 0] > 0:
            found.extend([i, -i])
        found += [7]
    return found


# Reading them.


@program
def last_element(x):
    found = [x[0]]
    for i in range(1, x.size(0)):
        if x[i, 0] > found[-1][0]:
            found.append(x[i])
    return found[-1] * 2, torch.stack(found)


@program
def the_one_before(x):
    found = []
    for i in range(x.size(0)):
        y = x[i]
        if i > 0:
            y = y + found[-1]
        found.append(y)
    return torch.stack(found)


@program
def length_while_it_grows(x):
    found, total = [], 0
    for i in range(x.size(0)):
        found.append(x[i])
        total = total + len(found)
    return torch.stack(found), total


@program
def elements_that_are_transposed(x):
    found = [x.t() * 2]
    for i in range(x.size(0)):
        if x[i, 0] > 0:
            found.append(x.t() * i)
    return found[-1].contiguous(), found[0].view_as(x.t()) + 1, torch.stack(found)


@program
def any_element(x):
    found = numbers(x)
    found.append(3)
    place = len(found) // 2
    return found[place], found[0], found[-1], found[x.argmax() % len(found)]


@program
def known_lists_at_any_index(x):
    place = int((x[:, 0] > 0).sum()) % 3
    rows, weights = [x[0], x[1], x[2] * 2], (0.5, 1.5, 2.5)
    return rows[place] * weights[place], ["same", "same"][0]


@program
def slices(x):
    found = [5, *numbers(x), 6]
    return found[1:], found[:-1], found[::2], found[::-1], found[1:len(found) - 1], found[-2:]


@program
def iterated(x):
    total = torch.zeros(x.size(1))
    found = positives(x)
    for row in found:
        total = total + row
    for i, row in enumerate(found):
        total = total + row * i
    for row in reversed(found):
        total = total * 0.5 + row
    return total


@program
def zipped(x):
    rows, places = [], []
    for i in range(x.size(0)):
        if x[i].sum() > 0:
            rows.append(x[i])
            places.append(i)
    total = torch.zeros(x.size(1))
    for row, place in zip(rows, places):
        total = total + row * place
    return total


@program
def truth(x):
    found = positives(x)
    return 1 if found else 0, not found, len(found) > 2


@program
def copies(x):
    found = numbers(x)
    other = list(found)
    other.append(100)
    third = found.copy() + other
    found.append(50)
    return found, other, third, tuple(found), len([*found, *other])


@program
def tensors_of_numbers(x):
    found = [0, *numbers(x)]
    return torch.tensor(found), torch.tensor(found, dtype=torch.float32), torch.tensor([float(x[0, 0])] + [v for v in (1.0, 2.0)])


@program
def concatenated(x):
    found = [x[:2]]
    for i in range(x.size(0)):
        if x[i, 0] > 0:
            found.append(x[:2] * i)
    return torch.cat(found), torch.cat(found, 1), torch.cat(found, dim=-1)


@program
def indexes_of_tensors(x):
    places = [0, *numbers(x)]
    y = x.clone()
    y[places] += 1
    y[places, 0] = 5
    return x[places], x[:, 1][places], x[places, -1], y


@program
def extremes(x):
    found = [2, *numbers(x), 1]
    weights = [float(x[0, 0])]
    if x.sum() > 0:
        weights.append(0.25)
    return max(found), min(found), x[max(found) % x.size(0)], max(weights), min(weights)


WEIGHTS = [torch.ones(5), torch.arange(5.0), torch.zeros(5)]


@program
def tensors_of_the_program(x):
    found = [WEIGHTS[0]]
    for i in range(x.size(0)):
        if x[i, 0] > 0:
            found.append(WEIGHTS[1] * i)
            found.append(WEIGHTS[2])
    return torch.stack(found), WEIGHTS[int(x.argmax()) % 3] + found[-1]


# Changing them.


@program
def a_stack(x):
    stack, total = [0], 0
    while stack:
        node = stack.pop()
        total = total + node
        if node < x.size(0):
            stack.append(2 * node + 1)
            if x[node, 0] > 0:
                stack.append(2 * node + 2)
    return total


@program
def a_queue(x):
    queue, order = [0], []
    while len(queue) > 0:
        node = queue.pop(0)
        order.append(node)
        for child in (2 * node + 1, 2 * node + 2):
            if child < x.size(0) and x[child, 0] < 1:
                queue.append(child)
    return order


@program
def elements_are_replaced(x):
    found, counts = [x[0]], [1]
    for i in range(1, x.size(0)):
        if x[i, 0] > 0:
            found.append(x[i])
            counts.append(1)
        else:
            place = int(x[i].argmax()) % len(found)
            found[place] = found[place] + x[i]
            counts[place] += 1
    return torch.stack(found), torch.tensor(counts), counts


@program
def inserted_and_deleted(x):
    found = []
    for i in range(x.size(0)):
        if x[i, 0] > 0:
            found.insert(0, i)
        else:
            found.append(-i)
    found.insert(1, 77)
    del found[0]
    found.reverse()
    return found, found.pop(), found


@program
def cleared(x):
    found, rounds = [], 0
    for i in range(x.size(0)):
        found.append(i)
        if x[i, 0] > 0:
            found.clear()
            rounds = rounds + 1
    return found, rounds


@program
def the_elements_are_copies_of_nothing(x):
    """What an element shares memory with does not change."""
    found = []
    for i in range(x.size(0)):
        row = x[i] * 2
        row += 1
        if row[0] > 0:
            found.append(row)
    return torch.stack([torch.zeros(x.size(1)), *found])


@program
def dicts_of_lists(x):
    boxes = {"places": [], "rows": [x[0]]}
    for i in range(x.size(0)):
        if x[i, 0] > 0:
            boxes["places"].append(i)
            boxes["rows"].append(x[i])
    return boxes["places"], torch.stack(boxes["rows"])


@program
def unrolled_where_it_must_be(x):
    """Elements that are written afterwards: the loop is unrolled."""
    rows = []
    for i in range(x.size(0)):
        rows.append(x[i] * 1)
    for row in rows:
        row += 1
    return torch.stack(rows)


@program
def compared_with_an_empty_list(x):
    rows = []
    for i in range(x.size(0)):
        rows.append(x[i])
    return x * 2 if rows != [] else x


# What is refused.


@refused(r"a tensor is written that may be in a list.*append a clone\(\) of it")
def an_element_is_written(x):
    found = []
    for i in range(x.size(0)):
        row = x[i] * 2
        if row[0] > 0:
            found.append(row)
        row += 1
    return torch.stack([x[0], *found])


@refused(r"a result is a list of tensors of which only a run knows the length: return torch.stack\(\) of it")
def a_result_of_tensors(x):
    return positives(x)


@refused("may be a tensor that is not contiguous: append its contiguous")
def elements_of_several_strides(x):
    found = [x * 2]
    for i in range(x.size(0)):
        if x[i, 0] > -1000:
            found.append((x.t().contiguous() * i).t())
    return found[-1] + 1


@refused("differ in types or sizes.*: a tensor of 1 dims of torch.float32 with the sizes .* and an int")
def mixed_types(x):
    found = [x[0]]
    if x.sum() > -1000:
        found.append(1)
    return len(found)


@refused("tensors whose size only a run knows are appended to a list")
def sizes_of_a_run(x):
    found = []
    for row in x:
        if row[0] > 0:
            found.append(row[row > 0])
    return len(found)


@refused("has a str as an element: expected tensors or numbers")
def texts(x):
    found = []
    if x.sum() > -1000:
        found.append("text")
    return len(found)


@refused(r"sort\(\) of a list of which only a run knows the length")
def sorted_in_place(x):
    found = numbers(x)
    found.sort()
    return found


@refused(r"sorted\(\) gets a list of which only a run knows the length")
def sorted_by_python(x):
    return sorted(numbers(x))


@refused("a list is changed in a loop or branch that only a run decides about")
def changed_while_it_is_iterated(x):
    found = [x[0], x[1]]
    for row in found:
        if row.sum() > 0 and len(found) < 4:
            found.append(row)
    return torch.stack(found)


@refused("a list may become an element twice of a list of which only a run knows the length: append a copy of it")
def the_same_list_twice(x):
    rows, row = [], [1]
    if x.sum() > -1000:
        rows.append(row)
    if x.sum() > -2000:
        rows.append(row)
    return rows


@refused("a list is changed that may have another name")
def an_inner_list_is_changed(x):
    rows = []
    for i in range(x.size(0)):
        row = [i]
        if x[i, 0] > -1000:
            rows.append([*row])
        other = [i]
        rows.append(other)
        other.append(5)
    return rows


@refused("the elements of a list are used one by one")
def any_of_a_list(x):
    return {"any": any(numbers(x))}


@refused(r"max\(\) of a list of which only a run knows the length: expected one of numbers")
def a_largest_tuple(x):
    found = [(0, 1)]
    if x.sum() > -1000:
        found.append((1, 2))
    return max(found)


@refused("two lists are compared of which only a run knows the length")
def compared(x):
    return numbers(x) == [1, 2]


@refused(r"zip\(\) gets a list of which only a run knows the length, and something of another kind")
def zipped_with_texts(x):
    return len(list(zip(numbers(x), ["a", "b"])))


def inputs():
    """Arguments of several sizes, some with no positive number or only those."""
    generator = torch.Generator().manual_seed(3)
    for rows, columns, shift in ((4, 3, 0.0), (9, 3, 0.0), (12, 5, 0.4), (5, 3, -5.0), (11, 2, 5.0)):
        yield torch.randn(rows, columns, generator=generator) + shift


class Lists(AgreementTest):
    def run_program(self, function):
        compiled = tssa.compile(function)
        for x in inputs():
            self.check(function, (x,), compiled)

    def run_refused(self, function, reason):
        for x in inputs():
            before = x.clone()
            with self.assertRaisesRegex(tssa.UnsupportedError, "(?s)test_lists.py:.*" + reason):
                tssa.compile(function, dynamic=True)(x)
            torch.testing.assert_close(x, before)

    def test_lists_of_open_lengths_are_compiled_once(self):
        for function in (in_a_loop, until_a_break, a_stack, elements_are_replaced):
            compiled = tssa.compile(function, dynamic=True)
            for x in list(inputs())[:2]:
                compiled(x)
            self.assertEqual(compiled.num_binaries, 1, function.__name__)

    def test_the_stack_of_no_tensors(self):
        compiled = tssa.compile(lambda x: torch.stack(positives(x)))
        self.assertEqual(compiled(torch.ones(12, 2)).shape, (12, 2))
        with self.assertRaises(tssa.Error):
            compiled(-torch.ones(12, 2))

    def test_an_index_out_of_range(self):
        compiled = tssa.compile(lambda x: numbers(x)[3])
        self.assertEqual(compiled(torch.ones(12, 2)), 3)
        with self.assertRaises(tssa.Error):
            compiled(-torch.ones(12, 2))


for name, function in PROGRAMS.items():
    setattr(Lists, f"test_{name}", lambda self, function=function: self.run_program(function))
for name, (function, reason) in REFUSED.items():
    setattr(Lists, f"test_{name}_is_refused", lambda self, function=function, reason=reason:
            self.run_refused(function, reason))

if __name__ == "__main__":
    unittest.main()
