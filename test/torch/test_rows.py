# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What imperative tensor programs do that functional ones do not, a test for each: right, or refused.

The names say what; the numbers are those by which the project counts these cases.
"""

import copy
import unittest

import torch
import tssa
from collected import tensor
from support import AgreementTest

RIGHT, REFUSED = [], {}


def right(*calls):
    def add(function):
        RIGHT.append((function, calls))
        return function

    return add


def refused(reason, *calls, kind=tssa.UnsupportedError):
    def add(function):
        REFUSED[function] = (reason, calls, kind)
        return function

    return add


X, V = tensor(4, 3), tensor(6)


@right((X,))
def row_01_siblings_overlap(x):
    a, b = x[1:], x[:, 0]
    a += 1
    b *= 2
    return a + 0, x[1:][0]


@right((X,), (-X.abs(),))
def row_02_outer_view_written_in_a_branch_of_a_loop(x):
    v = x[0]
    for i in range(x.size(0)):
        if x[i].sum() > 0:
            v += x[i]
    return v + 0


@right((X, 0), (X, 3))
def row_03_no_iterations(x, n: int):
    y = x.clone()
    for _ in range(n):
        y[0] += 1
        y = y * 2
    return y + 0


@right((V.abs(),))
def row_04_condition_reads_what_is_written(x):
    while x.sum() > 1:
        x[1:] *= 0.5
        x[0] *= 0.25
    return x.max()


@right((V,), (-V,))
def row_05_exits(x):
    for i in range(x.size(0)):
        if x[i] > 1:
            return x * i
        if x[i] < -1:
            break
        if x[i] > 0:
            continue
        x[i] = 0
    return x + 100


@right((X,))
def row_06_argument_written(x):
    x[:, 1].neg_()
    x.t()[0] = 5
    return x.sum()


@right((X,))
def row_07_results_share_storage(x):
    y = x + 1
    return x[1:], x, y.t(), y, y


@right((X[1:], X[:-1]), (X, X[0]), (V[::2], V[1:4]), (V[:2], V[4:]), (X, X))
def row_08_arguments_overlap(a, b):
    a += 1
    c = a.sum() * b
    b[0] *= 2
    return c, a


@right((V, V + 1, torch.tensor(1)), (V, V + 1, torch.tensor(0)))
def row_09_one_of_two_storages_is_the_result(x, y, c):
    return x if c else y


@right((V, V + 1, torch.tensor(1)), (V, V + 1, torch.tensor(0)))
def row_09_one_of_two_storages_is_read(x, y, c):
    z = x if c else y
    return z * 2


@right((V, torch.tensor(1)), (V, torch.tensor(0)))
def row_09_one_of_two_storages_is_written(x, c):
    a, b = x.clone(), x + 1
    z = a if c else b
    z += 1
    return a + b


@right((V, torch.tensor(1)), (V, torch.tensor(0)))
def row_09_two_names_become_one_in_a_branch(x, c):
    a, b = x.clone(), x + 1
    if c:
        b = torch.tanh(b)
        a = b
    a[0] = 2
    return a + 1, b.clone()


@refused("clone one of the two before control flow chooses between storages", (V, torch.tensor(1)))
def row_09_two_overlapping_views_leave_a_branch(x, c):
    a, b = x[:5].clone(), x[1:].clone()
    if c:
        made = x * 2
        a, b = made[:5], made[1:]
    a += 1
    return a + 0, b + 0


@right((V, torch.tensor(1)), (V, torch.tensor(0)))
def row_09_two_overlapping_views_of_which_one_is_cloned(x, c):
    a, b = x[:5].clone(), x[1:].clone()
    if c:
        made = x * 2
        a, b = made[:5], made[1:].clone()
    a += 1
    return a + 0, b + 0


@right((V, V + 1, torch.tensor(1)), (V, V + 1, torch.tensor(0)))
def row_09_one_of_two_arguments_is_written_and_returned(x, y, c):
    z = x if c else y
    z.mul_(2)
    return z


@right((X, X + 1, torch.tensor(1), 1), (X, X + 1, torch.tensor(0), 2))
def row_09_a_part_of_one_of_two_arguments_is_returned(x, y, c, k: int):
    z = x if c else y
    z[0] *= 2
    return z[:, k], z[1:]


@right((X, torch.tensor(1)), (X, torch.tensor(0)))
def row_09_a_part_of_an_argument_or_of_a_new_tensor_is_returned(x, c):
    z = (x if c else x * 2)[1:]
    return z, z[0], x


@right((V, 0), (V, 5))
def row_09_results_are_two_storages_that_a_loop_swaps(x, n: int):
    a, b = x + 1, x + 2
    for i in range(n):
        if a.sum() > i:
            a, b = b, a
        a *= 0.5
    return a, b


@refused("a result may be another result or not", (V, torch.tensor(1)))
def row_09_a_result_may_be_a_later_result(x, c):
    a, b = x + 1, x + 2
    return (a if c else b), a


@right((V, V + 1))
def row_10_swap(x, y):
    a, b = x.clone(), y.clone()
    for _ in range(x.size(0)):
        a, b = b, a
        a += 1
    return a * 1, b * 1


@right((X,), (tensor(11, 3),))
def row_11_lists(x):
    rows = [x[0], x[1]]
    x[0] = 7
    outs = []
    for i in range(x.size(0)):
        outs.append(x[i] * i)
    return rows[0] + rows[1], torch.stack(outs)


@right((X,), (torch.empty(0, 3),))
def row_12_parts(x):
    for part in x.chunk(2):
        part.mul_(2)
    for row in x.unbind(0):
        row.add_(1)
    return [p.shape for p in x.tensor_split(2, 1)], x.sum()


@right((X, 0), (X, 2), (X, -2))
def row_13_permutations_and_narrow(x, p: int):
    x.movedim(0, 1).mT[1].neg_()
    x.narrow(0, p, 2).zero_()
    return x.t().unsqueeze(0).squeeze(0) + 0


@right((X,), (tensor(1, 3),), (tensor(3, 1),), (X.t(),))
def row_14_view_or_copy(x):
    y = x.t().reshape(-1)
    y += 1
    z = x.t().contiguous()
    z *= 2
    return x + 0, y + 0, x.flatten(), x.ravel(), x.to(torch.float32)


@right((V,))
def row_15_expanded_and_read(x):
    return x.expand(3, -1).sum(0), x.broadcast_to(2, 6) + 1


@refused("whose elements share memory, as expand", (V,))
def row_16_expanded_and_written(x):
    x.expand(3, -1).add_(1)
    return x


@right((tensor(3, 3),), (tensor(4, 5),))
def row_17_diagonal(x):
    x.diagonal().mul_(2)
    return x.diagonal(1) + 0


@right((V,))
def row_18_windows_with_gaps(x):
    x.unfold(0, 2, 2).mul_(3)
    return x


@right((V,), (tensor(3),))
def row_19_windows_that_overlap_and_are_read(x):
    return x.unfold(0, 3, 1).sum(1)


@refused("shares memory with a result of unfold", (V,))
def row_20_windows_that_overlap_and_are_written(x):
    x.unfold(0, 3, 1).mul_(2)
    return x


@right((V,))
def row_21_as_strided(x):
    x.as_strided((2, 2), (2, 1), 1).mul_(2)
    return x.as_strided((2, 2), (1, 2), 1) + 1


@right((V,), (tensor(2, 4)[:, 1:],))
def row_22_other_type_of_the_same_bits(x):
    return x.view(torch.int32), (x + 1).view(torch.uint8), x.view(torch.int32) & 0xff


@refused("shares memory with a result of view", (V,))
def row_22_other_type_of_the_same_bits_and_written(x):
    y = x.view(torch.int32)
    y &= 0x7fffffff
    return x


@right((X, tensor(3)), (X, tensor(4, 1)))
def row_23_broadcast_into_a_window(x, y):
    x[:] += y
    return x


@right((torch.tensor([1.7, -1.7, 3e9, float("nan")]), torch.zeros(4, dtype=torch.int32)))
def row_24_types_of_copies(x, i):
    i.copy_(x)
    b = torch.zeros(4, dtype=torch.bool)
    b.copy_(x)
    return i + 1, b


@right((V.half(), V), (V.bfloat16(), V))
def row_25_half_arithmetic(h, x):
    h.add_(x)
    h *= 1.1
    return h


@right((V,))
def row_26_partial_overlap(x):
    x[1:] = x[:-1].clone()
    return x


@right((X, torch.tensor([2, 0])))
def row_27_copies(x, i):
    y, z, w = x[i], x.repeat(2, 1), x.flip(0)
    x.zero_()
    return y, z, w, x.roll(1, 0)


@right((X, torch.tensor([2, 0]), torch.tensor([1, 1])))
def row_28_indexed_write(x, i, j):
    x[i] = 5.0
    x[i, j] = torch.tensor([1.0, 2.0])
    return x


@right((X,))
def row_29_indexed_write_of_equal_places(x):
    x[torch.tensor([1, 1])] = 5.0
    return x


@right((V, torch.tensor([1, 1, 4]), tensor(3)))
def row_30_accumulation(x, i, y):
    x.index_put_((i,), y, accumulate=True)
    x.scatter_add_(0, i, y)
    return x.index_add_(0, i, y)


@right((X,), (X, ))
def row_31_masked_write(x):
    x[x > 0] = 9.0
    x[x < 0] *= 2
    return x


@right((V, torch.tensor([1, 1, 4])))
def row_32_indexed_augmented(x, i):
    x[i] += 10
    return x


@right((V,))
def row_33_right_side_aliases(x):
    x.add_(x.flip(0))
    x.copy_(x)
    x[:3].sub_(x[:3])
    return x


@right((V,))
def row_34_version_is_kept(x):
    old = x.clone()
    x += 1
    return x - old


@right((X,))
def row_35_shape_of_a_name(x):
    y = x.clone()
    y.t_()
    y.unsqueeze_(0)
    return y.squeeze_(0) + 0


@refused("gives its target another size", (X,))
def row_35_resized(x):
    return x.clone().resize_(2)


@right((V,))
def row_36_detached(x):
    y = x.detach()
    y += 1
    x.data.mul_(2)
    x[...] -= 1
    return y


@right((X, X + 1))
def row_37_out_and_foreach(x, y):
    z = torch.empty_like(x)
    torch.add(x, y, out=z)
    torch._foreach_mul_([x, y], 2.0)
    torch.max(x, y, out=y)
    return z, torch.sort(x, 0, out=(torch.empty_like(x), torch.empty(x.shape, dtype=torch.long)))[0]


@refused("gives its target another size", (X, X))
def row_37_out_of_another_size(x, y):
    return torch.add(x, y, out=torch.empty(0))


LIBRARY = torch.library.Library("tssa_test", "DEF")
LIBRARY.define("touch(Tensor(a!) x) -> ()")
LIBRARY.impl("touch", lambda x: None, "CompositeExplicitAutograd")


@refused("tssa_test::touch is not supported", (V,))
def row_38_operator_of_others(x):
    torch.ops.tssa_test.touch(x)
    return x + 1


@refused("uniform is not supported", (V,))
def row_39_random(x):
    return x.uniform_()


class Counts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(3)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls += 1
        self.norm.running_mean.mul_(0.5).add_(x.mean(0))
        return self.norm(x) + self.calls


def _scale(x, by=2.0):
    x *= by
    return x.sum()


@right((X,))
def row_41_calls(x):
    return _scale(x[1:]) + _scale(x, by=3.0)


@right((X, None, {"w": V}), (X, tensor(3), {"w": V}))
def row_42_optional_and_dicts(x, bias, found):
    if bias is not None:
        x = x + bias
    found["w"] += 1
    return {"x": x * 1, **{k: v * 2 for k, v in found.items()}}


@refused("gradients are not computed", (V.clone().requires_grad_(),), kind=tssa.Error)
def row_43_gradients(x):
    with torch.enable_grad():
        return tssa.compile(lambda v: v * 2)(x)


@right((torch.arange(12).view(4, 3), torch.tensor([1, 2, 4])))
def row_44_augmented(x, m):
    v = x[1:]
    v |= m
    x[0] &= m
    x[:, 0] ^= 1
    x **= 2
    return v + 0


@right((V, 0), (V, 2))
def row_45_writes_that_look_dead(x, n: int):
    a = x.clone()
    t = a
    for _ in range(n):
        t = t + 1
    a += 100
    return t + 0


@right((X, torch.tensor([1, 0, 1])), (X, torch.tensor([0])))
def row_11_one_of_a_list_of_buffers_is_written(x, which):
    buffers = [x.clone(), x + 1, x[:]]
    for i in range(which.size(0)):
        buffers[int(which[i])] += 1
        buffers[-int(which[i])][0] *= 2
    return buffers[0], buffers[1]


@right((X, torch.tensor(1)), (X, torch.tensor(0)))
def row_11_a_result_is_one_of_a_list(x, which):
    buffers = [x.clone(), x]
    return buffers[int(which)]


@refused("a list is changed that may have another name", (V, torch.tensor(1)))
def row_46_lists_of_two_names(x, c):
    a = [x]
    b = [x + 1]
    if c:
        b = a
    b[0] = x + 7
    return a[0] + 0


class Rows(AgreementTest):
    def test_row_40_buffers(self):
        module = Counts().eval()
        reference = copy.deepcopy(module)
        compiled = tssa.compile(module)
        with torch.no_grad():
            for _ in range(3):
                self.assert_same(reference(X), compiled(X), "module")
        self.assert_same(list(reference.buffers()), list(module.buffers()), "buffers")

    def test_row_47_modules_change(self):
        linear = torch.nn.Linear(3, 3).eval()
        compiled = tssa.compile(linear)
        with torch.no_grad():
            for change in (lambda: None, lambda: linear.weight.mul_(2),
                           lambda: setattr(linear, "bias", torch.nn.Parameter(torch.ones(3)))):
                change()
                self.assert_same(linear(X), compiled(X), "module")

    def test_row_48_ambient_state(self):
        compiled = tssa.compile(lambda x: x @ x.t())
        for dtype in (torch.float32, torch.bfloat16):
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=dtype is torch.bfloat16):
                self.assertEqual(compiled(X).dtype, dtype)


def add_right(function, calls):
    def test(self):
        compiled = None
        for arguments in calls:
            compiled = self.check(function, arguments, compiled)

    setattr(Rows, f"test_{function.__name__}", test)


def add_refused(function, reason, calls, kind):
    def test(self):
        program = function if "row_08" in function.__name__ or "row_43" in function.__name__ else tssa.compile(function)
        for arguments in calls:
            with self.assertRaisesRegex(kind, reason):
                program(*arguments)

    setattr(Rows, f"test_{function.__name__}", test)


for function, calls in RIGHT:
    add_right(function, calls)
for function, (reason, calls, kind) in REFUSED.items():
    add_refused(function, reason, calls, kind)

if __name__ == "__main__":
    unittest.main()
