# Runs the monitor as an unprivileged user; compose.yaml and docs/deploy.md say how to use it.
#   docker build -t citation-monitor .
#   docker run --rm citation-monitor demo --folder /data/demo --no-browser --no-app
#   docker run --rm -v monitor-data:/data -e OPENAI_API_KEY citation-monitor run driving-rules
# Chromium keeps its own sandbox, because it does not run as root; for browser surfaces the container
# must allow user namespaces (for example --security-opt seccomp=PROFILE.json). Without: --no-browser.
FROM python:3.11.13-slim-bookworm

RUN apt-get update \
    && apt-get install -y --no-install-recommends chromium fonts-liberation tini \
    && rm -rf /var/lib/apt/lists/*

RUN useradd --create-home --uid 10001 monitor \
    && mkdir -p /app /data \
    && ln -s /data /app/data \
    && chown monitor:monitor /app /data

WORKDIR /app

# Locks first: a change of code does not install every library again. This one has the extra
# `postgres`, so that one image serves a folder as well as several workers.
COPY requirements-postgres.lock ./
RUN python -m venv /opt/monitor \
    && /opt/monitor/bin/python -m pip install --no-cache-dir --require-hashes \
       -r requirements-postgres.lock

COPY pyproject.toml README.md LICENSE ./
COPY migrations ./migrations
COPY monitor ./monitor
# No source stays: what runs is the installed package.
RUN /opt/monitor/bin/python -m pip install --no-cache-dir --no-deps . \
    && rm -rf monitor migrations

COPY config.yaml ./
COPY prompt_panels ./prompt_panels

ENV PATH=/opt/monitor/bin:$PATH \
    PYTHONUNBUFFERED=1

USER monitor
VOLUME ["/data"]
EXPOSE 8750

# tini passes signals on, so that a stopped container ends its work in order.
ENTRYPOINT ["/usr/bin/tini", "--", "monitor"]
CMD ["--help"]
