/**
 * Like the entry point of the image: creates the cluster at the first start, and runs the server as an unprivileged
 * user.
 */
const script = `
data=/var/lib/postgresql/18/docker
as() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
if [ ! -d "$data" ]; then
  install -d -o 65534 -g 65534 "$data"
  printf %s "$POSTGRES_PASSWORD" > /run/password && chmod 644 /run/password
  as initdb -D "$data" -U "$POSTGRES_USER" --pwfile=/run/password -A scram-sha-256 -E UTF8 --no-sync
  echo "CREATE DATABASE $POSTGRES_DB" | as postgres --single -D "$data" postgres
  echo "host all all all scram-sha-256" >> "$data/pg_hba.conf"
fi
exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@" -D "$data" -c listen_addresses='*' -c unix_socket_directories=
`

/** The command of PostgreSQL's image: its variables set the user, the password and the database. */
export const postgresCommand = (command: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...["sh", "-ec", script, "sh"],
  ...command
]
