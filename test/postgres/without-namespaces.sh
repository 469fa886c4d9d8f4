# Replaces itself by a command that root runs on a system that refuses user namespaces: in one that maps every user
# and allows no further one. The maps have to be written from outside.
outside=$(readlink /proc/$$/ns/user)
(
  (
    while test "$(readlink /proc/$$/ns/user)" = "$outside"; do sleep 0.02; done
    echo '0 0 65536' > /proc/$$/uid_map
    echo '0 0 65536' > /proc/$$/gid_map
  ) &
)
# The rights of root come with the exec after the maps.
exec unshare --user -- /bin/sh -c '
  until grep -q . /proc/self/gid_map; do sleep 0.02; done
  exec /bin/sh -c "echo 0 > /proc/sys/user/max_user_namespaces && exec \"\$@\"" sh "$@"
' sh "$@"
