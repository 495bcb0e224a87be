from typing import Any, NamedTuple


class AdamState(NamedTuple):
    count: Any
    mu: Any
    nu: Any


def adam_init(params):
    """The state before the first step."""
    raise NotImplementedError


def adam_update(grads, state, params, lr):
    """One step of Adam. Returns (new_params, new_state)."""
    raise NotImplementedError
