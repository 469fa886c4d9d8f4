import { putPath, withPath } from "../../../languages/Decorate.ts"
import { type Fields, fieldPath, getPath, type Value } from "../../../languages/FieldPath.ts"

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

  constructor(name: string) {
    this.name = name
    this.path = fieldPath(name)
    this.#key = this.path[0] ?? ""
    this.#isMember = this.path.length === 1 && !(this.#key in Object.prototype)
  }

  read(event: Fields): Value | undefined {
    return this.#isMember ? event[this.#key] : getPath(event, this.path)
  }

  /** False when a value that is no object is on the way. */
  write(event: Fields, value: Value): boolean {
    if (!this.#isMember) return putPath(event, this.path, value)
    event[this.#key] = value
    return true
  }

  remove(event: { [key: string]: Value | undefined }): void {
    const key = this.#key
    if (this.read(event as Fields) === undefined) return
    event[key] = this.path.length === 1 ? undefined : withPath(event[key] as Fields, this.path.slice(1), undefined)
  }
}

/** Sets a member of any name: an assignment of `__proto__` would set the prototype. */
export const setMember = (fields: Fields, key: string, value: Value): void => {
  if (key === "__proto__") {
    Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true })
  } else fields[key] = value
}

/** The record without its removed members. */
export const compacted = (event: Fields): Fields => {
  const kept: Fields = {}
  for (const key in event) {
    const value: Value | undefined = event[key]
    if (value !== undefined) setMember(kept, key, value)
  }
  return kept
}
