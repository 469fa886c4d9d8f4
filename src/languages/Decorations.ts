import { type Fields, fieldPath, getPath, isObject, refusedSegment, type Value } from "./FieldPath.ts"

/** What happens to an event that was parsed, with Logstash's names. Texts may contain `%{field}`. */
export interface Decorations {
  readonly add_field?: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly remove_field?: string | ReadonlyArray<string>
  readonly add_tag?: string | ReadonlyArray<string>
  readonly remove_tag?: string | ReadonlyArray<string>
}

/** A copy with the value at the path (undefined removes it); undefined when a scalar is in the way. */
export const withPath = (event: Fields, path: ReadonlyArray<string>, value: Value | undefined): Fields | undefined => {
  const [key, ...rest] = path as [string, ...Array<string>]
  if (rest.length === 0) {
    if (value !== undefined) return { ...event, [key]: value }
    const { [key]: _, ...others } = event
    return others
  }
  const child = Object.hasOwn(event, key) ? event[key] : undefined
  if (child !== undefined && child !== null && !isObject(child)) return undefined
  if (child === undefined && value === undefined) return event
  const inner = withPath(isObject(child) ? child : {}, rest, value)
  return inner === undefined ? undefined : { ...event, [key]: inner }
}

/**
 * Sets a value in an event that is already a copy. Objects on the path are copied too. False when a scalar is in the
 * way.
 */
export const putPath = (event: Fields, path: ReadonlyArray<string>, value: Value): boolean => {
  const key = path[0]!
  if (path.length === 1) {
    event[key] = value
    return true
  }
  const child = Object.hasOwn(event, key) ? event[key] : undefined
  if (child !== undefined && child !== null && !isObject(child)) return false
  const copy = isObject(child) ? { ...child } : {}
  event[key] = copy
  return putPath(copy, path.slice(1), value)
}

/** One value or several, as settings allow both. */
export const list = <A>(value: A | ReadonlyArray<A> | undefined): ReadonlyArray<A> =>
  value === undefined ? [] : Array.isArray(value) ? value : [value as A]

const tagsOf = (event: Fields): ReadonlyArray<Value> => {
  const tags = event["tags"]
  return Array.isArray(tags) ? tags : tags === undefined || tags === null ? [] : [tags]
}

/** Adds tags that the event does not have yet. */
export const addTags = (event: Fields, tags: ReadonlyArray<string>): Fields => {
  const present = tagsOf(event)
  const fresh = tags.filter((tag) => !present.includes(tag))
  return fresh.length === 0 ? event : { ...event, tags: [...present, ...fresh] }
}

/** Replaces `%{field}` by the field's value; a field that is missing stays as it is written. */
export const interpolate = (text: string, event: Fields): string =>
  text.replace(/%\{([^}+]+)\}/g, (whole: string, name: string) => {
    const value = getPath(event, fieldPath(name))
    if (value === undefined || value === null) return whole
    return Array.isArray(value) ? value.join(",") : typeof value === "object" ? JSON.stringify(value) : String(value)
  })

const addField = (event: Fields, name: string, values: ReadonlyArray<string>): Fields => {
  const path = fieldPath(interpolate(name, event))
  // The name may come from the record.
  if (refusedSegment(path) !== undefined) return event
  const added = values.map((value) => interpolate(value, event))
  const present = getPath(event, path)
  const all = present === undefined || present === null ? added : [present, added].flat()
  return withPath(event, path, all.length === 1 ? all[0] : all) ?? event
}

/** What {@link decorator} returns when there is nothing to do. */
export const asItIs = (event: Fields): Fields => event

/** Applies the decorations in Logstash's order: add fields, remove fields, add tags, remove tags. */
export const decorator = (options: Decorations): ((event: Fields) => Fields) => {
  const { add_field = {}, remove_field, add_tag, remove_tag } = options
  const idle =
    Object.keys(add_field).length === 0 && [remove_field, add_tag, remove_tag].every((one) => one === undefined)
  if (idle) return asItIs
  return (event) => {
    let next = event
    for (const [name, values] of Object.entries(add_field)) next = addField(next, name, list(values))
    for (const name of list(remove_field)) next = withPath(next, fieldPath(interpolate(name, next)), undefined) ?? next
    next = addTags(
      next,
      list(add_tag).map((tag) => interpolate(tag, next))
    )
    const dropped = new Set<Value>(list(remove_tag).map((tag) => interpolate(tag, next)))
    if (dropped.size > 0 && next["tags"] !== undefined)
      next = { ...next, tags: tagsOf(next).filter((tag) => !dropped.has(tag)) }
    return next
  }
}
