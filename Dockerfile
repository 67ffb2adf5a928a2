# docker build -t polhode . && docker run --rm polhode
# Runs `make demo`: the environment is made while the image is built.
FROM python:3.13-slim
RUN apt-get update && apt-get install --yes --no-install-recommends git make \
  && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home polhode
RUN mkdir /polhode && chown polhode /polhode
USER polhode
WORKDIR /polhode
COPY --chown=polhode . .
RUN rm -rf .venv && make demo
CMD ["make", "demo"]
