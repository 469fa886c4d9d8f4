import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { child, validator } from "../support/described.ts"
import { memoryGateway, raw } from "../support/gateway.ts"
import { operations } from "../support/operations.ts"

/** Values of each type as JSON, and numbers that JavaScript would round. */
const values = ["null", "true", "7", "1e400", "9".repeat(30), '"x"', "[]", "{}"]

type Path = ReadonlyArray<string | number>

/** The places of a JSON value, itself included. */
const placesOf = (value: unknown, path: Path = []): ReadonlyArray<Path> =>
  typeof value !== "object" || value === null
    ? [path]
    : [path, ...Object.entries(value).flatMap(([key, inner]) => placesOf(inner, [...path, key]))]

/** The value as JSON with another one in a place. */
const withAt = (value: unknown, [first, ...rest]: Path, json: string): string => {
  if (first === undefined) return json
  const members = Object.entries(value as object).map(([key, inner]): [string, string] => [
    key,
    key === String(first) ? withAt(inner, rest, json) : JSON.stringify(inner)
  ])
  if (Array.isArray(value)) return `[${members.map(([, inner]) => inner).join(",")}]`
  return `{${members.map(([key, inner]) => `${JSON.stringify(key)}:${inner}`).join(",")}}`
}

const bodies = operations.flatMap(({ method, path, pointer, operation }) => {
  const media = operation.requestBody?.content["application/json"]
  if (media === undefined || path.includes("/hooks/")) return []
  const admits = validator(child(pointer, "requestBody", "content", "application/json", "schema"))
  const target = path.replace("{tenant}", "mytenant").replaceAll(/\{\w+\}/g, "A")
  return placesOf(media.example)
    .flatMap((place) => values.map((json) => withAt(media.example, place, json)))
    .filter((body) => !admits(JSON.parse(body)))
    .map((body) => ({ method, target, body }))
})

layer(memoryGateway(), { excludeTestServices: true })("a JSON body that the OpenAPI document does not allow", (it) => {
  it.effect("is refused, with the place of its fault", () =>
    Effect.gen(function* () {
      const taken = yield* Effect.forEach(
        bodies,
        Effect.fnUntraced(function* ({ method, target, body }) {
          const headers = { "content-type": "application/json" }
          const answer = yield* raw(target, { method, headers, body })
          const text = yield* Effect.promise(() => answer.text())
          const { issues } = (answer.status === 400 ? JSON.parse(text) : {}) as { issues?: ReadonlyArray<object> }
          const isTold = issues?.every((issue) => "part" in issue && "pointer" in issue) === true
          return isTold ? [] : [`${method} ${target} ${body}: ${answer.status} ${text}`]
        }),
        { concurrency: 4 }
      )
      expect(taken.flat()).toEqual([])
      expect(bodies.length).toBeGreaterThan(150)
    })
  )
})
