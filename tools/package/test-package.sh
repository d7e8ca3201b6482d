#!/usr/bin/env bash
# Installs, upgrades, reloads, removes and purges the Debian package in a throw-away Debian 12 with systemd, and signs in through Dovecot there.
# Usage: tools/package/test-package.sh [MIRROR]. Needs root. The root is kept in .run/package-root; the log is .run/package-root/test/log.
# The package before is built from the commit FROM, by default from this tree.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly base=.run/package-base root=.run/package-root before=.run/package-before mirror="${1:-http://deb.debian.org/debian}"
version="$(node_modules/.bin/node -p 'require("./package.json").version')-1"
readonly version
readonly parts=systemd,systemd-sysv,dbus,redis-server,nats-server,dovecot-imapd,dovecot-auth-lua,lua-cjson,sqlite3,curl,logrotate,libatomic1

say() { echo "test-package: $*"; }

prepare() {
  [ -e "$base/done" ] && return
  rm -rf "$base"
  say "Debian 12 ..."
  debootstrap --variant=minbase --include="$parts" bookworm "$base" "$mirror" >"$base.log" 2>&1
  touch "$base/done"
}

# Packages are linked into the clone if it needs the same, and installed otherwise.
clone_before() {
  rm -rf "$before"
  git clone --quiet --shared --no-checkout . "$before"
  git -C "$before" checkout --quiet "$FROM"
  if cmp -s package-lock.json "$before/package-lock.json"; then
    local folder
    for folder in node_modules libs/*/node_modules services/*/node_modules; do
      if [ -d "$folder" ]; then cp -al "$folder" "$before/$folder"; fi
    done
  else
    "$before/tools/setup.sh" packages
  fi
}

# Builds the package of a tree under a version.
package_of() {
  (
    cd "$1"
    node_modules/.bin/node tools/bundle.ts
    node_modules/.bin/node tools/package.ts --fast --version "$2"
  )
  mv "$1/.run/package/postern_$2_amd64.deb" .run/package/debs/
}

build() {
  rm -rf .run/package/debs && mkdir -p .run/package/debs
  if [ -n "${FROM:-}" ]; then
    clone_before
    say "the package before: $(git -C "$before" log -1 --format='%h of %cs')"
    package_of "$before" 0.0.9-1
  else
    package_of . 0.0.9-1
  fi
  package_of . "$version"
}

# The steps run inside, as the last unit of the boot, and end the machine.
install_steps() {
  rm -rf "$root" && cp -a "$base" "$root"
  mkdir -p "$root/test" && cp .run/package/debs/*.deb tools/package/test-steps.sh "$root/test/"
  cat >"$root/etc/systemd/system/package-test.service" <<'UNIT'
[Unit]
After=multi-user.target redis-server.service nats-server.service
[Service]
Type=oneshot
ExecStart=/bin/bash /test/test-steps.sh
ExecStopPost=/bin/systemctl --no-block poweroff
StandardOutput=file:/test/log
StandardError=inherit
TimeoutStartSec=600
UNIT
  mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
  ln -sf ../package-test.service "$root/etc/systemd/system/multi-user.target.wants/package-test.service"
}

prepare
build
say "lintian ..."
lintian --fail-on error,warning .run/package/"debs/postern_${version}_amd64.deb"
install_steps
say "boot ..."
systemd-nspawn --quiet --directory "$root" --boot --private-network --register=no --keep-unit --link-journal=no \
  >"$root.console" 2>&1 </dev/null || true
cat "$root/test/log"
grep -qx 'all steps passed' "$root/test/log"
