import contextlib
import json
import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.content.codes import NoticeCode, Refusal
from grader.content.limits import UploadLimits
from grader.content.uploads import read_paths, read_upload, read_uploads
from grader.domain.errors import NotFound, UploadRefused
from grader.domain.submission import SubmittedFiles
from tests.unit.content.making import HONEST, Entry, link, markdown_cell, notebook, zipped

OTHER = b"def unit(x):\n    return x\n"


def refusal_of(name: str, data: bytes) -> UploadRefused:
    with pytest.raises(UploadRefused) as caught:
        read_upload(name, data)
    return caught.value


def names(files: SubmittedFiles) -> list[str]:
    return [file.name for file in files.files]


def codes(files: SubmittedFiles) -> list[str]:
    return [notice.code for notice in files.notices]


# --- what one file is ---


def test_a_python_file_is_its_own_main_module():
    files = read_upload("my_homework.py", HONEST)
    assert (files.entry, names(files), files.notices) == ("my_homework.py", ["my_homework.py"], ())
    assert files.text_of("my_homework.py") == HONEST.decode()


def test_a_notebook_keeps_its_name_and_becomes_python():
    files = read_upload("hw.ipynb", notebook(markdown_cell(), "x = 1"))
    assert files.entry == "hw.ipynb"
    assert files.text_of("hw.ipynb") == "# %% cell 1\nx = 1\n"


def test_a_zip_is_read_with_its_helpers():
    files = read_upload("hw.zip", zipped(("submission.py", HONEST), ("tools/steps.py", OTHER)))
    assert (files.entry, names(files)) == ("submission.py", ["submission.py", "tools/steps.py"])
    assert files.notices == ()


@pytest.mark.parametrize(
    "name,data,entry",
    [
        ("hw.py", notebook("x = 1"), "hw.ipynb"),
        ("hw.json", notebook("x = 1"), "hw.ipynb"),
        ("hw.ipynb", HONEST, "hw.py"),
        ("hw.txt", HONEST, "hw.py"),
        ("submission.py.txt", HONEST, "submission.py"),
        ("homework", HONEST, "homework.py"),
    ],
)
def test_content_decides_what_a_file_is_and_a_notice_says_so(name: str, data: bytes, entry: str):
    files = read_upload(name, data)
    assert files.entry == entry
    assert codes(files) == [NoticeCode.KIND]


def test_a_zip_under_a_python_name_is_a_zip():
    assert read_upload("hw.py", zipped(("submission.py", HONEST))).entry == "submission.py"


@pytest.mark.parametrize("marker", ["# %%\n", "# %% A title\n"])
def test_a_script_with_percent_cells_is_plain_python(marker: str):
    source = f"{marker}x = 1\n\n{marker}y = 2\n"
    files = read_upload("hw.py", source.encode())
    assert files.text_of("hw.py") == source
    assert files.notices == ()


def test_a_syntax_error_is_no_reason_to_refuse_a_python_file():
    assert read_upload("hw.py", b"def f(:\n").text_of("hw.py") == "def f(:\n"


def test_a_path_before_the_name_means_nothing():
    assert read_upload("C:\\fakepath\\hw.py", HONEST).entry == "hw.py"
    assert read_upload("../../etc/hw.py", HONEST).entry == "hw.py"


@pytest.mark.parametrize(
    "name,data,code,says",
    [
        ("hw.py", b"", Refusal.EMPTY, "is empty"),
        ("hw.py", b" \r\n\t", Refusal.EMPTY, "is empty"),
        ("hw.py", b"\xef\xbb\xbf\n", Refusal.EMPTY, "is empty"),
        ("hw.zip", HONEST, Refusal.NOT_A_ZIP, "not a zip archive"),
        ("hw.zip", b"Zip me up!", Refusal.NOT_A_ZIP, "not a zip archive"),
        ("hw.zip", HONEST + zipped(("submission.py", HONEST)), Refusal.NOT_A_ZIP, "not a zip archive"),
        ("hw.py", HONEST + zipped(("submission.py", HONEST)), Refusal.NOT_TEXT, "is not text"),
        ("hw.tar.gz", b"\x1f\x8b\x08\0", Refusal.OTHER_ARCHIVE, "gzip archive"),
        ("hw.tar", b"\0" * 257 + b"ustar", Refusal.OTHER_ARCHIVE, "tar archive"),
        ("hw.zip", b"Rar!\x1a\x07\0", Refusal.OTHER_ARCHIVE, "RAR archive"),
        ("hw.7z", b"7z\xbc\xaf\x27\x1c", Refusal.OTHER_ARCHIVE, "7-Zip"),
        ("hw.pdf", b"%PDF-1.7\n", Refusal.NOT_PYTHON, "PDF"),
        ("hw.py", b"\x89PNG\r\n\x1a\n", Refusal.NOT_PYTHON, "an image"),
        ("hw.py", b"\n<!DOCTYPE html>\n<html>", Refusal.NOT_PYTHON, "web page"),
        ("hw.py", b"{\\rtf1\\ansi def f(): pass}", Refusal.NOT_PYTHON, "rich-text"),
        ("hw.txt", b"Dear professor, my dog ate it.", Refusal.NOT_PYTHON, "not Python code"),
        ("hw.ipynb", b'{"cells": [', Refusal.CORRUPT_NOTEBOOK, "JSON cannot be read"),
        ("hw.ipynb", b"<<<<<<< HEAD\n", Refusal.CORRUPT_NOTEBOOK, "JSON cannot be read"),
        ("hw.docx", zipped(("word/document.xml", b"<w/>")), Refusal.NO_PYTHON, "word/document.xml"),
        ("", HONEST, Refusal.BAD_NAME, "has no file name"),
        ("\x1b[2J.py", HONEST, Refusal.BAD_NAME, "not every system"),
        ("a\nb.py", HONEST, Refusal.BAD_NAME, "not every system"),
        ("\udc80.py", HONEST, Refusal.BAD_NAME, "not every system"),
        ("<img src=x>.py", HONEST, Refusal.BAD_NAME, "not every system"),
        ("a" * 300 + ".py", HONEST, Refusal.BAD_NAME, "303 characters"),
    ],
)
def test_what_cannot_be_accepted_is_refused_with_its_reason(name: str, data: bytes, code: Refusal, says: str):
    refused = refusal_of(name, data)
    assert refused.code == code
    assert says in str(refused)
    assert refused.remedy
    assert str(refused).isprintable()


def test_an_upload_over_the_limit_is_refused_with_both_sizes():
    with pytest.raises(UploadRefused, match="has 200 bytes; at most 100 bytes are read"):
        read_upload("hw.py", b"#" * 200, limits=UploadLimits(upload_bytes=100))


def test_a_python_file_over_the_limit_is_refused():
    with pytest.raises(UploadRefused, match="larger than 512 KiB"):
        read_upload("hw.py", b"x = 1\n" * 100_000)


def test_the_same_bytes_give_the_same_content_hash_in_a_zip_and_loose():
    entries: list[Entry] = [("submission.py", HONEST), ("unit.py", OTHER)]
    in_a_zip = read_upload("hw.zip", zipped(*entries))
    loose = read_uploads([("unit.py", OTHER), ("submission.py", HONEST)])
    assert in_a_zip.content_hash == loose.content_hash


# --- which file is the submission ---


@pytest.mark.parametrize(
    "entries,entry,beside",
    [
        ([("hw1/submission.py", HONEST), ("hw1/unit.py", OTHER)], "submission.py", ["unit.py"]),
        ([("a/b/submission.py", HONEST), ("a/b/c/unit.py", OTHER)], "submission.py", ["c/unit.py"]),
        ([("Submission.py", HONEST), ("unit.py", OTHER)], "Submission.py", ["unit.py"]),
        ([("submission.py", HONEST), ("main.py", OTHER)], "submission.py", ["main.py"]),
        ([("submission.py", HONEST), ("old/submission.py", OTHER)], "submission.py", ["old/submission.py"]),
        ([("submission.ipynb", notebook("x = 1")), ("unit.py", OTHER)], "submission.ipynb", ["unit.py"]),
        ([("submission.py", HONEST), ("submission.ipynb", notebook("x"))], "submission.py", []),
        ([("mine.py", HONEST), ("lib/unit.py", OTHER)], "mine.py", ["lib/unit.py"]),
        ([("hw/mine.py", HONEST), ("hw/lib/unit.py", OTHER)], "mine.py", ["lib/unit.py"]),
        ([("mine.py", HONEST), ("test_mine.py", OTHER)], "mine.py", ["test_mine.py"]),
        (
            [("run.py", b"x = 1"), ("src/submission.py", HONEST), ("src/unit.py", OTHER)],
            "submission.py",
            ["unit.py"],
        ),
        ([("conftest.py", HONEST)], "conftest.py", []),
    ],
)
def test_the_main_module_is_found_without_help(entries: list[Entry], entry: str, beside: list[str]):
    files = read_upload("hw.zip", zipped(*entries))
    assert (files.entry, names(files)) == (entry, [entry, *beside])


@pytest.mark.parametrize(
    "entries,entry",
    [
        ([("a.py", OTHER), ("b.py", HONEST)], "b.py"),
        ([("a.py", b"from b import normalize\nsmooth = 1\n"), ("b.py", HONEST)], "a.py"),
        ([("run.py", b"x = 1\n"), ("src/b.py", HONEST)], "b.py"),
        ([("hw.ipynb", notebook(HONEST.decode())), ("hw.py", HONEST)], "hw.py"),
        ([("hw.ipynb", notebook(HONEST.decode())), ("unit.py", OTHER)], "hw.ipynb"),
        ([("broken.ipynb", b"{"), ("hw.py", HONEST)], "hw.py"),
    ],
)
def test_the_file_with_the_most_of_the_wanted_functions_is_the_main_module(entries: list[Entry], entry: str):
    files = read_upload("hw.zip", zipped(*entries), functions=["normalize", "smooth"])
    assert files.entry == entry
    assert NoticeCode.MAIN_CHOSEN in codes(files)


def test_an_upload_whose_main_module_cannot_be_told_is_refused_with_the_list_and_the_remedy():
    with pytest.raises(UploadRefused) as caught:
        read_upload("hw.zip", zipped(("a.py", HONEST), ("b.py", HONEST)), functions=["normalize"])
    assert caught.value.code == Refusal.NO_MAIN
    assert "a.py, b.py" in caught.value.problem
    assert "submission.py" in caught.value.remedy


def test_a_lone_script_beside_a_notebook_is_not_preferred_if_neither_defines_what_is_wanted():
    with pytest.raises(UploadRefused) as caught:
        read_upload(
            "hw.zip", zipped(("hw.ipynb", notebook("x = 1")), ("unit.py", OTHER)), functions=["normalize"]
        )
    assert caught.value.code == Refusal.NO_MAIN


def test_the_name_of_the_main_module_is_the_assignments():
    files = read_upload("hw.zip", zipped(("a.py", OTHER), ("walks.py", HONEST)), entry="walks.py")
    assert files.entry == "walks.py"


@pytest.mark.parametrize("name", ["random.py", "jax.py", "code.py", "grader.py"])
def test_a_main_module_that_would_replace_a_real_one_gets_the_usual_name(name: str):
    files = read_upload(name, HONEST)
    assert (files.entry, names(files)) == ("submission.py", ["submission.py"])
    assert codes(files) == [NoticeCode.SHADOWS]
    assert name in files.notices[0].message


# --- what is left out, kept, refused ---


def test_what_is_left_out_is_named_and_litter_is_counted():
    files = read_upload(
        "hw.zip",
        zipped(
            ("hw/submission.py", HONEST),
            ("hw/data.csv", b"1"),
            ("hw/.git/config", b""),
            ("hw/old.ipynb", b"{"),
            ("hw/.DS_Store", b"\0"),
            ("hw/__pycache__/submission.cpython-311.pyc", b"\0"),
            ("__MACOSX/hw/._submission.py", b"\0\5\x16\7"),
            ("venv/lib/site-packages/jax/__init__.py", b""),
        ),
    )
    assert names(files) == ["submission.py"]
    missed, litter = files.notices
    assert "old.ipynb, hw/data.csv, hw/.git/config, venv/lib/site-packages/jax/__init__.py" in missed.message
    assert "3 files of your operating system or editor" in litter.message


@pytest.mark.parametrize(
    "name,code",
    [
        ("jax.py", NoticeCode.SHADOWS),
        ("numpy/__init__.py", NoticeCode.SHADOWS),
        ("json.py", NoticeCode.SHADOWS),
        ("rubrics.py", NoticeCode.SHADOWS),
        ("sitecustomize.py", NoticeCode.NEVER_RUN),
        ("conftest.py", NoticeCode.NEVER_RUN),
        ("test_mine.py", NoticeCode.NEVER_RUN),
        ("my-steps.py", NoticeCode.NOT_IMPORTABLE),
        ("lambda.py", NoticeCode.NOT_IMPORTABLE),
    ],
)
def test_a_helper_with_a_special_name_is_kept_with_a_notice(name: str, code: NoticeCode):
    files = read_upload("hw.zip", zipped(("submission.py", HONEST), (name, OTHER)))
    assert names(files) == ["submission.py", name]
    assert codes(files) == [code]


def test_an_empty_helper_is_fine_and_an_empty_main_module_is_not():
    assert read_upload("hw.zip", zipped(("submission.py", HONEST), ("lib/__init__.py", b""))).notices == ()
    assert refusal_of("hw.zip", zipped(("submission.py", b""), ("unit.py", OTHER))).code == Refusal.EMPTY


@pytest.mark.parametrize(
    "first,second",
    [
        ("submission.py", "submission.py"),
        ("submission.py", "SUBMISSION.PY"),
        ("z\u00e9.py", "ze\u0301.py"),
    ],
)
def test_two_files_under_one_name_are_refused(first: str, second: str):
    assert refusal_of("hw.zip", zipped((first, HONEST), (second, OTHER))).code == Refusal.DUPLICATE


@pytest.mark.parametrize(
    "name,code",
    [
        ("/".join(["d"] * 2000) + "/f.py", Refusal.TOO_DEEP),
        ("\x1b[2Jclear.py", Refusal.BAD_NAME),
        ("rtl\u202eyp.py", Refusal.BAD_NAME),
        ("new\nline.py", Refusal.BAD_NAME),
        ("a" * 200 + ".py", Refusal.BAD_NAME),
    ],
)
def test_a_hostile_name_in_a_zip_is_refused_and_shown_escaped(name: str, code: Refusal):
    refused = refusal_of("hw.zip", zipped(("submission.py", HONEST), (name, OTHER)))
    assert refused.code == code
    assert str(refused).isprintable()
    assert len(str(refused)) < 400


def test_a_hostile_name_of_a_file_nobody_reads_is_shown_escaped():
    files = read_upload("hw.zip", zipped(("submission.py", HONEST), ("\x1b[2J.txt", b"")))
    assert "\\x1b[2J.txt" in files.notices[0].message


def test_an_encoding_notice_in_a_helper_names_the_helper():
    files = read_upload("hw.zip", zipped(("submission.py", HONEST), ("unit.py", b"# \xe9\n")))
    assert "unit.py was read as Windows-1252" in files.notices[0].message


def test_hundreds_of_notices_are_cut_to_a_few_and_counted():
    files = read_upload("hw.ipynb", notebook("%a\n" * 500))
    assert len(files.notices) == 31
    assert files.notices[-1].message == "… and 470 more notices like these."


# --- several files ---


def test_loose_files_are_read_as_one_folder():
    files = read_uploads([("notes.txt", b"x"), ("unit.py", OTHER), ("submission.py", HONEST)])
    assert (files.entry, names(files)) == ("submission.py", ["submission.py", "unit.py"])
    assert codes(files) == [NoticeCode.LEFT_OUT]


def test_a_zip_among_loose_files_is_refused():
    with pytest.raises(UploadRefused, match="Send one zip, or loose files"):
        read_uploads([("submission.py", HONEST), ("more.zip", zipped(("unit.py", OTHER)))])


def test_no_file_at_all_is_refused():
    with pytest.raises(UploadRefused) as caught:
        read_uploads([])
    assert caught.value.code == Refusal.NO_PYTHON


def test_many_loose_files_and_large_ones_are_refused():
    limits = UploadLimits(files=2, upload_bytes=100)
    with pytest.raises(UploadRefused, match="at most 2 are read"):
        read_uploads([(f"m{number}.py", b"") for number in range(3)], limits=limits)
    with pytest.raises(UploadRefused, match="more than 100 bytes together"):
        read_uploads([("a.py", b"#" * 60), ("b.py", b"#" * 60)], limits=limits)


# --- paths of this machine ---


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "hw"
    (root / "lib").mkdir(parents=True)
    (root / "submission.py").write_bytes(HONEST)
    (root / "lib" / "unit.py").write_bytes(OTHER)
    (root / "data.csv").write_text("1,2")
    return root


def test_a_folder_is_read_like_a_zip_of_it(folder: Path):
    files = read_paths([folder])
    assert (files.entry, sorted(names(files))) == ("submission.py", ["lib/unit.py", "submission.py"])
    assert codes(files) == [NoticeCode.LEFT_OUT]


def test_files_of_this_machine_are_read_like_uploads(folder: Path, tmp_path: Path):
    assert read_paths([folder / "submission.py"]).entry == "submission.py"
    assert names(read_paths([folder / "lib" / "unit.py", folder / "submission.py"])) == [
        "submission.py",
        "unit.py",
    ]
    (tmp_path / "hw.zip").write_bytes(zipped(("submission.py", HONEST)))
    assert read_paths([tmp_path / "hw.zip"]).entry == "submission.py"


def test_a_virtual_environment_in_the_folder_is_not_searched(folder: Path):
    (folder / "env" / "lib").mkdir(parents=True)
    (folder / "env" / "pyvenv.cfg").touch()
    (folder / "env" / "lib" / "thing.py").write_bytes(b"\0")
    assert sorted(names(read_paths([folder]))) == ["lib/unit.py", "submission.py"]


def test_a_link_in_a_folder_is_refused(folder: Path):
    (folder / "lib" / "secrets.py").symlink_to("/etc/passwd")
    with pytest.raises(UploadRefused, match=r"symbolic link, 'lib/secrets.py'"):
        read_paths([folder])


def test_a_link_that_somebody_names_is_followed(folder: Path, tmp_path: Path):
    (tmp_path / "latest.py").symlink_to(folder / "submission.py")
    assert read_paths([tmp_path / "latest.py"]).entry == "latest.py"


def test_a_path_that_does_not_exist_is_named(tmp_path: Path):
    with pytest.raises(NotFound, match=r"no file named .*nothing.py"):
        read_paths([tmp_path / "nothing.py"])


def test_a_folder_among_files_is_refused(folder: Path):
    with pytest.raises(UploadRefused, match="is a folder among other files"):
        read_paths([folder, folder / "submission.py"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_refused_without_waiting_for_it(tmp_path: Path):
    os.mkfifo(tmp_path / "hw.py")
    with pytest.raises(UploadRefused, match="not a regular file"):
        read_paths([tmp_path / "hw.py"])


def test_a_folder_with_too_many_files_is_refused(folder: Path):
    with pytest.raises(UploadRefused, match="holds more than 3 files"):
        read_paths([folder], limits=UploadLimits(entries=3))
    with pytest.raises(UploadRefused, match="holds more than 1 Python files"):
        read_paths([folder], limits=UploadLimits(files=1))


def test_a_file_over_the_limit_is_not_read_to_its_end(tmp_path: Path):
    with (tmp_path / "huge.py").open("wb") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(UploadRefused, match="larger than 10 MiB"):
        read_paths([tmp_path / "huge.py"])


def test_a_nul_in_a_path_is_refused():
    with pytest.raises(UploadRefused, match="cannot be read"):
        read_paths([Path("a\0.py")])


# --- whatever comes ---

NAMES = st.sampled_from(["hw.py", "hw.ipynb", "hw.zip", "hw.txt", "hw"]) | st.text(max_size=12)


@given(NAMES, st.binary(max_size=300))
@example("hw.ipynb", b'{"cells":' + b"[" * 5000)
@example("hw.py", b"(" * 20_000)
@example("hw.py", b"-" * 200_000 + b"1")
@example("hw.py", b"x" + b".a" * 100_000)
@example("hw.py", b"x = " + b"9" * 10_000)
def test_any_bytes_under_any_name_are_read_or_refused(name: str, data: bytes):
    with contextlib.suppress(UploadRefused):
        files = read_upload(name, data, functions=["normalize"])
        assert files.entry in names(files)
        files.content_hash.encode()
        json.dumps([[file.name, file.text] for file in files.files]).encode()


MEMBERS = st.lists(
    st.tuples(
        st.sampled_from(["submission.py", "a/b.py", "hw.ipynb", "x.txt", "jax.py"])
        | st.text(min_size=1, max_size=8),
        st.sampled_from([HONEST, OTHER, b"", notebook("x = 1"), b"\xff\xfe"]) | st.binary(max_size=20),
    ),
    max_size=5,
)


@given(MEMBERS)
def test_any_zip_is_read_or_refused(members: list[Entry]):
    with contextlib.suppress(UploadRefused):
        files = read_upload("hw.zip", zipped(*members), functions=["normalize"])
        assert files.entry in names(files)
        assert len(set(names(files))) == len(files.files)


def test_a_link_in_a_zip_reaches_the_reader_as_a_refusal():
    assert refusal_of("hw.zip", zipped(("submission.py", HONEST), link("notes.txt"))).code == Refusal.LINK


def test_more_code_than_anybody_writes_is_refused_before_it_is_parsed():
    members: list[Entry] = [(f"m{number}.py", b"x = 1\n" * 2000) for number in range(10)]
    with pytest.raises(UploadRefused, match="more than 98 KiB of Python code"):
        read_upload(
            "hw.zip", zipped(("submission.py", HONEST), *members), limits=UploadLimits(text_bytes=100_000)
        )


def test_json_without_cells_is_told_so():
    with pytest.raises(UploadRefused, match="it has no cells"):
        read_upload("hw.ipynb", b"{}")
