import { Effect, Layer, Stream } from "effect"
import { notFound } from "../../src/drivers/search/indices/Catalog.ts"
import { Search } from "../../src/drivers/search/Search.ts"
import type { NotFound } from "../../src/errors/NotFound.ts"
import { readRaw } from "../../src/languages/json/JsonNumbers.ts"
import { aggregate } from "../../src/languages/query/aggregation/Aggregate.ts"
import { valueAt } from "../../src/languages/query/FieldName.ts"
import { namesIn } from "../../src/languages/query/FieldNames.ts"
import { collectTypes, typesOfBits } from "../../src/languages/query/FieldTypes.ts"
import { type Hit, type IndexInfo, type Key, latest, type Row } from "../../src/languages/query/IndexedDocument.ts"
import { isIndexOf, named } from "../../src/languages/query/IndexName.ts"
import { prepare } from "../../src/languages/query/Prepare.ts"
import { all, type Query } from "../../src/languages/query/Query.ts"
import { original, originalJson, storable } from "../../src/languages/query/StoredText.ts"
import { compareTexts } from "../../src/languages/query/text/TextPattern.ts"
import { framed } from "../support/framed.ts"
import { engineOn, rawAt } from "./Aggregations.ts"
import { holds, type StoredDocument } from "./Evaluate.ts"
import { sortedPage } from "./Sorted.ts"

interface Kept extends Omit<StoredDocument, "index"> {
  readonly json: string
}

type Found = Kept & StoredDocument

const compare = (a: Pick<Found, "at" | "id" | "index">, b: Pick<Found, "at" | "id" | "index">): number => {
  const [left, right] = [BigInt(a.at), BigInt(b.at)]
  if (left !== right) return left < right ? -1 : 1
  return compareTexts(a.id, b.id) || compareTexts(a.index, b.index)
}

const hitOf = ({ at, id, index, json }: Found): Hit => ({ at, id: original(id), index, source: originalJson(json) })

/** Documents in this process's memory, for tests. */
export const layer = Layer.sync(Search, () => {
  const tenants = new Map<string, Map<string, Map<string, Kept>>>()
  let made = 0
  const newId = () => `m${(++made).toString(36).padStart(10, "0")}`

  const indicesOf = (tenant: string) => {
    const indices = tenants.get(tenant) ?? new Map<string, Map<string, Kept>>()
    tenants.set(tenant, indices)
    return indices
  }
  const resolve = (tenant: string, pattern: string): Effect.Effect<ReadonlyArray<string>, NotFound> => {
    const { names, selects } = named(pattern)
    const known = [...indicesOf(tenant).keys()].sort(compareTexts)
    const missing = names.find((name) => !known.includes(name))
    return missing === undefined ? Effect.succeed(known.filter(selects)) : Effect.fail(notFound(tenant, missing))
  }
  const indexOf = (tenant: string, index: string): Effect.Effect<Map<string, Kept>, NotFound> => {
    const found = indicesOf(tenant).get(index)
    return found === undefined ? Effect.fail(notFound(tenant, index)) : Effect.succeed(found)
  }

  const find = (tenant: string, pattern: string, query: Query, key?: Key) => {
    const after = key === undefined ? undefined : { ...key, id: storable(key.id) }
    return Effect.map(resolve(tenant, pattern), (indices) =>
      indices
        .flatMap((index) =>
          [...(indicesOf(tenant).get(index)?.values() ?? [])].map((kept): Found => ({ ...kept, index }))
        )
        .filter((found) => (after === undefined || compare(found, after) > 0) && holds(query, found))
        .sort(compare)
    )
  }

  return Search.of({
    indices: (tenant) =>
      Effect.sync(() =>
        [...indicesOf(tenant)]
          .sort(([a], [b]) => compareTexts(a, b))
          .map(([name, documents]): IndexInfo => {
            const times = [...documents.values()].filter(({ at }) => at !== latest).map(({ at }) => Number(at))
            return {
              name,
              documents: documents.size,
              bytes: [...documents.values()].reduce((sum, { json }) => sum + json.length, 0),
              from: times.length === 0 ? null : new Date(Math.min(...times)).toISOString(),
              to: times.length === 0 ? null : new Date(Math.max(...times)).toISOString()
            }
          })
      ),
    resolve,
    write: (tenant, index, documents) =>
      Effect.suspend(() => {
        if (!isIndexOf(tenant, index)) return Effect.fail(notFound(tenant, index))
        const kept = indicesOf(tenant).get(index) ?? new Map<string, Kept>()
        indicesOf(tenant).set(index, kept)
        const { prepared, rejected } = prepare(documents, newId)
        for (const { id, at, json } of prepared) kept.set(id, { id, at, json, value: readRaw(json) })
        return Effect.succeed({ written: documents.length - rejected.length, rejected })
      }),
    count: (tenant, pattern, query) => Effect.map(find(tenant, pattern, query), (found) => found.length),
    read: (tenant, pattern, query, { after, counted } = {}) =>
      Stream.unwrap(
        Effect.map(find(tenant, pattern, query, after), (found) => {
          counted?.(found.length)
          return Stream.fromIterable(found.map(hitOf))
        })
      ),
    page: (tenant, pattern, query, { limit, bytes, after }) =>
      Effect.map(find(tenant, pattern, query, after), (found) => {
        let used = 0
        const over = found.findIndex((one, at) => {
          used += Buffer.byteLength(hitOf(one).source)
          return at === limit || (at > 0 && used > bytes)
        })
        return { hits: found.slice(0, over === -1 ? found.length : over).map(hitOf), more: over !== -1 }
      }),
    sorted: (tenant, pattern, query, span) =>
      Effect.map(find(tenant, pattern, query), (found) => sortedPage(found, span, hitOf)),
    aggregate: (tenant, pattern, query, aggregations) =>
      Effect.flatMap(find(tenant, pattern, query), (found) => aggregate(engineOn(found), query, aggregations)),
    missingFields: (tenant, pattern, fields) =>
      Effect.map(find(tenant, pattern, all), (found) => ({
        missing: fields.filter((field) => found.length > 0 && found.every((one) => rawAt(one, field) === undefined)),
        known: namesIn(found.map(({ json }): unknown => JSON.parse(originalJson(json))))
      })),
    fields: (tenant, pattern) =>
      Effect.map(find(tenant, pattern, all), (found) => {
        const known = collectTypes()
        for (const { json } of found) known.look(JSON.parse(originalJson(json)))
        const { types, more } = known.types()
        const fields = [...types].flatMap(([name, bits]) => {
          const types = typesOfBits(bits)
          return types.length === 0 ? [] : [{ name: original(name), types }]
        })
        return { fields: fields.sort((one, other) => (one.name < other.name ? -1 : 1)), more }
      }),
    rows: (tenant, pattern, query, { fields, as, after, counted }) => {
      const row = ({ value }: Found): Row =>
        Object.fromEntries(
          fields.map((field) => {
            const found = valueAt(value, field.split(".").map(storable), as === "text")
            if (found === undefined) return [field, null]
            const text =
              as === "text" && typeof found === "string" ? original(found) : originalJson(JSON.stringify(found))
            return [field, text]
          })
        )
      return Stream.unwrap(
        Effect.map(find(tenant, pattern, query, after), (found) => {
          counted?.(found.length)
          return Stream.fromIterable(found.map(row))
        })
      )
    },
    encoded: (tenant, pattern, query, { fields, encoder, counted }) =>
      Stream.unwrap(
        Effect.map(find(tenant, pattern, query), (found) => {
          counted?.(found.length)
          const lines = encoder()
          for (const { value } of found) {
            const texts = fields.map((field) => {
              const found = valueAt(value, field.split(".").map(storable), true)
              if (found === undefined || found === null) return null
              return typeof found === "string" ? found : JSON.stringify(found)
            })
            lines.add(framed(texts), 0, texts.length)
          }
          return found.length === 0 ? Stream.empty : Stream.make({ bytes: lines.take(), documents: found.length })
        })
      ),
    drop: (tenant, index) =>
      Effect.andThen(
        indexOf(tenant, index),
        Effect.sync(() => indicesOf(tenant).delete(index))
      ),
    expire: (tenant, index, before) =>
      Effect.map(indexOf(tenant, index), (documents) => {
        for (const { id, at } of documents.values()) if (Number(at) < before) documents.delete(id)
      })
  })
})
