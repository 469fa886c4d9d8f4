import { Result, Schema } from "effect"
import { listed, suggestion } from "../../../languages/Suggest.ts"
import { ownRoots, type Root, type Roots } from "../../../protocol/Roots.ts"

const ownNames: ReadonlyArray<string> = Object.values(ownRoots)

const isName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(name)

/** Why a name cannot be that of a root; undefined when it can. */
export const rootNameFault = (name: string): string | undefined => {
  if (ownNames.includes(name)) return `every tenant has a root ${JSON.stringify(name)} already; choose another name`
  return isName(name)
    ? undefined
    : `${JSON.stringify(name)} is no name of a root: at most 63 letters, digits, "_" and "-", the first a letter or digit`
}

const example = "/var/log/app:ro"

/** Reads the folder of a root: an absolute path, with `:ro` (the default) or `:rw` at its end. */
export const parseRoot = (text: string): Result.Result<Root, string> => {
  const [, given = "", mode = "ro"] = /^(.*?)(?::(ro|rw))?$/s.exec(text) ?? []
  const path = given.replace(/\/+$/, "") || (given === "" ? "" : "/")
  if (!path.startsWith("/")) return Result.fail(`expected an absolute path such as ${example}`)
  if (/[\u0000-\u001f\u007f]/.test(path) || path.split("/").some((segment) => segment === "." || segment === "..")) {
    return Result.fail('the path has a control character, or a segment "." or ".."')
  }
  return Result.succeed({ path: path.replace(/\/{2,}/g, "/"), writable: mode === "rw" })
}

/** Reads `applogs=/var/log/app:ro,out=/srv/out:rw`. Fails with what is wrong. */
export const parseRoots = (text: string): Result.Result<Roots, string> => {
  const roots = new Map<string, Root>()
  for (const entry of text.split(",").map((one) => one.trim())) {
    const at = entry.indexOf("=")
    if (at === -1)
      return Result.fail(`${JSON.stringify(entry)} names no folder; expected a list as in applogs=${example}`)
    const name = entry.slice(0, at).trim()
    const wrong = rootNameFault(name)
    if (wrong !== undefined) return Result.fail(wrong)
    if (roots.has(name)) return Result.fail(`two roots have the name ${JSON.stringify(name)}`)
    const root = parseRoot(entry.slice(at + 1).trim())
    if (Result.isFailure(root)) return Result.fail(`${name}: ${root.failure}`)
    roots.set(name, root.success)
  }
  return Result.succeed(Object.fromEntries(roots))
}

/** The name of a root in the access file. */
export const RootName = Schema.String.check(Schema.makeFilter(rootNameFault))

/** The folder of a root in the access file. */
export const RootText = Schema.String.check(
  Schema.makeFilter((text: string) => {
    const root = parseRoot(text)
    return Result.isFailure(root) ? root.failure : undefined
  })
)

/** A place of the gateway's own, and the setting that names it. */
export interface OwnPlace {
  readonly setting: string
  readonly path: string
}

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`)

/** Why a folder cannot be a root: it would open what the gateway keeps for itself, such as other tenants' files. */
export const overlapFault = (path: string, own: ReadonlyArray<OwnPlace>): string | undefined => {
  const found = own.find((place) => isWithin(path, place.path) || isWithin(place.path, path))
  if (found === undefined) return undefined
  const how = isWithin(path, found.path) ? "lies in" : "contains"
  return `${path} ${how} ${found.path} (${found.setting}), which no run may see; choose another folder`
}

/** The roots with those of a tenant in their place; `null` takes one away. */
export const withRoots = (roots: Roots, given: Readonly<Record<string, string | null>> | undefined): Roots => {
  if (given === undefined) return roots
  const all = new Map(Object.entries(roots))
  for (const [name, text] of Object.entries(given)) {
    const root = text === null ? undefined : parseRoot(text)
    if (root === undefined || Result.isFailure(root)) all.delete(name)
    else all.set(name, root.success)
  }
  return Object.fromEntries(all)
}

/** The roots of a tenant, its own included, for messages. */
const rootList = (roots: Roots): string =>
  listed([
    ...Object.entries(roots).map(([name, { writable }]) => `${name} (${writable ? "read and write" : "read-only"})`),
    `${ownRoots.conf} (read-only)`,
    `${ownRoots.data} (read and write)`
  ])

/** Why a flowline of the tenant may not use the root that it names; undefined when it may. */
export const rootFault = (
  use: { readonly name: string; readonly writes: boolean },
  roots: Roots
): string | undefined => {
  const { name, writes } = use
  if (ownNames.includes(name)) return undefined
  if (!Object.hasOwn(roots, name)) {
    const near = suggestion(name, [...Object.keys(roots), ...ownNames])
    return `There is no root ${JSON.stringify(name)}${near || "."} The roots are ${rootList(roots)}`
  }
  if (!writes || roots[name]?.writable === true) return undefined
  return `The root ${JSON.stringify(name)} is read-only. The roots are ${rootList(roots)}`
}
