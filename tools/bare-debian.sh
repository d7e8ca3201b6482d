#!/usr/bin/env bash
# Runs the commands of the README in a bare Debian: a root made by debootstrap, with nothing but nodejs, npm, git and make.
# Usage: tools/bare-debian.sh bookworm|trixie [STEP…]. Needs root, debootstrap, curl and the demo's ports. Steps, by default all but `clone` and `files`:
#   root          makes the root anew, in .run/bare/SUITE, with a clone of this tree
#   clone         brings the clone in the root to the commit of this tree
#   without-node  `make run` before Node is installed
#   run           `make run`, the README's request, `make stop`
#   test          `make test`
#   files FILE…   `make setup`, then these test files only
# MIRROR is Debian's mirror. A CA of the network (NODE_EXTRA_CA_CERTS) is passed on.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly suite="$1" mirror="${MIRROR:-http://deb.debian.org/debian}"
shift
[ $# -gt 0 ] || set -- root without-node run test
readonly root="$PWD/.run/bare/$suite" log=".run/bare/$suite.log"
mkdir -p .run/bare

say() { echo "bare $suite: $*"; }

# A machine inside the root, except for the network: its processes and mounts end with this script.
machine=
start_machine() {
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child bash -euc '
    mount --rbind /dev "$1/dev"
    mount -t tmpfs tmpfs "$1/dev/shm"
    mount -t proc proc "$1/proc"
    mount -t sysfs -o ro sysfs "$1/sys"
    touch "$1/started"
    exec sleep infinity' machine "$root" &
  holder=$!
  # unshare ignores other signals while its child runs.
  # shellcheck disable=SC2064
  trap "kill -KILL $holder" EXIT
  until [ -e "$root/started" ]; do kill -0 "$holder"; sleep 0.1; done
  rm "$root/started"
  machine="$(<"/proc/$holder/task/$holder/children")"
  machine="${machine%% *}"
}

inside() {
  local variables=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive)
  [ -z "${NODE_EXTRA_CA_CERTS:-}" ] || variables+=("NODE_EXTRA_CA_CERTS=/etc/network-ca.crt" "npm_config_cafile=/etc/network-ca.crt")
  [ -n "$machine" ] || start_machine
  nsenter --target "$machine" --mount --pid chroot "$root" env -i "${variables[@]}" "$@"
}

make_root() {
  local started=$SECONDS
  rm -rf "$root"
  debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$log" 2>&1
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  [ -z "${NODE_EXTRA_CA_CERTS:-}" ] || cp "$NODE_EXTRA_CA_CERTS" "$root/etc/network-ca.crt"
  inside apt-get install -q -y --no-install-recommends git make >>"$log" 2>&1
  git clone --quiet --no-hardlinks . "$root/root/postern"
  say "Debian $(cat "$root/etc/debian_version"), $(inside dpkg-query -W | wc -l) packages ($((SECONDS - started)) s)"
}

update_clone() {
  git -C "$root/root/postern" fetch --quiet origin HEAD
  git -C "$root/root/postern" reset --quiet --hard FETCH_HEAD
}

# One line that says what to install, and a failure.
without_node() {
  local text
  if text="$(inside make --no-print-directory -C /root/postern run 2>&1)"; then say "make run succeeded without Node"; return 1; fi
  text="$(grep -v '^make: ' <<<"$text")"
  say "without Node: $text"
  [ "$(wc -l <<<"$text")" = 1 ] && [[ "$text" == *"apt-get install"* ]]
}

install_node() {
  inside sh -c 'command -v npm' >/dev/null && return
  inside apt-get install -q -y --no-install-recommends nodejs npm >>"$log" 2>&1
  say "Node $(inside node --version), npm $(inside npm --version)"
}

status_of() {
  curl -s -o /dev/null -w '%{http_code}' -u backchannel:demo-backchannel-secret -H 'content-type: application/json' \
    -d "{\"username\":\"alice@example.test\",\"password\":\"$1\",\"protocol\":\"imap\",\"client_ip\":\"203.0.113.9\"}" \
    http://127.0.0.1:8080/api/v1/auth/json || true
}

run_demo() {
  local started=$SECONDS runner code=000
  [ "$(status_of x)" = 000 ] || { say "port 8080 is in use"; return 1; }
  install_node
  inside make -C /root/postern run >"$log.run" 2>&1 &
  runner=$!
  until code="$(status_of alice-demo-password)"; [ "$code" = 200 ]; do
    kill -0 "$runner" 2>/dev/null || { tail -n 40 "$log.run"; say "make run ended"; return 1; }
    [ $((SECONDS - started)) -lt 1500 ] || { kill "$runner"; say "no answer: $code"; return 1; }
    sleep 1
  done
  say "make run: 200 for alice after $((SECONDS - started)) s, $(status_of wrong) for a wrong password"
  grep '^setup: ' "$log.run" | sed "s/^/bare $suite: /"
  inside make --no-print-directory -C /root/postern stop
  wait "$runner" || true
}

run_tests() {
  local started=$SECONDS
  install_node
  inside make -C /root/postern test >"$log.test" 2>&1 || { tail -n 60 "$log.test"; return 1; }
  grep -a '^\(ok\|FAILED\|UNSTABLE\)' "$log.test"
  say "make test: $(tail -n 1 "$log.test") ($((SECONDS - started)) s)"
}

run_files() {
  local started=$SECONDS
  install_node
  inside make -C /root/postern setup
  say "make setup: $((SECONDS - started)) s"
  inside sh -c 'cd /root/postern && PATH=$PWD/node_modules/.bin:$PATH && exec vitest run --no-color "$@"' files "$@"
}

[ "$1" = root ] || start_machine
while [ $# -gt 0 ]; do
  step="$1"
  shift
  case "$step" in
    root) make_root ;;
    clone) update_clone ;;
    without-node) without_node ;;
    run) run_demo ;;
    test) run_tests ;;
    files) run_files "$@"; break ;;
    *) say "unknown step $step"; exit 2 ;;
  esac
done
