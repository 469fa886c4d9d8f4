import { type Fields, fieldPath, putPath, withPath } from "../../../languages/FieldPath.ts"
import { fieldReader, memberWriter, pruner } from "../../../languages/Generated.ts"

/**
 * A field of the records that operations change: copies of the received ones, whose inner objects are shared. The field
 * is not one of a prototype. A member of undefined is a removed one.
 */
export class Place {
  readonly name: string
  readonly path: ReadonlyArray<string>
  readonly #key: string
  /** Whether it is a member of the record; objects have some that no record gave them, such as `toString`. */
  readonly #isMember: boolean
  /** The value of the field. */
  readonly read: (event: Fields) => unknown
  readonly #set: (event: Fields, value: unknown) => void

  constructor(name: string) {
    this.name = name
    this.path = fieldPath(name)
    this.#key = this.path[0] ?? ""
    this.#isMember = this.path.length === 1 && !(this.#key in Object.prototype)
    this.read = fieldReader(this.path)
    this.#set = memberWriter(this.#key)
  }

  /** False when a value that is no object is on the way. */
  write(event: Fields, value: unknown): boolean {
    if (!this.#isMember) return putPath(event, this.path, value)
    this.#set(event, value)
    return true
  }

  remove(event: Fields): void {
    const key = this.#key
    if (this.read(event) === undefined) return
    const parent = event[key] as Fields | ReadonlyArray<unknown>
    event[key] = this.path.length === 1 ? undefined : withPath(parent, this.path.slice(1), undefined)
  }
}

/** Sets a member of any name: an assignment of `__proto__` would set the prototype. */
export const setMember = (fields: Fields, key: string, value: unknown): void => {
  if (key === "__proto__") {
    Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true })
  } else fields[key] = value
}

/** Maximum number of sets of members that have code of their own. */
const maxShapes = 8

/** Takes the removed members out of records, at once for those with the members of earlier ones. */
export const compacting = (): ((event: Fields) => Fields) => {
  const known: Array<(event: Fields) => Fields | undefined> = []
  let tries = 0
  return (event) => {
    for (let at = 0; at < known.length; at++) {
      const made = known[at]!(event)
      if (made !== undefined) return made
    }
    // Records that have all kinds of members are not worth it.
    if (tries < maxShapes) {
      tries++
      const names = Object.keys(event)
      const prune = pruner(names, new Set(names.filter((name) => event[name] === undefined)))
      if (prune !== undefined) known.push(prune)
    }
    return compacted(event)
  }
}

/** The record without its removed members. */
const compacted = (event: Fields): Fields => {
  const kept: Fields = {}
  for (const key in event) {
    const value = event[key]
    if (value !== undefined) setMember(kept, key, value)
  }
  return kept
}
