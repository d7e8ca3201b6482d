#!/usr/bin/env bash
# Runs a command in a Debian made by prepare-debian.sh, with this machine's users and temporary folder. The mounts end with the command.
# Usage: unshare --mount --propagation unchanged enter-debian.sh FOLDER TEMPORARY COMMAND…
set -euo pipefail
readonly folder="$1" temporary="$2"
shift 2
# Nothing mounted here may appear on the machine. In a chroot, / is no mount that could be made private.
mount --make-rprivate / 2>/dev/null || true
mount --bind "$folder" "$folder"
mount --make-private "$folder"
mkdir -p "$folder$temporary"
mount --bind "$temporary" "$folder$temporary"
for file in /etc/passwd /etc/group; do mount --bind "$file" "$folder$file"; done
mount --rbind /dev "$folder/dev"
mount --rbind /proc "$folder/proc"
exec chroot "$folder" "$@"
