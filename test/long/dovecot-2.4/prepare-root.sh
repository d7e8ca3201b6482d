#!/usr/bin/env bash
# Makes a Debian 13 with Dovecot 2.4 and saslauthd in .run/debian-13. Needs root and debootstrap.
# Usage: prepare-root.sh FOLDER [MIRROR]
set -euo pipefail
readonly folder="$1" mirror="${2:-http://deb.debian.org/debian}"
readonly parts=dovecot-imapd,dovecot-auth-lua,lua-cjson,sasl2-bin

# Several test files may start at the same time.
exec 9>"$folder.lock"
flock 9
[ ! -e "$folder/.complete" ] || exit 0
command -v debootstrap >/dev/null || { echo 'debootstrap is missing: run make setup or apt-get install debootstrap' >&2; exit 1; }
rm -rf "$folder"
debootstrap --variant=minbase --include="$parts" trixie "$folder" "$mirror" >"$folder.log" 2>&1 || { tail -n 20 "$folder.log" >&2; exit 1; }
touch "$folder/.complete"
