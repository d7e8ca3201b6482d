#!/usr/bin/env bash
# Runs the containers of an overlay without a cluster, and checks that they work together: see run-pods.ts. Nothing remains
# but the logs in .run/pods. Usage: tools/kubernetes/run-pods.sh [k8s/overlays/dev|k8s/overlays/production-stores]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
[ -n "${NO_BUNDLE:-}" ] || node_modules/.bin/node tools/bundle.ts
# Everything ends with the first process of the process namespace.
exec unshare --mount --net --pid --fork --kill-child --mount-proc bash -euc '
  mount -t tmpfs tmpfs /run
  mkdir /run/netns
  exec node_modules/.bin/node tools/kubernetes/run-pods.ts "$@"' run-pods "$@"
