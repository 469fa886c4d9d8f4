import { type Fields, getPath } from "./FieldPath.ts"

// Functions that are generated for given fields. V8 optimizes a function for the objects and keys that it has seen; one
// that is shared by all nodes has seen too many. Only names in JSON's notation and numbers go into generated code.

/** Makes functions from code, or undefined in a process that forbids that. `names` and `values` are what the code may use. */
export const generated = <A>(code: string, given: Readonly<Record<string, unknown>> = {}): A | undefined => {
  try {
    return new Function(...Object.keys(given), `"use strict"; return ${code}`)(...Object.values(given))
  } catch {
    return undefined
  }
}

/** A member's name in an object literal, where `__proto__` would otherwise set the prototype. */
const key = (name: string): string => `[${JSON.stringify(name)}]`

/** Whether no object has a member of this name without having got it. */
const isPlain = (name: string): boolean => !(name in Object.prototype)

/** Reads a field, as {@link getPath}. */
export const fieldReader = (path: ReadonlyArray<string>): ((event: Fields) => unknown) => {
  const [name] = path
  const own = path.length === 1 && name !== undefined && isPlain(name)
  return (own ? generated(`(event) => event${key(name)}`) : undefined) ?? ((event) => getPath(event, path))
}

/** Copies an event with members of these names; their values come in the same order, and none is undefined. */
export const extender = (names: ReadonlyArray<string>): ((event: Fields, values: ReadonlyArray<unknown>) => Fields) => {
  const members = names.map((name, at) => `${isPlain(name) ? JSON.stringify(name) : key(name)}: values[${at}]`)
  return (
    generated(`(event, values) => ({ ...event, ${members.join(", ")} })`) ??
    ((event, values) => {
      const made = { ...event }
      for (let at = 0; at < names.length; at++) {
        Object.defineProperty(made, names[at]!, {
          value: values[at],
          enumerable: true,
          configurable: true,
          writable: true
        })
      }
      return made
    })
  )
}

/** Sets the member of an object that has this name, which is no name of a prototype's member. */
export const memberWriter = (name: string): ((event: Fields, value: unknown) => void) =>
  generated(`(event, value) => { event${key(name)} = value }`) ??
  ((event, value) => {
    event[name] = value
  })

/** Copies an event, and gives the copy members of these names where it has none: of undefined, in this order. */
export const fieldAdder = (names: ReadonlyArray<string>): ((event: Fields) => Fields) => {
  const added = names.filter(isPlain).map((name) => `${JSON.stringify(name)}: event${key(name)}`)
  return generated(`(event) => ({ ...event, ${added.join(", ")} })`) ?? ((event) => ({ ...event }))
}

/**
 * Copies an object with exactly these members in this order, of which some are undefined and left out. Undefined for any
 * other one.
 */
export const pruner = (
  names: ReadonlyArray<string>,
  left: ReadonlySet<string>
): ((event: Fields) => Fields | undefined) | undefined => {
  if (!names.every(isPlain)) return undefined
  const kept = names.filter((name) => !left.has(name))
  const valueOf = (name: string) => `v${names.indexOf(name)}`
  const lines = [
    "(event) => {",
    "let count = 0",
    "for (const name in event) if (name !== names[count++]) return undefined",
    `if (count !== ${names.length}) return undefined`,
    ...names.map((name, at) => `const v${at} = event${key(name)}`),
    ...names.map((name) => `if (${valueOf(name)} ${left.has(name) ? "!==" : "==="} undefined) return undefined`),
    `return { ${kept.map((name) => `${JSON.stringify(name)}: ${valueOf(name)}`).join(", ")} }`,
    "}"
  ]
  return generated(lines.join("\n"), { names })
}
