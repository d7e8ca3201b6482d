# One image for all five services. By default they run in one process; the command may name one service instead:
#   docker build -t postern:1.0.0 .
#   docker run postern:1.0.0 services/auth-engine/dist/bundle/main.js
#
# Both bases are Debian's, pinned by tag: a digest is better, and is for whoever builds in a place that can look it up
# (docker buildx imagetools inspect debian:<tag>). Node is the npm package that package.json pins.
# Debian, not Alpine: the compiled packages are those for glibc.
ARG BASE_IMAGE=debian:13-slim
# May contain npm and a registry's configuration; nothing of it reaches the result.
ARG BUILD_IMAGE=${BASE_IMAGE}

FROM ${BUILD_IMAGE} AS build
RUN apt-get update -q \
  && apt-get install -q -y --no-install-recommends nodejs npm ca-certificates libatomic1 binutils
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
COPY libs/shared/package.json libs/shared/
COPY services/gateway/package.json services/gateway/
COPY services/auth-engine/package.json services/auth-engine/
COPY services/idp/package.json services/idp/
COPY services/admin/package.json services/admin/
COPY services/jobs-worker/package.json services/jobs-worker/
COPY cli/package.json cli/
COPY test/servers/package.json test/servers/
COPY tools/setup.sh tools/
# Before the sources, so that a change of them does not install the packages again.
RUN tools/setup.sh packages || { tail -n 60 .run/setup.log; exit 1; }
COPY LICENSE ./
COPY libs libs
COPY services services
COPY cli cli
COPY tools tools
# Node without its symbols, a fifth of its size; the npm package has them for debuggers.
RUN node_modules/.bin/node tools/bundle.ts \
  && node_modules/.bin/node tools/image-tree.ts /built \
  && strip /built/app/bin/node

FROM ${BASE_IMAGE} AS final
ARG VERSION=1.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="postern" \
  org.opencontainers.image.description="Authentication gateway and identity provider for mail platforms" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
# libatomic1 is for Node. /var/lib/postern is the folder of an embedded directory; a volume mounted there takes its owner.
RUN apt-get update -q \
  && apt-get install -q -y --no-install-recommends libatomic1 libstdc++6 \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/* /var/log/apt /var/log/dpkg.log \
  && install -d -o 10001 -g 10001 -m 0700 /var/lib/postern \
  && ln -s /app/bin/node /usr/local/bin/node
COPY --from=build /built /
ENV NODE_ENV=production \
  POSTERN_REVISION=${REVISION} \
  SERVICE_CONFIG_FILE=/etc/postern/config.yaml
WORKDIR /app
USER 10001:10001
STOPSIGNAL SIGTERM
# Asks the private listener of whichever service runs, of one process its gateway's; compose and Kubernetes have probes of their own.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["node", "health/main.js"]
# Node itself gets the signals: SIGTERM drains, SIGHUP reads the configuration again (libs/shared/src/platform/lifecycle).
ENTRYPOINT ["node"]
CMD ["cli/dist/bundle/main.js", "serve"]
