import { constants } from "node:fs"
import { access, mkdir, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { codeOf } from "../drivers/Failure.ts"
import { messageOf } from "../languages/ErrorMessage.ts"

/** A folder that cannot be used until the operator changes something. The message says what. */
export class UnusableFolder extends Error {}

/** Errors that an operator can fix. Any other error means that the storage is in trouble. */
const mendable = ["EACCES", "EPERM", "EROFS", "ENOENT", "ENOTDIR", "EEXIST", "ELOOP", "ENAMETOOLONG"]

const user = (): string => `user ${process.getuid?.() ?? "of the gateway"}`

const withAncestors = (path: string): ReadonlyArray<string> =>
  dirname(path) === path ? [path] : [...withAncestors(dirname(path)), path]

const denied = async (path: string, mode: number, what: string): Promise<string | undefined> => {
  const code = await access(path, mode).then(() => undefined, codeOf)
  if (code === undefined) return undefined
  return code === "EROFS"
    ? `${path} is on a read-only file system: choose another folder`
    : `${user()} may not ${what} ${path}: allow it there, or choose another folder`
}

/** The first obstacle on the path to a folder, starting at the root. */
const obstacle = async (path: string, isMade: boolean): Promise<string | undefined> => {
  for (const folder of withAncestors(path)) {
    const above = dirname(folder)
    const found = await stat(folder).catch(codeOf)
    if (found === "ENOENT") {
      if (!isMade) return `there is no folder ${folder}: make it, or choose another one`
      const closed = await denied(above, constants.W_OK, "write in")
      return closed ?? `the folder ${folder} cannot be made in ${above}: choose another one`
    }
    if (typeof found !== "object") {
      const closed = await denied(above, constants.X_OK, "pass")
      return closed ?? `${folder} cannot be reached (${found ?? "for an unknown reason"}): choose another folder`
    }
    if (!found.isDirectory()) return `${folder} is not a folder: choose another one`
  }
  const wanted = isMade ? (["write in", constants.W_OK] as const) : (["list", constants.R_OK] as const)
  for (const [what, mode] of [["pass", constants.X_OK] as const, wanted]) {
    const closed = await denied(path, mode, what)
    if (closed !== undefined) return closed
  }
  return undefined
}

/**
 * Creates the folders one by one: Node's recursive `mkdir` loops forever where a parent cannot contain folders, as in
 * /proc.
 */
const make = async (path: string, mode: number): Promise<void> => {
  for (const folder of withAncestors(path)) {
    if ((await stat(folder).catch(codeOf)) !== "ENOENT") continue
    await mkdir(folder, mode).catch((error) => {
      if (codeOf(error) !== "EEXIST") throw error
    })
  }
}

/** Fails with an {@link UnusableFolder}, or with the original error when the storage is in trouble. */
const explained = async (path: string, isMade: boolean, attempt: Promise<unknown>): Promise<void> => {
  try {
    await attempt
  } catch (error) {
    if (!mendable.includes(codeOf(error) ?? "")) throw error
    const reason = messageOf(error)
    throw new UnusableFolder((await obstacle(path, isMade)) ?? `the folder ${path} cannot be used: ${reason}`)
  }
}

// The trailing slash makes the check fail for a file.

/** Creates the folder if it is missing, and checks that it can be entered and written. `path` is absolute. */
export const writableFolder = (path: string, mode: number): Promise<void> =>
  explained(
    path,
    true,
    make(path, mode).then(() => access(`${path}/`, constants.W_OK | constants.X_OK))
  )

/** The reason why {@link writableFolder} would fail; undefined if it would succeed. Changes nothing. */
export const writableFault = async (path: string): Promise<string | undefined> => {
  const fault = await obstacle(path, true)
  if (fault === undefined || (await stat(path).catch(codeOf)) !== "ENOENT") return fault
  // Missing folders can be created if the deepest existing one is writable.
  for (const folder of withAncestors(path).toReversed()) {
    const found = await stat(folder).catch(codeOf)
    if (found === "ENOENT") continue
    if (typeof found === "object" && !found.isDirectory()) return `${folder} is not a folder: choose another one`
    return denied(folder, constants.W_OK | constants.X_OK, "write in")
  }
  return fault
}

/** Checks that the folder exists and can be entered and listed. `path` is absolute. */
export const readableFolder = (path: string): Promise<void> =>
  explained(path, false, access(`${path}/`, constants.R_OK | constants.X_OK))
