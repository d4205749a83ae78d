# Runs the monitor as an unprivileged user, with Chromium for browser surfaces.
#   docker build -t citation-monitor .
#   docker run --rm citation-monitor demo --folder /data/demo --no-browser
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

# Locks first: a change of code does not install every library again.
COPY requirements.lock ./
RUN python -m venv /opt/monitor \
    && /opt/monitor/bin/python -m pip install --no-cache-dir --require-hashes -r requirements.lock

COPY pyproject.toml README.md LICENSE ./
COPY migrations ./migrations
COPY monitor ./monitor
RUN /opt/monitor/bin/python -m pip install --no-cache-dir --no-deps .

COPY config.yaml ./
COPY prompt_panels ./prompt_panels

ENV PATH=/opt/monitor/bin:$PATH \
    PYTHONUNBUFFERED=1

USER monitor
VOLUME ["/data"]

# tini passes signals on, so that a stopped container ends its run in order.
ENTRYPOINT ["/usr/bin/tini", "--", "monitor"]
CMD ["--help"]
