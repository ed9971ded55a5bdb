# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""nn.LSTM, nn.GRU and nn.RNN as loops over time, as their documentation defines them.

PyTorch's own operators hide the loop, or unroll it.
"""

import torch


def _lstm_step(x, state, weights):
    h, c = state
    gates = x + torch.nn.functional.linear(h, weights[1], weights[3])
    i, f, g, o = gates.chunk(4, 1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h = torch.sigmoid(o) * torch.tanh(c)
    if weights[4] is not None:
        h = torch.nn.functional.linear(h, weights[4])
    return h, c


def _gru_step(x, state, weights):
    (h,) = state
    r, z, n = x.chunk(3, 1)
    hr, hz, hn = torch.nn.functional.linear(h, weights[1], weights[3]).chunk(3, 1)
    z = torch.sigmoid(z + hz)
    return ((1 - z) * torch.tanh(n + torch.sigmoid(r + hr) * hn) + z * h,)


def _tanh_step(x, state, weights):
    return (torch.tanh(x + torch.nn.functional.linear(state[0], weights[1], weights[3])),)


def _relu_step(x, state, weights):
    return (torch.relu(x + torch.nn.functional.linear(state[0], weights[1], weights[3])),)


def _run_forward(x, state, weights, step):
    y = torch.nn.functional.linear(x, weights[0], weights[2])
    out = torch.empty(x.size(0), x.size(1), state[0].size(1), dtype=x.dtype)
    for t in range(x.size(0)):
        state = step(y[t], state, weights)
        out[t] = state[0]
    return out, state


def _run_backward(x, state, weights, step):
    y = torch.nn.functional.linear(x, weights[0], weights[2])
    out = torch.empty(x.size(0), x.size(1), state[0].size(1), dtype=x.dtype)
    for t in range(x.size(0) - 1, -1, -1):
        state = step(y[t], state, weights)
        out[t] = state[0]
    return out, state


def _run_layers(step, x, states, params, has_biases, num_layers, bidirectional, batch_first):
    """x: [time, batch, features]; states: for each kind of state, [layers * directions, batch, features]."""
    if batch_first:
        x = x.transpose(0, 1)
    per_run = len(params) // (num_layers * (2 if bidirectional else 1))
    final, run = [], 0
    for _ in range(num_layers):
        outs = []
        for go in [_run_forward, _run_backward][:2 if bidirectional else 1]:
            weights = list(params[run * per_run:(run + 1) * per_run])
            if not has_biases:
                weights[2:2] = [None, None]
            weights += [None] * (5 - len(weights))
            out, state = go(x, tuple(s[run].clone() for s in states), weights, step)
            outs.append(out)
            final.append(state)
            run += 1
        x = torch.cat(outs, 2) if bidirectional else outs[0]
    return (x.transpose(0, 1) if batch_first else x, *(torch.stack(parts) for parts in zip(*final)))


def lstm(x, states, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    return _run_layers(_lstm_step, x, states, params, has_biases, num_layers, bidirectional, batch_first)


def gru(x, state, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    return _run_layers(_gru_step, x, [state], params, has_biases, num_layers, bidirectional, batch_first)


def rnn_tanh(x, state, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    return _run_layers(_tanh_step, x, [state], params, has_biases, num_layers, bidirectional, batch_first)


def rnn_relu(x, state, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    return _run_layers(_relu_step, x, [state], params, has_biases, num_layers, bidirectional, batch_first)
