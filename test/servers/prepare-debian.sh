#!/usr/bin/env bash
# Makes a Debian of this suite with these packages (separated by commas). Needs root and debootstrap.
# Usage: prepare-debian.sh FOLDER SUITE PACKAGES [MIRROR]
set -euo pipefail
readonly folder="$1" suite="$2" packages="$3" mirror="${4:-http://deb.debian.org/debian}"

# Several test files may start at the same time.
exec 9>"$folder.lock"
flock 9
[ ! -e "$folder/.complete" ] || exit 0
command -v debootstrap >/dev/null || { echo 'debootstrap is missing: run make setup or apt-get install debootstrap' >&2; exit 1; }
rm -rf "$folder"
debootstrap --variant=minbase --include="$packages" "$suite" "$folder" "$mirror" >"$folder.log" 2>&1 || { tail -n 20 "$folder.log" >&2; exit 1; }
touch "$folder/.complete"
