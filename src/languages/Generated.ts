import { type Fields, getPath, type Value } from "./FieldPath.ts"

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
export const fieldReader = (path: ReadonlyArray<string>): ((event: Fields) => Value | undefined) => {
  const [name] = path
  const own = path.length === 1 && name !== undefined && isPlain(name)
  return (own ? generated(`(event) => event${key(name)}`) : undefined) ?? ((event) => getPath(event, path))
}

/** Copies an event with members of these names; their values come in the same order, and none is undefined. */
export const extender = (
  names: ReadonlyArray<string>
): ((event: Fields, values: ReadonlyArray<Value>) => Fields) => {
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
