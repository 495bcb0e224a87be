"""What each mistake should have been."""

import jax
import jax.numpy as jnp
from jax import lax, random


def same(x):
    return x


m01_key_kept_in_a_global = m07_numpy_generator = m03_closure_kept_in_an_attribute = same
m06_debug_print_in_a_branch = m41_jitted_method = m36_static_array = same


def m02_input_kept_in_a_global(x):
    return x + 2


def m04_prints(x):
    return x * 2


def m05_prints_in_a_branch(x):
    return jnp.where(x[0] > 0, x, -x)


def m08_jitted_method_of_a_changed_object(x):
    return (x + 1) + (x + 2)


def m09_static_object_that_changes(x):
    return x


def m10_pure_callback(x):
    return jnp.sin(x)


def m11_assigns_an_item(x):
    return x.at[1].set(99.0)


m12_throws_an_update_away = m11_assigns_an_item


def m13_updates_and_returns_nothing(x):
    return x.at[1].set(-1.0)


def m14_writes_into_a_view(x):
    return jnp.asarray(x).at[0].set(1.0)


def m15_reads_past_the_end(x):
    return x.at[3].get(mode="fill", fill_value=0.0)


def m16_gathers_past_the_end(x):
    return x.at[jnp.array([13])].get(mode="fill", fill_value=0.0)


def m17_takes_past_the_end(x):
    return x.at[10].get(mode="fill", fill_value=0.0)


def m18_updates_past_the_end(x):
    return x.at[-1].set(1.0)


def m19_reads_what_it_gave_away(x):
    return 2 * x + 1


def m20_deletes_its_input(x):
    return x + 1


def m21_draws_twice_with_one_key(key):
    one, two = random.split(key)
    return random.uniform(one, (2,)), random.uniform(two, (2,))


def m22_draws_with_the_parent(key):
    key, sub = random.split(key)
    return random.randint(sub, (3,), 0, 2), key


def m23_seeds_anew_in_a_loop(key):
    return jnp.stack([random.normal(k, ()) for k in random.split(key, 3)])


def m24_splits_what_it_drew_with(key):
    return jax.vmap(random.normal)(random.split(key, 3))


def m25_one_key_for_all_rows(key, x):
    return jax.vmap(lambda k, v: v + random.normal(k, ()))(random.split(key, 3), x)


m26_a_key_for_each_row = m25_one_key_for_all_rows


def m27_draws_with_many_keys_at_once(key):
    return jax.vmap(random.normal)(random.split(key, 4))


def m28_key_of_the_module(key):
    return random.bits(key)


def m29_a_callback_sees_the_key(keys):
    return jax.vmap(random.normal)(keys)


def m30_one_key_for_all_steps(key):
    return lax.scan(lambda p, k: (p + random.normal(k, ()), p), 0.0, random.split(key, 4))[0]


def m31_branches_on_a_value(x):
    return jnp.where(x.sum() > 0, x, -x)


def m32_numpy_on_a_tracer(x):
    return jnp.sin(x)


def m33_size_from_a_value(n):
    return jnp.where(jnp.arange(8) < n, jnp.arange(8), 0)


def m34_size_computed_by_jax(x):
    return jnp.ones((x.size + 1,))


def m35_list_indexed_by_a_tracer(i):
    return jnp.array([1.0, 2.0, 3.0])[i]


def m37_jit_in_a_loop(x):
    return x + 5


def m38_static_counter(x):
    return x * 720


def m39_written_out_loop(x):
    return lax.fori_loop(0, x.shape[0], lambda _, v: jnp.sin(v) * 1.01, x)


def m40_measures_itself(x):
    return jnp.sum(x @ x)


def m42_asks_for_64_bits(x):
    return jnp.ones((2,)) * x[0]


def m43_integers_overflow(x):
    return 256.0 ** -jnp.arange(1.0, 5.0) * x[0]


def m44_gradient_of_a_guarded_root(x):
    return jnp.ones(()) + 0 * x[0]


def m45_gradient_through_a_while_loop(x):
    return jnp.full((), 8.0) + 0 * x[0]


def m46_gradient_at_an_integer(x):
    return 6 * x[0]


def m47_gradient_of_a_pair(x):
    return jnp.ones_like(x)


def m48_carry_of_another_type(x):
    return jnp.sum(x)


def m49_list_in_place_of_an_array(x):
    return 2 + x[0]


def m50_both_branches_under_vmap(x):
    return jnp.where(x > 0, jnp.log(jnp.where(x > 0, x, 1.0)), 0.0)


def m51_device_by_name(x):
    return jax.device_put(x, jax.devices("cpu")[0])


def m52_loop_over_an_array(x):
    return jnp.sum(x)
