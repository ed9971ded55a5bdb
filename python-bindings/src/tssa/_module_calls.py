# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Calls of modules that have hooks, in the order of torch.nn.Module.__call__; the hooks are part of the program."""

from torch.nn.modules import module as modules

from ._errors import UnsupportedError


def has_hooks(module):
    """Returns whether hooks run when the module is called."""
    return bool(module._forward_hooks or module._forward_pre_hooks or modules._global_forward_hooks
                or modules._global_forward_pre_hooks)


def call_with_hooks(hooks, module, forward, *args, **kwargs):
    """Calls `forward` of a module and the hooks around it."""
    for number, hook in (*modules._global_forward_pre_hooks.items(), *module._forward_pre_hooks.items()):
        if number in module._forward_pre_hooks_with_kwargs:
            changed = hooks.call(hook, module, args, kwargs)
            if changed is not None:
                if not isinstance(changed, tuple) or len(changed) != 2:
                    raise RuntimeError(f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}.")
                args, kwargs = changed
            continue
        changed = hooks.call(hook, module, args)
        if changed is not None:
            args = changed if isinstance(changed, tuple) else (changed,)
    if module._forward_hooks_always_called or modules._global_forward_hooks_always_called:
        raise UnsupportedError([hooks.recorder.locate(f"{type(module).__name__}() has a hook that is called after errors, too: "
                                                      "register it without always_call")])
    result = hooks.call(forward, *args, **kwargs)
    for number, hook in (*modules._global_forward_hooks.items(), *module._forward_hooks.items()):
        is_given = number in module._forward_hooks_with_kwargs or number in modules._global_forward_hooks_with_kwargs
        changed = hooks.call(hook, module, args, kwargs, result) if is_given else hooks.call(hook, module, args, result)
        result = result if changed is None else changed
    return result
