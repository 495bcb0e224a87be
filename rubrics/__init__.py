"""What the author of a rubric suite imports.

A suite is a pytest module in an assignment's ``rubric`` folder. Each check is one test function, marked with
the quality it judges and its points; its docstring is the title students read:

    from rubrics import criterion, f32, key

    @criterion("values", points=4, function="normalize")
    def test_rows_are_standardised(submission, reference, draw):
        \"\"\"Each row has mean 0 and standard deviation 1.\"\"\"
        submission.normalize.matches(reference.normalize, draw(f32[32, 8]), draw(f32[1, 5]))
"""

from grader.domain.verdicts import Family, Visibility
from rubrics import laws, oracles
from rubrics.failures import CheckFailed
from rubrics.layouts import on, split, whole
from rubrics.marks import criterion
from rubrics.specs import bf16, boolean, f16, f32, f64, i32, key, raw_key, u8

__all__ = [
    "CheckFailed",
    "Family",
    "Visibility",
    "bf16",
    "boolean",
    "criterion",
    "f16",
    "f32",
    "f64",
    "i32",
    "key",
    "laws",
    "on",
    "oracles",
    "raw_key",
    "split",
    "u8",
    "whole",
]
