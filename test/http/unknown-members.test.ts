import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../../src/Api.ts"
import { at, resolved } from "../support/described.ts"
import { memoryGateway, raw } from "../support/gateway.ts"
import { type DescribedOperation, formOf, operations } from "../support/operations.ts"

interface Issue {
  readonly part: string
  readonly pointer?: string
  readonly detail: string
}

/** A name that is not declared, but near the given one. */
const misspelt = (name: string) => `${name}x`

/** The message of a fault about a misspelt name. */
const near = (name: string) => expect.stringContaining(`did you mean ${JSON.stringify(name)}?`)

const declaredIn = ({ operation }: DescribedOperation, where: string) =>
  operation.parameters.filter((parameter) => parameter.in === where)

/** The path with the examples of its parameters and these parameters of the query. */
const pathOf = (described: DescribedOperation, query: Readonly<Record<string, string>>, tenant = "mytenant") => {
  const path = declaredIn(described, "path").reduce(
    (text, { name, example }) =>
      text.replace(`{${name}}`, encodeURIComponent(name === "tenant" ? tenant : String(example))),
    described.path
  )
  const required = declaredIn(described, "query").filter(({ required }) => required === true)
  const all = { ...Object.fromEntries(required.map(({ name, example }) => [name, String(example)])), ...query }
  return `${path}?${new URLSearchParams(all)}`
}

const answerOf = (described: DescribedOperation, path: string, init: RequestInit = {}) =>
  Effect.flatMap(raw(path, { method: described.method, ...init }), (response) =>
    Effect.map(
      Effect.promise(() => response.text()),
      (text) => ({
        id: described.id,
        status: response.status,
        issues: (JSON.parse(text || "{}") as { readonly issues?: ReadonlyArray<Issue> }).issues
      })
    )
  )

/** The answer without the issues of the form, which is not sent. */
const ofQuery = (described: DescribedOperation, path: string) =>
  Effect.map(answerOf(described, path), ({ issues, ...answer }) => ({
    ...answer,
    issues: issues?.filter(({ part }) => part === "query")
  }))

/** An operation's body in the document: its example, the schema of its members, and its media type. */
const bodyOf = ({ operation, pointer }: DescribedOperation) => {
  const [type = "", media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  if (media === undefined) return undefined
  const key = type.replaceAll("~", "~0").replaceAll("/", "~1")
  const schemaAt = `${pointer}/requestBody/content/${encodeURIComponent(key)}/schema`
  const { anyOf = [at(resolved(schemaAt))] } = at(schemaAt) as { readonly anyOf?: ReadonlyArray<{ $ref?: string }> }
  const schemas = (anyOf as ReadonlyArray<{ readonly $ref?: string }>).map(({ $ref, ...own }) =>
    $ref === undefined ? own : at($ref.slice(1))
  ) as ReadonlyArray<{ readonly additionalProperties?: boolean; readonly properties?: object }>
  const schema = schemas.find(({ properties }) => properties !== undefined)
  // Records and bytes have no members that could be unknown.
  if (schema === undefined) return undefined
  return { type, schema, names: Object.keys(schema.properties!), example: media.example as Record<string, string> }
}

const withBody = operations.flatMap((described) => {
  const body = bodyOf(described)
  return body === undefined ? [] : [{ described, body }]
})

layer(memoryGateway(), { excludeTestServices: true })("what no endpoint declares is refused", (it) => {
  it.effect("as a parameter of the query, on every endpoint", () =>
    Effect.gen(function* () {
      let endpoints = 0
      HttpApi.reflect(Api, { onGroup: () => {}, onEndpoint: () => void endpoints++ })
      expect(operations).toHaveLength(endpoints)
      for (const described of operations) {
        const { id } = described
        const known = declaredIn(described, "query").map(({ name }) => name)
        const other = { part: "query", pointer: "/nowhere", detail: expect.stringContaining('There is no "nowhere"') }
        expect(yield* ofQuery(described, pathOf(described, { nowhere: "1" }))).toEqual({
          id,
          status: 400,
          issues: [known.length === 0 ? other : { ...other, detail: expect.stringContaining(known.join(", ")) }]
        })
        if (known[0] === undefined) continue
        const name = misspelt(known[0])
        expect(yield* ofQuery(described, pathOf(described, { [name]: "1" }))).toEqual({
          id,
          status: 400,
          issues: [{ part: "query", pointer: `/${name}`, detail: near(known[0]) }]
        })
      }
    })
  )

  it.effect("with all other faults of the query", () =>
    Effect.gen(function* () {
      const described = operations.find(({ id }) => id === "flowlines.list")!
      const query = { limit: "none", cursr: "x", constructor: "1" }
      const { status, issues } = yield* answerOf(described, pathOf(described, query))
      expect(status).toBe(400)
      expect(issues?.map(({ pointer }) => pointer).sort()).toEqual(["/constructor", "/cursr", "/limit"])
    })
  )

  it.effect("only after the tenant was found", () =>
    Effect.gen(function* () {
      // With parameters of their own and without.
      const some = operations.filter(({ id }) => ["flowlines.list", "conf.tree", "scan.reset"].includes(id))
      expect(some).toHaveLength(3)
      for (const described of some) {
        const { id, status } = yield* answerOf(described, pathOf(described, { nowhere: "1" }, "nobody"))
        expect([id, status]).toEqual([id, 404])
      }
    })
  )

  it.effect("as a member of a JSON body", () =>
    Effect.gen(function* () {
      const bodies = withBody.filter(({ body }) => body.type === "application/json")
      expect(bodies.map(({ described }) => described.id).sort()).toEqual([
        "channels.save",
        "extraction.extract",
        "flowlines.execute",
        "keys.create",
        "schedules.backfill",
        "schedules.put",
        "schedules.run",
        "search.search",
        "secrets.put"
      ])
      for (const { described, body } of bodies) {
        expect([described.id, body.schema.additionalProperties]).toEqual([described.id, false])
        const { 0: first = "" } = body.names
        const sent = { ...body.example, nowhere: 1, [misspelt(first)]: 1 }
        const { issues, ...answer } = yield* answerOf(described, pathOf(described, {}), {
          headers: { "content-type": "application/json" },
          body: JSON.stringify(sent)
        })
        expect(answer).toEqual({ id: described.id, status: 400 })
        expect(issues).toEqual([
          { part: "body", pointer: "/nowhere", detail: expect.stringContaining(body.names.join(", ")) },
          { part: "body", pointer: `/${misspelt(first)}`, detail: near(first) }
        ])
      }
    })
  )

  it.effect("as a part of a form", () =>
    Effect.gen(function* () {
      const forms = withBody.filter(({ body }) => body.type === "multipart/form-data")
      expect(forms).toHaveLength(10)
      for (const { described, body } of forms) {
        expect([described.id, body.schema.additionalProperties]).toEqual([described.id, false])
        const { 0: first = "" } = body.names
        for (const isFirst of [false, true]) {
          const form = formOf(isFirst ? { [misspelt(first)]: "x", ...body.example } : body.example)
          if (!isFirst) form.set(misspelt(first), "x")
          const { issues, ...answer } = yield* answerOf(described, pathOf(described, {}), { body: form })
          expect(answer).toEqual({ id: described.id, status: 400 })
          expect(issues).toEqual([{ part: misspelt(first), detail: near(first) }])
        }
      }
    })
  )
})
