#!/bin/sh
# Becomes the first process of a container: the root is the machine's, whose changes go to $folder, with mounts of its
# own. Begins when a line comes on standard input; by then the container has its network.
# usage: container.sh <folder> <host name> <address or -> <mounts: source:target:mode, a line each> <command> [argument …]
set -eu
folder=$1 name=$2 address=$3 mounts=$4
shift 4

hostname "$name"
read -r _
if [ "$address" != - ]; then
  ip link set lo up
  ip address add "$address" dev eth0
  ip link set eth0 up
fi

root=$folder/root
mkdir -p "$folder/upper" "$folder/work" "$root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/run"
printf '%s\n' "$mounts" | while IFS=: read -r source target mode; do
  [ -n "$source" ] || continue
  if [ -d "$source" ]; then mkdir -p "$root$target"; else mkdir -p "$(dirname "$root$target")" && touch "$root$target"; fi
  mount --bind "$source" "$root$target"
  mount -o "remount,bind,$mode" "$root$target"
done
exec chroot "$root" "$@" </dev/null
