"""What handing in late costs, in words, for pages and for the API alike."""

from __future__ import annotations

from grader.presentation.ledgers import NOW, price_text
from grader.services.student.prices import PriceTag


def price_words(tag: PriceTag | None, begin: str = NOW) -> str:
    """A price as a sentence or two that begin like that; empty where there is none."""
    if tag is None:
        return ""
    return price_text(tag.price, tag.schedule, dearer=tag.dearer, begin=begin)
