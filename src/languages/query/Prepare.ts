import * as Predicate from "effect/Predicate"
import { boundsFault } from "./Bounds.ts"
import type { NewDocument, WriteResult } from "./IndexedDocument.ts"
import { placeOf } from "./Instant.ts"
import { storable, storableJson } from "./StoredText.ts"

/** A document in its stored form. */
export interface PreparedDocument {
  /** Its position in the batch. */
  readonly place: number
  readonly id: string
  /** Whether the id was given. */
  readonly named: boolean
  readonly at: string
  readonly json: string
}

const encoder = new TextEncoder()

const sizeOf = (id: string): number => (id.length > 512 || id.length < 128 ? id.length : encoder.encode(id).length)

const read = (source: NewDocument["source"]): Readonly<{ json: string; value: Record<string, unknown> }> | string => {
  try {
    const json = typeof source === "string" ? source : JSON.stringify(source)
    const value: unknown = typeof source === "string" ? JSON.parse(source) : source
    if (!Predicate.isObject(value)) return "the document is not an object"
    return boundsFault(json) ?? { json, value }
  } catch {
    return "the document is not JSON, or is nested too deeply"
  }
}

/**
 * Documents in their stored form, sorted by id, so that concurrent writers lock rows in the same order. Of several
 * documents with the same id, the last one counts.
 *
 * @param look sees each document with its position in the result order
 */
export const prepare = (
  documents: ReadonlyArray<NewDocument>,
  newId: () => string,
  look?: (document: Readonly<Record<string, unknown>>, at: string) => void
): { readonly prepared: ReadonlyArray<PreparedDocument>; readonly rejected: WriteResult["rejected"] } => {
  const rejected: Array<{ at: number; reason: string }> = []
  const byId = new Map<string, PreparedDocument>()
  let sorted = true
  let last = ""
  documents.forEach((document, place) => {
    const found = read(document.source)
    if (typeof found === "string") {
      rejected.push({ at: place, reason: found })
      return
    }
    if (document.id !== undefined && (document.id === "" || sizeOf(document.id) > 512)) {
      rejected.push({ at: place, reason: "the id is empty or has more than 512 bytes" })
      return
    }
    const id = document.id === undefined ? newId() : storable(document.id)
    sorted &&= id > last
    last = id
    const at = placeOf(found.value["@timestamp"])
    look?.(found.value, at)
    byId.set(id, {
      place,
      id,
      named: document.id !== undefined,
      at,
      json: storableJson(found.json)
    })
  })
  const prepared = [...byId.values()]
  if (!sorted) prepared.sort((a, b) => (a.id < b.id ? -1 : 1))
  return { prepared, rejected }
}
