import * as Predicate from "effect/Predicate"
import { storable } from "./StoredText.ts"

/** Types of the values of a field, as bits. A value is a list as well if it is inside of one. */
export const typeBit = { number: 1, text: 2, boolean: 4, list: 8, object: 16 } as const

/** A type of a field's values, as readers are told it. */
export const fieldTypes = ["number", "text", "boolean", "list", "object"] as const
export type FieldType = (typeof fieldTypes)[number]

/** The types that bits stand for; none for a field that only holds other fields. */
export const typesOfBits = (bits: number): ReadonlyArray<FieldType> =>
  (bits & ~typeBit.object) === 0 ? [] : fieldTypes.filter((type) => (bits & typeBit[type]) !== 0)

const anyType = Object.values(typeBit).reduce((all, bit) => all + bit, 0)

/** Maximum number of fields whose types are kept, and of characters of a name. */
const limits = { fields: 1000, name: 256 }

/** The types that the fields of some documents have, by their dotted names in stored form. */
export interface FieldTypes {
  readonly types: ReadonlyMap<string, number>
  /** Whether there are fields beyond these. */
  readonly more: boolean
}

interface Member {
  bits: number
  readonly members: Map<string, Member>
}

const member = (): Member => ({ bits: 0, members: new Map() })

/** Whether JSON writes the members of an object, and not what a method of it says. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return (prototype === Object.prototype || prototype === null) && !("toJSON" in value)
}

const within = (member: Member, value: unknown, inList: boolean): void => {
  if (Array.isArray(value)) {
    member.bits |= typeBit.list
    for (const one of value) if (typeof one === "object" && one !== null) within(member, one, true)
    return
  }
  if (!Predicate.isObject(value)) return
  if (!isPlain(value)) {
    member.bits |= anyType
    return
  }
  member.bits |= typeBit.object
  membersOf(member, value, inList)
}

const membersOf = (member: Member, value: Readonly<Record<string, unknown>>, inList: boolean): void => {
  for (const name of Object.keys(value)) {
    const one = value[name]
    if (one === null || one === undefined) continue
    const found = memberAt(member, name)
    if (inList) found.bits |= typeBit.list
    if (typeof one === "object") within(found, one, inList)
    else found.bits |= bitOf(one)
  }
}

const memberAt = ({ members }: Member, name: string): Member => {
  const known = members.get(name)
  if (known !== undefined) return known
  const made = member()
  members.set(name, made)
  return made
}

const bitOf = (value: unknown): number => {
  if (typeof value === "number" || typeof value === "bigint") return typeBit.number
  if (typeof value === "string") return typeBit.text
  return typeof value === "boolean" ? typeBit.boolean : anyType
}

/** Nothing is known of documents with too many fields. */
const tooMany: FieldTypes = { types: new Map(), more: true }

/** Collects the types of documents, whose size and depth are bounded. */
export const collectTypes = () => {
  const root = member()
  const types = (): FieldTypes => {
    const found = new Map<string, number>()
    const add = (at: Member, path: string | undefined) => {
      for (const [name, { bits, members }] of at.members) {
        const dotted = path === undefined ? storable(name) : `${path}.${storable(name)}`
        if (dotted.length > limits.name) continue
        found.set(dotted, (found.get(dotted) ?? 0) | bits)
        add({ bits, members }, dotted)
      }
    }
    add(root, undefined)
    return (root.bits & ~typeBit.object) !== 0 || found.size > limits.fields ? tooMany : { types: found, more: false }
  }
  const look = (document: unknown): void => within(root, document, false)
  return { look, types }
}

/** Whether the types of documents are among those that are known. */
export const covers = (known: FieldTypes, found: FieldTypes): boolean => {
  if (found.more) return known.more && known.types.size === 0
  for (const [name, bits] of found.types) {
    const before = known.types.get(name)
    if (before === undefined ? !known.more : (bits & ~before) !== 0) return false
  }
  return true
}

/** Both together. A field that did not find room is never taken in later, as its first types would be missing. */
export const joined = (known: FieldTypes, found: FieldTypes): FieldTypes => {
  if (found.more) return tooMany
  const types = new Map(known.types)
  let more = known.more
  for (const [name, bits] of found.types) {
    const before = types.get(name)
    if (before === undefined && (known.more || types.size >= limits.fields)) more = true
    else types.set(name, (before ?? 0) | bits)
  }
  return { types, more }
}

/**
 * The types of a field's values as the sum of their bits; undefined when they are not known.
 *
 * @param bits those that are kept for it
 */
export const bitsOf = (field: string, bits: number | undefined, more: boolean): number | undefined =>
  field.length > limits.name ? undefined : (bits ?? (more ? undefined : 0))
