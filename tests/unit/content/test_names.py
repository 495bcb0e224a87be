import pytest

from grader.content.names import Kind, belongs_to_environment, kind_of, module_of


@pytest.mark.parametrize(
    "name,kind",
    [
        ("submission.py", Kind.PYTHON),
        ("A/B.PY", Kind.PYTHON),
        ("env/steps.py", Kind.PYTHON),
        ("hw.ipynb", Kind.NOTEBOOK),
        ("__MACOSX/._hw.py", Kind.LITTER),
        ("a/.DS_Store", Kind.LITTER),
        ("__pycache__/a.pyc", Kind.LITTER),
        (".ipynb_checkpoints/hw-checkpoint.ipynb", Kind.LITTER),
        (".hidden.py", Kind.OTHER),
        (".git/hooks/x.py", Kind.OTHER),
        ("venv/lib/x.py", Kind.OTHER),
        ("a.so", Kind.OTHER),
        ("submission.pyc", Kind.OTHER),
        ("py", Kind.OTHER),
    ],
)
def test_a_name_says_what_to_do_with_a_file(name: str, kind: Kind):
    assert kind_of(name) is kind


@pytest.mark.parametrize(
    "name,module",
    [
        ("steps.py", "steps"),
        ("lib/steps.py", "lib.steps"),
        ("lib/__init__.py", "lib"),
        ("größe.py", "größe"),
        ("my-steps.py", None),
        ("2nd.py", None),
        ("a b.py", None),
        ("class.py", None),
        ("lib.x/steps.py", None),
        ("hw.ipynb", None),
    ],
)
def test_a_helper_is_importable_if_its_name_is_a_python_name(name: str, module: str | None):
    assert module_of(name) == module


@pytest.mark.parametrize("package", ["json", "jax", "numpy", "pytest", "grader", "_thread"])
def test_what_python_has_already_belongs_to_the_environment(package: str):
    assert belongs_to_environment(package)


@pytest.mark.parametrize("package", ["helpers", "steps", "submission", "utils"])
def test_what_students_call_their_helpers_does_not(package: str):
    assert not belongs_to_environment(package)


def test_a_file_in_the_working_folder_does_not_belong_to_the_environment(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path_factory.mktemp("mine")
    (folder / "only_here.py").touch()
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    assert not belongs_to_environment("only_here")
