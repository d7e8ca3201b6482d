#!/bin/bash
# Runs one container of a pod in its own root; run-pods.ts starts it as root in the pod's network namespace and in a
# separate mount namespace. Usage: enter.sh FOLDER USER GROUP WORKING-FOLDER COMMAND…
# FOLDER has: mounts (lines SOURCE TARGET MODE), environment (NAME=VALUE, each ended by a null).
set -euo pipefail
readonly folder="$1" user="$2" group="$3" working="$4"
shift 4
mount --make-rprivate /
readonly root="$folder/root"
mkdir -p "$root"
mount -t tmpfs tmpfs "$root"
mkdir "$root/usr" "$root/dev" "$root/proc" "$root/etc"
for folder_of_programs in bin lib lib64 sbin; do ln -s "usr/$folder_of_programs" "$root/$folder_of_programs"; done
mount --bind /usr "$root/usr"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
while read -r source target mode; do
  if [ -d "$source" ]; then mkdir -p "$root$target"; else touch "$root$target"; fi
  mount --bind "$source" "$root$target"
  [ "$mode" = rw ] || mount -o remount,ro,bind "$root$target"
done <"$folder/mounts"
mount -o remount,ro,bind "$root/usr"
mount -o remount,ro "$root"
mapfile -d '' -t environment <"$folder/environment"
cd "$root"
exec chroot . /usr/bin/env -i -C "$working" PATH=/app-bin:/usr/local/bin:/usr/bin:/usr/sbin HOSTNAME="${HOSTNAME:-pod}" "${environment[@]}" \
  /usr/bin/setpriv --reuid "$user" --regid "$group" --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"
