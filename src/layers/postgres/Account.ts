import { execFileSync, spawnSync } from "node:child_process"
import { statSync } from "node:fs"
import { dirname } from "node:path"
import type { Effect } from "effect"
import { attempt, EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"

/**
 * Under whose name the PostgreSQL programs run. PostgreSQL refuses to run as root, so root hands it to another user.
 */
export interface Account {
  /** Owner for files the server must own; `undefined` when they are ours anyway. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined
  /** Spawn options that change the user, where that is done by them. */
  readonly identity: { readonly uid?: number; readonly gid?: number }
  /** Put before a program and its arguments. */
  readonly prefix: ReadonlyArray<string>
}

/**
 * Chooses the account for a cluster.
 *
 * As root: the owner of the cluster, if there is one, else the user `postgres`, who is made if the system lacks one.
 * That user must reach the programs and the cluster through every parent folder. Where one is closed (`/root`, a
 * private temporary folder), the server gets the capability to pass closed folders instead, if the system lets us.
 *
 * @param cluster folder of the cluster; it may not exist yet
 * @param mustReach paths the server has to reach
 */
export const chooseAccount = (
  cluster: string,
  mustReach: ReadonlyArray<string>
): Effect.Effect<Account, EmbeddedPostgresError> =>
  attempt("No user can be found to run PostgreSQL", () => {
    if (process.getuid?.() !== 0) return { owner: undefined, identity: {}, prefix: [] }
    const owner = ownerOf(cluster) ?? postgresUser()
    const direct: Account = { owner, identity: owner, prefix: [] }
    if (reaches(direct, mustReach)) return direct
    for (const capability of ["dac_read_search", "dac_override"]) {
      const account: Account = { owner, identity: {}, prefix: withCapability(owner, capability) }
      if (reaches(account, mustReach)) return account
    }
    throw closedFolder(direct, mustReach)
  })

const ownerOf = (folder: string) => {
  const found = statSync(folder, { throwIfNoEntry: false })
  return found === undefined || found.uid === 0 ? undefined : { uid: found.uid, gid: found.gid }
}

const idOf = (flag: "-u" | "-g"): number =>
  Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8", stdio: "pipe" }))

const postgresUser = () => {
  try {
    return { uid: idOf("-u"), gid: idOf("-g") }
  } catch {
    // Not there yet.
  }
  try {
    execFileSync("useradd", ["--system", "--user-group", "--no-create-home", "--shell", "/bin/false", "postgres"], {
      stdio: "pipe"
    })
    return { uid: idOf("-u"), gid: idOf("-g") }
  } catch (cause) {
    throw new EmbeddedPostgresError({
      message:
        "PostgreSQL does not run as root, and there is no user named postgres to run it as. " +
        "Create that user, start the gateway as a normal user, or set FLOW_DATABASE_URL.",
      cause
    })
  }
}

const withCapability = (owner: { uid: number; gid: number }, capability: string): ReadonlyArray<string> => [
  "setpriv",
  `--reuid=${owner.uid}`,
  `--regid=${owner.gid}`,
  "--clear-groups",
  `--inh-caps=+${capability}`,
  `--ambient-caps=+${capability}`
]

const reaches = (account: Account, paths: ReadonlyArray<string>): boolean => {
  const script = 'for path in "$@"; do test -x "$path" || exit 1; done'
  const [program = "/bin/sh", ...rest] = [...account.prefix, "/bin/sh", "-c", script, "sh", ...paths]
  return spawnSync(program, rest, { ...account.identity, cwd: "/", stdio: "ignore" }).status === 0
}

const closedFolder = (account: Account, paths: ReadonlyArray<string>): EmbeddedPostgresError => {
  const parents = paths.flatMap((path) => {
    const chain: Array<string> = []
    for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) chain.unshift(folder)
    return chain
  })
  const closed = parents.find((folder) => !reaches(account, [folder])) ?? paths.join(", ")
  return new EmbeddedPostgresError({
    message:
      `PostgreSQL runs as user ${account.owner?.uid} and cannot pass ${closed}. ` +
      `Open it (chmod o+x ${closed}), start the gateway as a normal user, or set FLOW_DATABASE_URL.`
  })
}
