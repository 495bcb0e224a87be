"""JSON in ASCII: whatever a text holds, a terminal that the answer is piped to, and a viewer, show letters.

JSON lets C1 controls and marks that turn text round stand as they are; written as escapes they mean the same
to every parser and do nothing on the way there.
"""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import JSONResponse


class PlainJson(JSONResponse):
    """The API's every answer with a JSON body."""

    def render(self, content: Any) -> bytes:  # noqa: ANN401 - as the framework's
        """The body."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")
