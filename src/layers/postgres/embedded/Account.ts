import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, statSync } from "node:fs"
import { dirname } from "node:path"
import type { Effect } from "effect"
import type { Binaries } from "./Binaries.ts"
import { attempt, EmbeddedPostgresError, essence } from "./EmbeddedPostgresError.ts"

/** The account that the PostgreSQL programs run as. They refuse to run as root. */
export interface Account {
  /** The owner that the cluster's files must have; `undefined` to leave the owner as it is. */
  readonly owner: Owner | undefined
  /** Spawn options that change the user, if this account uses them. */
  readonly identity: { readonly uid?: number; readonly gid?: number }
  /**
   * Command to put before the program and its arguments. It must `exec` the program, so that the child's pid is that of
   * the program.
   */
  readonly prefix: ReadonlyArray<string>
}

interface Owner {
  readonly uid: number
  readonly gid: number
}

/** The program, arguments and spawn options that run a command under an account. */
export const underAccount = (account: Account, command: string, ...rest: ReadonlyArray<string>) => {
  const [program = command, ...args] = [...account.prefix, command, ...rest]
  // The account may not be allowed to enter the gateway's working folder.
  return [program, args, { ...account.identity, cwd: "/" }] as const
}

const ourselves: Account = { owner: undefined, identity: {}, prefix: [] }

/**
 * A user namespace in which root has another uid: PostgreSQL does not see root, but the kernel still lets it access
 * root's files.
 */
const ownNamespace: Account = {
  owner: { uid: 0, gid: 0 },
  identity: {},
  prefix: ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--"]
}

const otherUser = (owner: Owner): Account => ({ owner, identity: owner, prefix: [] })

/**
 * Chooses the account for a cluster by trying to run PostgreSQL under it.
 *
 * A normal user runs PostgreSQL directly. Root runs it in a user namespace or, where the system does not allow one, as
 * the user `postgres`, which is created if missing. A cluster that belongs to another user stays with that user as long
 * as that user can reach it; otherwise see `takeFiles`.
 *
 * @param cluster folder of the cluster; it may not exist yet @param home the folder above it, a real path
 */
export const chooseAccount = (
  cluster: string,
  home: string,
  binaries: Binaries
): Effect.Effect<Account, EmbeddedPostgresError> =>
  attempt("PostgreSQL does not run as root, and no other way to run it was found", () => {
    if (process.getuid?.() !== 0) return ourselves
    const site: Site = { home, binaries }
    const owner = ownerOf(cluster)
    if (owner !== undefined && tryOther(owner, site).works) return otherUser(owner)
    const inNamespace = tryOut(ownNamespace, site)
    if (inNamespace.works) return ownNamespace
    const other = owner ?? postgresUser()
    const asOther = tryOther(other, site)
    if (asOther.works) return otherUser(other)
    throw refusal(site, other, inNamespace, asOther)
  })

const ownerOf = (folder: string): Owner | undefined => {
  const found = statSync(folder, { throwIfNoEntry: false })
  return found === undefined || found.uid === 0 ? undefined : { uid: found.uid, gid: found.gid }
}

interface Site {
  readonly home: string
  readonly binaries: Binaries
}

interface Trial {
  readonly works: boolean
  /** The topmost folder that the account cannot enter. */
  readonly closed: string | undefined
  /** Why the programs do not run, when no folder is the cause. */
  readonly reason: string
}

const pathTo = (path: string): ReadonlyArray<string> =>
  path === dirname(path) ? [path] : [...pathTo(dirname(path)), path]

const tryOut = (account: Account, { binaries, home }: Site): Trial => {
  const script = 'for path; do test -x "$path" || { printf %s "$path"; exit 1; }; done; exec "$0" --version'
  const paths = new Set([...pathTo(home), ...pathTo(binaries.postgres)])
  const [program, args, options] = underAccount(account, "/bin/sh", "-c", script, binaries.postgres, ...paths)
  const { error, status, stderr, stdout } = spawnSync(program, args, {
    ...options,
    env: { ...process.env, ...binaries.env },
    encoding: "utf8"
  })
  const closed = status === 1 && paths.has(stdout) ? stdout : undefined
  return { works: status === 0, closed, reason: error?.message ?? (essence(stderr) || `it ended with ${status}`) }
}

/**
 * Makes the data folder and `home` passable where they block the account; files inside keep their restrictive modes.
 */
const tryOther = (owner: Owner, site: Site): Trial => {
  const trial = tryOut(otherUser(owner), site)
  const ours = [dirname(site.home), site.home].find((folder) => folder === trial.closed)
  if (ours === undefined) return trial
  const { mode, uid } = statSync(ours)
  if (uid !== 0 || (mode & 0o001) !== 0) return trial
  chmodSync(ours, mode | 0o011)
  return tryOther(owner, site)
}

const idOf = (flag: "-u" | "-g"): number =>
  Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8", stdio: "pipe" }))

const postgresUser = (): Owner => {
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
        "PostgreSQL does not run as root, no user namespace can be made, and there is no user named postgres. " +
        "Create that user, start the gateway as a normal user, or set FLOW_DATABASE_URL.",
      cause
    })
  }
}

const refusal = (site: Site, user: Owner, inNamespace: Trial, asOther: Trial): EmbeddedPostgresError => {
  const { closed } = asOther
  if (closed === undefined) {
    const message =
      `The PostgreSQL programs in ${dirname(site.binaries.postgres)} do not run: ${asOther.reason}. ` +
      "Install the gateway's dependencies again on this machine, or set FLOW_DATABASE_URL."
    return new EmbeddedPostgresError({ message })
  }
  const namespace =
    inNamespace.closed === undefined
      ? `no user namespace can be made (${inNamespace.reason})`
      : `${inNamespace.closed} is not root's`
  const move = pathTo(site.home).includes(closed)
    ? "set FLOW_DATA to a folder that this user can pass"
    : "move the gateway's own folder to where this user can pass"
  return new EmbeddedPostgresError({
    message:
      `PostgreSQL does not run as root: ${namespace}, and the user with id ${user.uid} cannot pass ${closed}. ` +
      `Open it (chmod o+x ${closed}), ${move}, start the gateway as a normal user, or set FLOW_DATABASE_URL.`
  })
}
