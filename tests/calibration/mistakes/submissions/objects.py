"""State in objects: real mistakes that learners brought to issue trackers, in their shortest form."""

import functools

import jax


class Box:
    kept = {}


box = Box()


class Layer:
    @functools.partial(jax.jit, static_argnums=0)  # m08: jit.stale_static
    def apply(self, x):
        return self.function(x)


layer = Layer()


class Shift:
    def __init__(self, value):
        self.value = value

    def __hash__(self):
        return hash(self.value)

    def __eq__(self, other):
        return self.value == other.value


add = jax.jit(lambda shift, y: y + shift.value, static_argnums=0)  # m09: jit.stale_static


class Model:
    @jax.jit
    def call(self, x):
        return x


model = Model()


def m03_closure_kept_in_an_attribute(x):
    """jax-ml/jax#13022."""
    box.kept["hi"] = [lambda: x]  # purity.changes_state
    return x


def m08_jitted_method_of_a_changed_object(x):
    """jax-ml/jax#9023."""
    layer.function = lambda v: v + 1
    a = layer.apply(x)
    layer.function = lambda v: v + 2
    return a + layer.apply(x)


def m09_static_object_that_changes(x):
    """jax-ml/jax#13992."""
    shift = Shift(100)
    a = add(shift, x)
    shift.value = 0
    add(shift, x)
    return add(shift, x) + 0 * a


def m41_jitted_method(x):
    """jax-ml/jax#5595."""
    return model.call(x)  # call.not_an_array
