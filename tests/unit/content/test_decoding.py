import codecs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.content import decoding
from grader.content.codes import NoticeCode
from grader.content.decoding import Decoded, decode_source
from grader.domain.errors import UploadRefused

SOURCE = 'name = "Zoë"  # ∂x\n'


def decode(data: bytes) -> Decoded:
    return decode_source(data, name="hw.py")


def codes(decoded: Decoded) -> list[str]:
    return [notice.code for notice in decoded.notices]


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig"])
def test_utf8_is_read_without_a_word(codec: str):
    assert decode(SOURCE.encode(codec)) == Decoded(text=SOURCE)


def test_a_byte_order_mark_that_an_editor_wrote_twice_is_dropped():
    assert decode(b"\xef\xbb\xbf\xef\xbb\xbfx = 1\n").text == "x = 1\n"


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_utf16_and_utf32_are_read_with_a_notice(codec: str):
    decoded = decode(SOURCE.encode(codec))
    assert decoded.text == SOURCE
    assert codes(decoded) == [NoticeCode.ENCODING]


def test_a_windows_code_page_is_read_with_a_notice():
    decoded = decode("x = 1  # Größe: “ok”, 5 €\r\n".encode("cp1252"))
    assert decoded.text == "x = 1  # Größe: “ok”, 5 €\n"
    assert "Windows-1252" in decoded.notices[0].message


@pytest.mark.parametrize("ends", ["\r\n", "\r", "\n"])
def test_every_line_end_becomes_a_newline(ends: str):
    assert decode(f"a = 1{ends}b = 2{ends}".encode()).text == "a = 1\nb = 2\n"


def test_a_coding_line_is_honoured():
    decoded = decode("# -*- coding: koi8-r -*-\nx = 'Привет'\n".encode("koi8-r"))
    assert decoded.text.endswith("x = 'Привет'\n")
    assert decoded.notices == ()


def test_a_coding_line_may_stand_in_the_second_line_after_a_comment():
    decoded = decode("#!/usr/bin/env python\n# vim: set fileencoding=latin-1 :\nx = 'é'\n".encode("latin-1"))
    assert "x = 'é'" in decoded.text
    assert decoded.notices == ()


def test_a_coding_line_after_code_is_a_comment_like_any_other():
    decoded = decode("x = 'é'\n# coding: latin-1\n".encode("latin-1"))
    assert codes(decoded) == [NoticeCode.ENCODING]


@pytest.mark.parametrize(
    "codec",
    ["rot13", "unicode_escape", "raw_unicode_escape", "utf-7", "punycode", "hex", "no-such-codec", "zlib"],
)
def test_a_coding_line_that_would_hide_code_is_ignored_aloud(codec: str):
    source = f"# coding: {codec}\nvzcbeg wnk\n"
    decoded = decode(source.encode())
    assert decoded.text == source
    assert codes(decoded) == [NoticeCode.CODING_IGNORED]


def test_a_coding_line_that_lies_is_ignored_aloud():
    decoded = decode(b"# coding: ascii\nx = '\xc3\xa9'\n")
    assert "é" in decoded.text
    assert codes(decoded) == [NoticeCode.CODING_IGNORED]


def test_the_name_in_a_coding_line_never_reaches_the_codec_registry(monkeypatch: pytest.MonkeyPatch):
    def fail(_name: str) -> None:
        raise AssertionError

    monkeypatch.setattr(codecs, "lookup", fail)
    decode(b"# coding: some_module_to_import\nx = 1\n")


def test_no_code_can_hide_behind_an_encoding_that_is_honoured():
    ascii_text = bytes(range(1, 128))
    assert {ascii_text.decode(codec) for codec in decoding._SAFE_CODECS} == {ascii_text.decode("ascii")}


@pytest.mark.parametrize(
    "data,says",
    [
        (b"x = 1\ny = '\0'\n", "line 2 holds a NUL"),
        (b"\xff\xfe\x00\xd8x\x00", "is damaged UTF-16"),
        (b"\xef\xbb\xbfx = '\xff'", "is damaged UTF-8"),
        (b"\x01\x02\xff\xfa\x03", "is not text"),
        (b"x = '\x81\x8d'\n", "neither UTF-8, UTF-16 nor Windows-1252"),
    ],
)
def test_what_is_not_text_is_refused(data: bytes, says: str):
    with pytest.raises(UploadRefused) as caught:
        decode(data)
    assert says in str(caught.value)


def test_a_character_that_turns_the_reading_direction_is_pointed_out():
    decoded = decode("x = 1\naccess = 'user\u202e \u2066# admin'\n".encode())
    assert codes(decoded) == [NoticeCode.HIDDEN_CHARACTERS]
    assert decoded.notices[0].line == 2


@given(st.binary(max_size=400))
@example(b"\xff\xfe" * 3)
@example(b"# coding: utf_16\n\xff")
def test_any_bytes_give_text_that_can_be_stored_or_a_refusal(data: bytes):
    try:
        text = decode(data).text
    except UploadRefused:
        return
    text.encode("utf-8")
    assert "\0" not in text
    assert "\r" not in text


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\ufeff"), max_size=200))
def test_utf8_text_survives_unchanged(text: str):
    if "coding" not in text:
        assert decode(text.encode()).text == text
