import contextlib
import io
import stat
import tracemalloc
import zipfile

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.content.archives import is_zip, unpack
from grader.content.codes import Refusal
from grader.content.limits import DEFAULT_LIMITS, UploadLimits
from grader.content.sources import RawFiles
from grader.domain.errors import UploadRefused
from tests.unit.content.making import HONEST, Entry, link, special, with_directory_field, zipped

MAIN: Entry = ("submission.py", HONEST)


def read(data: bytes, limits: UploadLimits = DEFAULT_LIMITS) -> RawFiles:
    return unpack(data, name="hw.zip", limits=limits)


def refusal_of(data: bytes, limits: UploadLimits = DEFAULT_LIMITS) -> UploadRefused:
    with pytest.raises(UploadRefused) as caught:
        read(data, limits)
    assert caught.value.name == "hw.zip"
    return caught.value


def names(raw: RawFiles) -> list[str]:
    return [file.name for file in raw.files]


def test_python_and_notebooks_are_unpacked_and_the_rest_is_only_named():
    raw = read(zipped(MAIN, ("a/work.ipynb", b"{}"), ("a/", b""), ("data.csv", b"1,2"), ("notes.md", b"")))
    assert names(raw) == ["submission.py", "a/work.ipynb"]
    assert raw.left_out == ("data.csv", "notes.md")
    assert raw.files[0].data == HONEST


@pytest.mark.parametrize(
    "name",
    [
        "../submission.py",
        "a/../../x.py",
        "/tmp/x.py",
        "..\\..\\x.py",
        "C:/x.py",
        "c:\\x.py",
        "\\\\host\\x.py",
        "../notes.txt",
    ],
)
def test_a_name_that_leads_outside_is_refused(name: str):
    assert refusal_of(zipped(MAIN, (name, b"x"))).code == Refusal.UNSAFE_PATH


def test_a_nul_in_a_name_is_refused():
    data = zipped(MAIN, ("a_b.py", b"x")).replace(b"a_b.py", b"a\0b.py")
    assert refusal_of(data).code == Refusal.UNSAFE_PATH


def test_backslashes_of_old_windows_tools_separate_folders():
    data = zipped(("hw/submission.py", HONEST)).replace(b"hw/submission.py", b"hw\\submission.py")
    assert names(read(data)) == ["hw/submission.py"]


@pytest.mark.parametrize("name", ["notes.txt", "submission.py", "folder", ".hidden"])
def test_a_symlink_in_a_zip_is_refused(name: str):
    refused = refusal_of(zipped(("other.py", HONEST), link(name)))
    assert refused.code == Refusal.LINK
    assert name in str(refused)


@pytest.mark.parametrize("mode", [stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK])
def test_pipes_devices_and_sockets_are_refused(mode: int):
    assert refusal_of(zipped(MAIN, (special("thing", mode), b""))).code == Refusal.SPECIAL_FILE


def test_an_encrypted_member_is_refused():
    data = with_directory_field(zipped(MAIN), offset=8, value=1, width="<H")
    assert refusal_of(data).code == Refusal.ENCRYPTED


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_compression_whose_output_cannot_be_bounded_is_refused(method: int):
    assert "compressed in an unusual way" in str(refusal_of(zipped(MAIN, method=method)))


def test_a_bomb_of_python_is_refused_by_its_ratio():
    assert refusal_of(zipped(("submission.py", b"#" * 10_000_000))).code == Refusal.BOMB


def test_a_bomb_that_lies_about_its_size_is_bounded():
    bomb = zipped(("submission.py", b"#" * 10_000_000))
    for claim in (1, 70_000, 400_000):
        assert refusal_of(with_directory_field(bomb, offset=24, value=claim)).code == Refusal.CORRUPT_ARCHIVE


def test_a_directory_that_lies_about_a_file_nobody_opens_is_refused_too():
    bomb = zipped(MAIN, ("zeros.bin", bytes(64 << 20)))
    assert refusal_of(with_directory_field(bomb, offset=24, value=1)).code == Refusal.CORRUPT_ARCHIVE


def test_files_that_are_not_python_are_never_unpacked():
    bomb = zipped(MAIN, ("zeros.bin", bytes(64 << 20)))
    tracemalloc.start()
    try:
        assert read(bomb).left_out == ("zeros.bin",)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_archives_in_an_archive_stay_closed():
    assert read(zipped(MAIN, ("inner.zip", zipped(("more.py", b"x"))))).left_out == ("inner.zip",)


def test_a_python_file_over_the_limit_is_refused():
    code = b"".join(b"x%d = %d\n" % (number, number * 7919) for number in range(20_000))
    assert (
        refusal_of(zipped(("submission.py", code)), UploadLimits(file_bytes=100_000)).code
        == Refusal.TOO_LARGE
    )


def test_all_files_together_over_the_limit_are_refused():
    limits = UploadLimits(total_bytes=2 * len(HONEST))
    refused = refusal_of(zipped(*((f"m{number}.py", HONEST) for number in range(3))), limits)
    assert refused.code == Refusal.TOO_LARGE


def test_too_many_python_files_are_refused():
    entries: list[Entry] = [(f"m{number}.py", b"") for number in range(5)]
    assert refusal_of(zipped(*entries), UploadLimits(files=4)).code == Refusal.TOO_MANY_FILES


def test_too_many_entries_are_refused_before_the_directory_is_read(monkeypatch: pytest.MonkeyPatch):
    data = zipped(MAIN, *((f"f{number}.txt", b"") for number in range(50)))
    monkeypatch.setattr(zipfile, "ZipFile", None)
    assert refusal_of(data, UploadLimits(entries=50)).code == Refusal.TOO_MANY_FILES


@pytest.mark.parametrize(
    "stored,read_as",
    [
        ("ze\u0301.py", "z\u00e9.py"),
        ("日本.py", "日本.py"),
        ("O'Brien.py", "O'Brien.py"),
        ("a b (1).py", "a b (1).py"),
    ],
)
def test_names_of_people_survive_in_composed_form(stored: str, read_as: str):
    assert names(read(zipped((stored, b"")))) == [read_as]


def test_a_utf8_name_without_the_flag_that_says_so_is_understood():
    data = zipped(("z__.py", b"")).replace(b"z__.py", "zé.py".encode())
    assert names(read(data)) == ["zé.py"]


@pytest.mark.parametrize("size", [0, 4, 30, 100, 200])
def test_a_truncated_zip_is_refused(size: int):
    data = zipped(MAIN, ("b.py", HONEST))
    assert refusal_of(b"PK\x03\x04" + data[4 : 4 + size]).code == Refusal.CORRUPT_ARCHIVE


def test_a_flipped_byte_in_the_data_is_refused():
    data = bytearray(zipped(MAIN))
    data[60] ^= 0xFF
    assert refusal_of(bytes(data)).code == Refusal.CORRUPT_ARCHIVE


def test_a_zip_hidden_behind_other_text_is_not_a_zip():
    assert not is_zip(b"x = 1\n" + zipped(MAIN))


GOOD = zipped(MAIN, ("helpers/steps.py", b"x = 1\n"), ("data.bin", b"\0" * 100), ("work.ipynb", b"{}"))
EDITS = st.lists(st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)), max_size=12)


@given(EDITS)
@example([(GOOD.rfind(b"PK\x05\x06") + offset, 0xFF) for offset in range(4, 20)])
def test_a_mutated_zip_is_read_or_refused(edits: list[tuple[int, int]]):
    data = bytearray(GOOD)
    for at, value in edits:
        data[at] = value
    try:
        raw = read(bytes(data))
    except UploadRefused:
        return
    assert all(not file.name.startswith("/") and ".." not in file.name.split("/") for file in raw.files)


@given(st.integers(0, len(GOOD)), st.integers(0, len(GOOD)), st.binary(max_size=40))
def test_a_zip_with_a_piece_replaced_is_read_or_refused(start: int, end: int, piece: bytes):
    with contextlib.suppress(UploadRefused):
        read(GOOD[:start] + piece + GOOD[end:])


def test_the_standard_library_agrees_that_the_material_of_these_tests_is_sound():
    assert zipfile.ZipFile(io.BytesIO(GOOD)).testzip() is None
