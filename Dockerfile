# syntax=docker/dockerfile:1

# One image for every node: `grader worker`, `grader db upgrade` and the rest of the command line. The stage `gpu` adds
# CUDA's libraries. Python is the image's own, in /usr/local, which every user can read: student code runs under a
# throw-away identity and imports from there.

FROM python:3.13-slim-trixie AS build
WORKDIR /src
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
RUN python -m venv /opt/grader

# Dependencies change seldom: install them from the pins alone, so that a change of code reuses this layer.
COPY pyproject.toml constraints.txt LICENSE README.md ./
RUN mkdir -p grader rubrics workers assignments \
    && touch grader/__init__.py rubrics/__init__.py workers/__init__.py assignments/__init__.py \
    && /opt/grader/bin/pip install --constraint constraints.txt . \
    && /opt/grader/bin/pip uninstall --yes jax-grader

COPY assignments assignments
COPY rubrics rubrics
COPY workers workers
COPY grader grader
RUN /opt/grader/bin/pip install --constraint constraints.txt --no-deps . \
    && chmod -R a+rX,go-w /opt/grader

FROM build AS build-gpu
RUN /opt/grader/bin/pip install --constraint constraints.txt '.[gpu]' \
    && chmod -R a+rX,go-w /opt/grader

FROM python:3.13-slim-trixie AS base
ENV PATH=/opt/grader/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    GRADER_HOME=/var/lib/grader
RUN install --directory --mode=0700 /var/lib/grader
WORKDIR /var/lib/grader
# The worker stays root inside its container, with the few capabilities it needs to hand each submission to a
# throw-away user; see docker-compose.yml. STOPSIGNAL lets it finish the attempt in hand.
STOPSIGNAL SIGTERM
ENTRYPOINT ["grader"]
CMD ["--help"]

FROM base AS gpu
COPY --from=build-gpu /opt/grader /opt/grader

FROM base AS cpu
COPY --from=build /opt/grader /opt/grader
