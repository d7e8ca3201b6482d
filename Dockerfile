# syntax=docker/dockerfile:1
# One image for all five services; the command names the service:
#   docker build -t postern:0.1.0 .
#   docker run postern:0.1.0 services/auth-engine/dist/bundle/main.js
#
# The base is the Node of package.json (tools/deploy-check compares the two). It is pinned by tag: a digest is better,
# and is for whoever builds in a place that can look it up (docker buildx imagetools inspect node:<tag>).
# Debian, not Alpine: the lock file names @node-rs/bcrypt for glibc on x64 alone. On Alpine or arm64 npm fetches that
# binary by the package's version, without a checksum in the lock.
ARG NODE_IMAGE=node:26.10.0-slim

FROM ${NODE_IMAGE} AS manifests
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY libs/shared/package.json libs/shared/
COPY services/gateway/package.json services/gateway/
COPY services/auth-engine/package.json services/auth-engine/
COPY services/idp/package.json services/idp/
COPY services/admin/package.json services/admin/
COPY services/jobs-worker/package.json services/jobs-worker/

# npm installs all workspaces into one tree and links them as node_modules/@postern/*, so the folders stay where they
# are. `npm ci` refuses a lock that lacks other platforms' optional binaries; `npm install` takes the same versions.
FROM manifests AS production
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  || npm install --omit=dev --ignore-scripts --no-save --no-audit --no-fund

FROM manifests AS build
RUN npm ci --ignore-scripts --no-audit --no-fund \
  || npm install --ignore-scripts --no-save --no-audit --no-fund
COPY tsconfig.base.json ./
COPY libs libs
COPY services services
COPY tools/bundle.ts tools/
COPY tools/bundle tools/bundle
RUN node tools/bundle.ts \
  && mkdir /built && cp --parents -r services/*/dist/bundle services/*/proto /built/

FROM ${NODE_IMAGE} AS final
LABEL org.opencontainers.image.title="postern" \
  org.opencontainers.image.description="Authentication gateway and identity provider for mail platforms" \
  org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production \
  SERVICE_CONFIG_FILE=/etc/postern/config.yaml
WORKDIR /app
# The folder of an embedded directory; a volume mounted there takes this owner.
RUN install -d -o 10001 -g 10001 -m 0700 /var/lib/postern
# With what is bundled too: the packages' licences are there.
COPY --from=production /app ./
COPY --from=build /built ./
USER 10001:10001
STOPSIGNAL SIGTERM
# Node itself gets the signals: SIGTERM drains, SIGHUP reads the configuration again (libs/shared/src/platform/lifecycle).
ENTRYPOINT ["node"]
CMD ["services/gateway/dist/bundle/main.js"]
