"""The submission as a whole could not be used: it does not parse, load, or hold what the task asks for."""

from __future__ import annotations

from grader.domain.catalogue.entry import CatalogueEntry, Param, snippet
from grader.domain.catalogue.params import ERROR, FUNCTION, LIMIT, SECONDS, SOURCE, TEXT

_MODULE = Param(name="module", means="name of the module", neutral="a module", code=True)
_SIMILAR = Param(name="similar", means="a defined name that looks alike", neutral="another name", code=True)
_CALL = Param(name="expected", means="the call that the task makes", neutral="the task's call", code=True)
_FOUND = Param(name="found", means="parameters of the function as found", neutral="others", code=True)
_TYPE = Param(name="type", means="type of the object of that name", neutral="something else", code=True)
_CODE = Param(name="exit", means="how the process ended, such as exit code 3", neutral="no explanation")

ENTRIES = (
    CatalogueEntry(
        code="submission.syntax_error",
        title="Python cannot read the file",
        message="Python stops reading your file{at}[[: {text}]][[ (the line is {source})]].",
        why="A file that does not parse cannot be loaded, so none of its functions could be graded.",
        hint=(
            "Open the file at that line. If the line looks right, look at the one before it: a bracket or a "
            "quote that was never closed is reported where Python noticed it. `python -m py_compile "
            "your_file.py` shows the same message on your machine."
        ),
        params=(TEXT, SOURCE),
    ),
    CatalogueEntry(
        code="submission.import_error",
        title="An import failed",
        message="Your file imports {module}{at}, and that cannot be imported here[[: {text}]].",
        why=(
            "The grader runs your file with Python's standard library, NumPy, SciPy and JAX. Another "
            "package, or a helper file that you did not hand in, is not there."
        ),
        hint=(
            "Remove the import if the task does not need it; plotting and data packages usually belong in a "
            "file of their own. If {module} is a helper file of yours, hand it in together with the main "
            "file."
        ),
        params=(_MODULE, TEXT),
    ),
    CatalogueEntry(
        code="submission.load_crashed",
        title="The file stops with an error while it is loaded",
        message="Loading your file raised {error}{at}[[: {text}]].",
        why=(
            "Everything outside a function runs when the file is loaded. When that fails, the functions "
            "below the line do not exist and cannot be graded."
        ),
        hint=(
            "Run `python your_file.py` to see the same error. Keep experiments out of the grader's way like "
            "this:"
        ),
        example=snippet("""
            if __name__ == "__main__":
                print(jnp.ones(3).sum())  # runs for you, not when graded
        """),
        params=(ERROR, TEXT),
    ),
    CatalogueEntry(
        code="submission.load_timed_out",
        title="Loading the file takes too long",
        message=(
            "Your file was still being loaded after {seconds} seconds, so it was stopped[[ near "
            "{source}]]{at}."
        ),
        why=(
            "Everything outside a function runs when the file is loaded: a loop without an end, a training "
            "run or an `input()` there keeps every check waiting."
        ),
        hint="Move the code that takes long into a function, or under this line:",
        example=snippet("""
            if __name__ == "__main__":
                print("long experiments go here")
        """),
        params=(SECONDS, SOURCE),
    ),
    CatalogueEntry(
        code="submission.load_out_of_memory",
        title="Loading the file needs too much memory",
        message="Loading your file needed more memory than {limit}, so it was stopped{at}.",
        why=(
            "Everything outside a function runs when the file is loaded, including large arrays that it "
            "creates."
        ),
        hint="Create large arrays inside the functions that need them, or under this line:",
        example=snippet("""
            if __name__ == "__main__":
                big = jnp.zeros((1000, 1000))
        """),
        params=(LIMIT,),
    ),
    CatalogueEntry(
        code="submission.load_died",
        title="The process ended while the file was loaded",
        message="Python ended while your file was being loaded[[ ({exit})]]{at}.",
        why=(
            "Nothing of the file could be used afterwards. The usual causes are `exit()`, `sys.exit()` or "
            "`os._exit()` outside a function, and crashes inside compiled extensions."
        ),
        hint="Remove the call that ends Python. Code that only you need goes under this line:",
        example=snippet("""
            if __name__ == "__main__":
                raise SystemExit(0)
        """),
        params=(_CODE,),
    ),
    CatalogueEntry(
        code="submission.function_missing",
        title="A function is missing",
        message="Your file does not define {function}.[[ It does define {similar}: is that the one?]]",
        why=(
            "The grader finds your work by the function's name, so a missing or renamed function cannot be "
            "graded."
        ),
        hint=(
            "Define {function} at the top level of the file (not inside another function or class), spelt "
            "exactly as in the task."
        ),
        params=(FUNCTION, _SIMILAR),
    ),
    CatalogueEntry(
        code="submission.not_a_function",
        title="The name does not hold a function",
        message="In your file, {function} is not a function[[ but {type}]]{at}.",
        why="The grader calls it with arguments. A later assignment to the same name replaces the function.",
        hint=(
            "Look for a line such as `name = ...` below the `def` that uses the same name, and rename that "
            "variable."
        ),
        params=(FUNCTION, _TYPE),
    ),
    CatalogueEntry(
        code="submission.wrong_arity",
        title="The function takes other arguments",
        message=(
            "{function} cannot be called as the task does[[, {expected}]]{at}"
            "[[: its parameters are {found}]]."
        ),
        why="The call fails before the first line of the function runs, so nothing in it can be graded.",
        hint=(
            "Restore the parameter list of the starter file. Further parameters are fine if they have "
            "defaults."
        ),
        params=(FUNCTION, _CALL, _FOUND),
    ),
    CatalogueEntry(
        code="submission.not_implemented",
        title="Not written yet",
        message="{function} still raises the starter's `NotImplementedError`{at}.",
        why="There is nothing to grade yet. The other functions are graded without it.",
        hint="Replace the `raise NotImplementedError` line by your solution.",
        params=(FUNCTION,),
    ),
    CatalogueEntry(
        code="submission.too_much_output",
        title="Too much output",
        message="Your code wrote more than {limit} of output, so it was stopped{at}.",
        why=(
            "Output is kept only in part, and writing it takes time from the checks. A print inside a loop "
            "is the usual cause."
        ),
        hint="Remove the print, or look at a single value from your own test code instead.",
        lesson="#pure-functions",
        params=(LIMIT,),
    ),
)
