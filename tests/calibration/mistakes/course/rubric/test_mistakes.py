"""For each mistake, the families that it is about; each asked as any suite would ask it."""

from rubrics import criterion, f32, i32, key

V = f32[3].between(0.5, 1)
SIZES = f32[8], f32[16], f32[32]

PURE = {
    "m01_key_kept_in_a_global": V,
    "m02_input_kept_in_a_global": V,
    "m03_closure_kept_in_an_attribute": V,
    "m04_prints": V,
    "m05_prints_in_a_branch": V,
    "m06_debug_print_in_a_branch": V,
    "m07_numpy_generator": V,
    "m10_pure_callback": V,
    "m40_measures_itself": V,
}
VALUES = {
    "m08_jitted_method_of_a_changed_object": (V,),
    "m09_static_object_that_changes": (V,),
    "m11_assigns_an_item": (V,),
    "m12_throws_an_update_away": (V,),
    "m13_updates_and_returns_nothing": (V,),
    "m14_writes_into_a_view": (V,),
    "m15_reads_past_the_end": (V,),
    "m16_gathers_past_the_end": (V,),
    "m17_takes_past_the_end": (V,),
    "m18_updates_past_the_end": (V,),
    "m36_static_array": (V,),
    "m41_jitted_method": (V,),
    "m42_asks_for_64_bits": (V,),
    "m43_integers_overflow": (V,),
    "m44_gradient_of_a_guarded_root": (V,),
    "m45_gradient_through_a_while_loop": (V,),
    "m46_gradient_at_an_integer": (V,),
    "m47_gradient_of_a_pair": (V,),
    "m48_carry_of_another_type": (V,),
    "m49_list_in_place_of_an_array": (V,),
    "m50_both_branches_under_vmap": (V,),
    "m51_device_by_name": (V,),
    "m52_loop_over_an_array": (V,),
}
UNCHANGED = {"m19_reads_what_it_gave_away": V, "m20_deletes_its_input": V}
KEYS = {
    "m21_draws_twice_with_one_key": (key,),
    "m22_draws_with_the_parent": (key,),
    "m23_seeds_anew_in_a_loop": (key,),
    "m24_splits_what_it_drew_with": (key,),
    "m25_one_key_for_all_rows": (key, V),
    "m26_a_key_for_each_row": (key, V),
    "m27_draws_with_many_keys_at_once": (key,),
    "m28_key_of_the_module": (key,),
    "m29_a_callback_sees_the_key": (key[3],),
    "m30_one_key_for_all_steps": (key,),
}
RETURNED_KEY = {"m22_draws_with_the_parent": 1}
ROWS = {
    "m25_one_key_for_all_rows": lambda args, result: result - args[1],
    "m26_a_key_for_each_row": lambda args, result: result - args[1],
}
TRACED = {
    "m06_debug_print_in_a_branch": V,
    "m10_pure_callback": V,
    "m31_branches_on_a_value": V,
    "m32_numpy_on_a_tracer": V,
    "m33_size_from_a_value": i32.scalar(3),
    "m34_size_computed_by_jax": V,
    "m35_list_indexed_by_a_tracer": i32.scalar(1),
    "m50_both_branches_under_vmap": V,
    "m52_loop_over_an_array": V,
}
TRACED_ONCE = {"m37_jit_in_a_loop": V, "m38_static_counter": V}
NOT_NARROWED = {"m42_asks_for_64_bits": V}
SMALL = {"m39_written_out_loop": SIZES}


def ask(family, function, judge):
    """Add a check of `function`: ``judge(what is submitted, the reference, draw)``."""

    @criterion(family, points=1, function=function)
    def check(submission, reference, draw):
        judge(getattr(submission, function), getattr(reference, function), draw)

    check.__doc__ = f"{function[4:].replace('_', ' ').capitalize()}."
    globals()[f"test_{family}_{function}"] = check


for name, spec in PURE.items():
    ask("purity", name, lambda mine, _, draw, spec=spec: mine.is_pure(draw(spec)))
for name, specs in VALUES.items():
    ask("values", name, lambda mine, right, draw, specs=specs: mine.matches(right, draw(*specs)))
for name, spec in UNCHANGED.items():
    ask("immutability", name, lambda mine, _, draw, spec=spec: mine.leaves_inputs_unchanged(draw(spec)))
for name, specs in KEYS.items():
    options = {"returns_key": RETURNED_KEY.get(name), "draws": ROWS.get(name)}
    ask(
        "prng",
        name,
        lambda mine, _, draw, specs=specs, options=options: mine.threads_keys(draw(*specs), **options),
    )
for name, spec in TRACED.items():
    ask("jit", name, lambda mine, _, draw, spec=spec: mine.traces(draw(spec)))
for name, spec in TRACED_ONCE.items():
    ask("jit", name, lambda mine, _, draw, spec=spec: mine.traces_once(draw(spec)))
for name, spec in NOT_NARROWED.items():
    ask("dtype", name, lambda mine, _, draw, spec=spec: mine.does_not_narrow(draw(spec)))
for name, sizes in SMALL.items():
    ask("jit", name, lambda mine, _, draw, sizes=sizes: mine.program_does_not_grow(*map(draw, sizes)))
