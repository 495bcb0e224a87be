"""The web server's application: routes, and what stands before them."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Security
from fastapi.security import HTTPBearer

from grader.web import assets
from grader.web.api import ROUTERS as API_ROUTERS
from grader.web.api.schemas import Error
from grader.web.context import WebContext
from grader.web.errors import install_error_handlers
from grader.web.pages import ROUTERS as PAGE_ROUTERS
from grader.web.plainjson import PlainJson
from grader.web.security.bodies import BodyGuard
from grader.web.security.boundary import Boundary
from grader.web.security.forgery import refuse_forgery
from grader.web.security.hosts import HostGuard

API_ROOT = "/api/v1"

_BEARER = HTTPBearer(
    auto_error=False,
    description="A personal token, from the account's page or POST /tokens. Browsers use their session.",
)
"""For the API's description alone: who sends a request is found before any route (`grader.web.visitors`)."""

_PROBLEMS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": Error, "description": "It was refused; the error says why and how to mend it."},
    "5XX": {"model": Error, "description": "The grader failed, or a part of it is away."},
}


def create_app(context: WebContext) -> FastAPI:
    """The application over one context. It opens nothing and starts nothing by itself."""
    app = FastAPI(
        title="JAX grader",
        summary="What the pages do, for scripts.",
        version="1",
        openapi_url=f"{API_ROOT}/openapi.json",
        default_response_class=PlainJson,
        # Their pages load scripts from elsewhere, which ours never do.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.context = context
    install_error_handlers(app)
    app.include_router(assets.router)
    guarded = APIRouter(dependencies=[Depends(refuse_forgery)])
    for router in PAGE_ROUTERS:
        guarded.include_router(router, include_in_schema=False)
    for router in API_ROUTERS:
        guarded.include_router(router, prefix=API_ROOT, dependencies=[Security(_BEARER)], responses=_PROBLEMS)
    app.include_router(guarded)
    # Each wraps those before it: the last one is the outermost.
    app.add_middleware(BodyGuard)
    app.add_middleware(HostGuard, hosts=context.web.hosts)
    app.add_middleware(Boundary, secure=context.web.secure)
    return app
