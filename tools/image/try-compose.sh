#!/usr/bin/env bash
# Runs README's Docker Compose commands in a Debian 13 with Debian's own Docker, where no registry of images can be reached: debootstrap
# makes the base image, and Debian's packages replace the images of Redis and NATS. Needs root, debootstrap, curl and network access to
# npm's registry and Debian's mirror. Usage: tools/image/try-compose.sh [MIRROR]. A CA of the network (NODE_EXTRA_CA_CERTS) is passed to
# the build only. The root is kept in .run/docker; the log is .run/docker.log.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly mirror="${1:-http://deb.debian.org/debian}" root="$PWD/.run/docker" log=.run/docker.log port="${POSTERN_PORT:-28080}"
readonly tree="$root/root/postern"
mkdir -p .run

say() { echo "compose: $*"; }

make_root() {
  if [ ! -e "$root/complete" ]; then
    rm -rf "$root"
    debootstrap --variant=minbase --include=docker.io,docker-cli,docker-buildx,docker-compose,iptables,ca-certificates \
      trixie "$root" "$mirror" >"$log" 2>&1
    debootstrap --variant=minbase trixie "$root/base" "$mirror" >>"$log" 2>&1
    rm -rf "$root"/base/var/lib/apt/lists/* "$root"/base/var/cache/apt/* "$root"/base/usr/share/{man,info,locale}/*
    find "$root/base/usr/share/doc" -type f ! -name copyright -delete
    touch "$root/complete"
  fi
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  rm -rf "$tree"
  git clone --quiet --no-hardlinks . "$tree"
}

# The daemon, in separate mount and process namespaces, so that nothing remains but its bridges, which `stop` removes. It changes neither
# the firewall nor the forwarding of this machine: containers reach each other, and builds use the network of the machine.
start_daemon() {
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child bash -euc '
    mount --bind "$1" "$1"
    for each in dev sys; do mount --rbind "/$each" "$1/$each"; done
    mount -t proc proc "$1/proc"
    mount -t tmpfs tmpfs "$1/run"
    mkdir -p "$1/var/lib/docker"
    cd "$1"
    pivot_root . mnt
    umount -l /mnt
    exec dockerd --host unix:///run/docker.sock --iptables=false --ip6tables=false --ip-forward=false --bridge=none' daemon "$root" >"$log.daemon" 2>&1 &
  holder=$!
  trap stop EXIT
  local tries=0
  until inside docker version >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -lt 120 ] && kill -0 "$holder" || { tail -n 20 "$log.daemon"; exit 1; }
    sleep 0.5
  done
  say "Docker $(inside docker version --format '{{.Server.Version}}'), Compose $(inside docker compose version --short)"
}

inside() {
  local daemon
  daemon="$(cut -d ' ' -f 1 "/proc/$holder/task/$holder/children")"
  nsenter --target "$daemon" --mount --pid --root --wd env -i -C "${WORKING:-/root/postern}" PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    HOME=/root POSTERN_PORT="$port" POSTERN_FRONT_PORT=$((port + 1)) "$@"
}

stop() {
  inside docker compose down --volumes --timeout 5 >>"$log" 2>&1 || true
  inside docker network prune --force >/dev/null 2>&1 || true
  kill -KILL "$holder" 2>/dev/null || true
  wait "$holder" 2>/dev/null || true
}

# The images that a registry would have. What stands for the official ones of Redis and NATS has their paths and users.
make_images() {
  tar -C "$root/base" -c . | inside docker import - debian:13-slim >>"$log"
  inside docker build --network host -q -t redis:8.10-alpine - >>"$log" 2>&1 <<'DOCKERFILE'
FROM debian:13-slim
RUN apt-get update -q && apt-get install -q -y --no-install-recommends redis-server && install -d -o 999 -g 999 /data
WORKDIR /data
DOCKERFILE
  inside docker build --network host -q -t nats:2.14-alpine - >>"$log" 2>&1 <<'DOCKERFILE'
FROM debian:13-slim
RUN apt-get update -q && apt-get install -q -y --no-install-recommends nats-server wget
ENTRYPOINT ["nats-server"]
DOCKERFILE
  local arguments=""
  # The base of the build stage alone: nothing of it reaches the image.
  if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
    cp "$NODE_EXTRA_CA_CERTS" "$root/root/network-ca.crt"
    WORKING=/root inside docker build -q -t debian-with-ca -f - . >>"$log" 2>&1 <<'DOCKERFILE'
FROM debian:13-slim
COPY network-ca.crt /etc/network-ca.crt
ENV NODE_EXTRA_CA_CERTS=/etc/network-ca.crt npm_config_cafile=/etc/network-ca.crt
DOCKERFILE
    arguments=', args: { BUILD_IMAGE: debian-with-ca }'
  fi
  cat >"$tree/docker-compose.override.yml" <<OVERRIDE
x-build: &build
  build: { context: ., network: host$arguments }
services: { gateway: *build, auth-engine: *build, idp: *build, admin: *build, jobs-worker: *build }
OVERRIDE
}

status_of() {
  curl -s -o /dev/null -w '%{http_code}' -u "backchannel:$(cat "$tree/deploy/compose/secrets/backchannel_password")" \
    -H 'content-type: application/json' "http://127.0.0.1:$port/api/v1/auth/json" \
    -d "{\"username\":\"alice@example.test\",\"password\":\"$1\",\"protocol\":\"imap\",\"client_ip\":\"203.0.113.9\"}"
}

up() {
  local started=$SECONDS size
  inside deploy/compose/make-secrets.sh >>"$log"
  inside docker compose build >>"$log" 2>&1 || { tail -n 40 "$log"; exit 1; }
  say "built in $((SECONDS - started)) s"
  size="$(inside docker image inspect --format '{{.Size}}' postern:1.0.0)"
  say "the image has $((size / 1000000)) MB"
  [ "$size" -le 250000000 ]
  started=$SECONDS
  inside docker compose up --build --wait >>"$log" 2>&1 || { tail -n 40 "$log"; inside docker compose ps --all; exit 1; }
  say "up --build --wait: $(inside docker compose ps --format '{{.Health}}' | grep -c '^healthy$') healthy containers after $((SECONDS - started)) s"
  say "alice's password: $(status_of alice-demo-password), a wrong one: $(status_of wrong)"
  [ "$(status_of alice-demo-password)" = 200 ]
  [ "$(status_of wrong)" = 403 ]
  say "user: $(inside docker compose exec -T gateway id)"
  ! inside docker compose exec -T gateway touch /app/planted 2>>"$log"
  inside docker compose exec -T auth-engine postern config check --no-secrets >>"$log" 2>&1 || { tail -n 20 "$log"; exit 1; }
  say "SBOM: $(inside docker compose exec -T gateway cat /app/sbom.cdx.json | grep -c '"purl"') packages; licences: $(
    inside docker compose exec -T gateway sh -c 'ls /app/*LICENSE*' | tr '\n' ' ')"
}

make_root
start_daemon
make_images
up
