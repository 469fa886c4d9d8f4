import { type Fields, fieldPath, getPath, refusedSegment, withPath } from "./FieldPath.ts"

/** What happens to an event that was parsed, with Logstash's names. Texts may contain `%{field}`. */
export interface Decorations {
  readonly add_field?: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly remove_field?: string | ReadonlyArray<string>
  readonly add_tag?: string | ReadonlyArray<string>
  readonly remove_tag?: string | ReadonlyArray<string>
}

/** One value or several, as settings allow both. */
export const list = <A>(value: A | ReadonlyArray<A> | undefined): ReadonlyArray<A> =>
  value === undefined ? [] : Array.isArray(value) ? value : [value as A]

const tagsOf = (event: Fields): ReadonlyArray<unknown> => {
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
    const dropped = new Set<unknown>(list(remove_tag).map((tag) => interpolate(tag, next)))
    if (dropped.size > 0 && next["tags"] !== undefined)
      next = { ...next, tags: tagsOf(next).filter((tag) => !dropped.has(tag)) }
    return next
  }
}
