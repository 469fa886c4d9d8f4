import { createHash } from "node:crypto"
import { describe, expect, it, layer } from "@effect/vitest"
import { Effect, type Layer, Schema } from "effect"
import { matchesWildcard } from "../../src/languages/Wildcard.ts"
import { versionKey } from "../../src/services/artifacts/VersionKey.ts"
import { gateway, memoryGateway, TestGateway } from "../support/gateway.ts"
import { seed } from "../support/random.ts"
import { ask, build, form } from "./support.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
const pick = <A>(from: ReadonlyArray<A>, at: number): A => from[at % from.length]!

/** SemVer 2.0.0, section 11, then numeric parts, then text: written apart from the product's own. */
const lower = (a: string, b: string): boolean => {
  const parse = (version: string) => {
    const match = /^v?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z.-]+))?$/.exec(version)
    if (match === null) return undefined
    return { numbers: match[1]!.split(".").map(Number), pre: match[2]?.split(".") }
  }
  const [left, right] = [parse(a), parse(b)]
  if (left === undefined || right === undefined) return left === undefined && (right !== undefined || a < b)
  for (let at = 0; at < Math.max(left.numbers.length, right.numbers.length); at++) {
    const [x = 0, y = 0] = [left.numbers[at], right.numbers[at]]
    if (x !== y) return x < y
  }
  if (left.pre === undefined || right.pre === undefined) {
    if (left.pre === right.pre) return a < b
    return left.pre !== undefined
  }
  for (let at = 0; at < Math.max(left.pre.length, right.pre.length); at++) {
    const [x, y] = [left.pre[at], right.pre[at]]
    if (x === y) continue
    if (x === undefined || y === undefined) return x === undefined
    const [n, m] = [/^\d+$/.test(x), /^\d+$/.test(y)]
    if (n && m) {
      if (Number(x) !== Number(y)) return Number(x) < Number(y)
    } else if (n !== m) return n
    else return x < y
  }
  return a < b
}

const Small = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 }))
const Part = Schema.Union([Small, Schema.Literals(["alpha", "beta", "rc", "x-1", "10", "2"])])
const Version = Schema.Struct({
  numbers: Schema.Array(Small).check(Schema.isMinLength(1), Schema.isMaxLength(4)),
  pre: Schema.Array(Part).check(Schema.isMaxLength(3)),
  word: Schema.Literals(["", "", "", "release", "abc"])
})
const written = ({ numbers, pre, word }: typeof Version.Type): string =>
  word !== "" ? `${word}${numbers[0]}` : numbers.join(".") + (pre.length === 0 ? "" : `-${pre.join(".")}`)

const compareVersions = (a: string, b: string): number =>
  versionKey(a) < versionKey(b) ? -1 : versionKey(a) > versionKey(b) ? 1 : 0

describe("the order of versions", () => {
  it.effect.prop(
    "is SemVer's, then that of numbers, then that of text",
    { a: Version, b: Version, c: Version },
    ({ a, b, c }) =>
      Effect.sync(() => {
        const versions = [a, b, c].map(written)
        for (const x of versions) {
          for (const y of versions) {
            const order = compareVersions(x, y)
            expect([x, y, Math.sign(order)]).toEqual([x, y, x === y ? 0 : lower(x, y) ? -1 : 1])
            expect(versionKey(x) === versionKey(y)).toBe(x === y)
          }
        }
        const sorted = versions.toSorted(compareVersions)
        expect(compareVersions(sorted[0]!, sorted[2]!)).toBeLessThanOrEqual(0)
      }),
    { arbitrary: { seed, runs: 200 } }
  )
})

const groups = ["a", "a.b", "a_b"]
const artifacts = ["x", "xy", "x-y"]
const versions = ["1.0.0", "1.0.0-rc.1", "1.10", "1.9", "beta"]
const names = ["n/1", "n/2", "n"]
const patterns = ["*", "a*", "?", "*_*", "x?y", "a.b", "", "**y"]
const tenants = ["mytenant", "othertenant"]

const Index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 59 }))
const Step = Schema.Struct({
  kind: Schema.Literals(["upload", "upload", "upload", "delete", "deleteAll", "copy", "move", "remove", "list"]),
  tenant: Index,
  a: Index,
  b: Index,
  c: Index
})

interface Model {
  readonly artifacts: Map<string, { group: string; artifact: string; version: string; text: string }>
  readonly stored: Map<string, Map<number, { text: string; origin: string | undefined }>>
  readonly last: Map<string, number>
}

/** What the operations come to, in plain maps. */
const step = Effect.fnUntraced(function* (models: ReadonlyMap<string, Model>, it: typeof Step.Type, run: string) {
  const { client } = yield* TestGateway
  const tenant = pick(tenants, it.tenant)
  const model = models.get(tenant)!
  const group = `${run}.${pick(groups, it.a)}`
  const artifact = pick(artifacts, it.b)
  const version = pick(versions, it.c)
  const key = `${group}:${artifact}:${version}`
  const kept = (name: string) =>
    model.stored.get(name) ?? new Map<number, { text: string; origin: string | undefined }>()
  const named = (name: string) => `${run}/${name}`
  const put = (path: string, parts: Record<string, string>) =>
    Effect.map(ask(`/v1/${tenant}/resources/${path}`, { method: "PUT", body: form(parts) }), ({ status }) => status)
  switch (it.kind) {
    case "upload": {
      const text = `text ${it.c % 2}`
      const known = model.artifacts.get(key)
      const { status } = yield* ask(`/v1/${tenant}/resources/upload`, {
        method: "PUT",
        body: build({ group, artifact, version }, text, "f")
      })
      expect([key, status]).toEqual([key, known === undefined || known.text === text ? 201 : 422])
      if (known !== undefined) return
      model.artifacts.set(key, { group, artifact, version, text })
      const name = `${group.replaceAll(".", "/")}/${artifact}/f`
      const number = (kept(name).size === 0 ? 0 : (model.last.get(name) ?? 0)) + 1
      model.last.set(name, number)
      model.stored.set(name, kept(name).set(number, { text, origin: key }))
      return
    }
    case "delete":
    case "deleteAll": {
      const chosen = [...model.artifacts].filter(
        ([, found]) =>
          found.group === group && found.artifact === artifact && (it.kind === "deleteAll" || found.version === version)
      )
      const query = `group=${group}&artifact=${artifact}${it.kind === "delete" ? `&versions=${version}` : ""}`
      const { status } = yield* ask(`/v1/${tenant}/resources/delete?${query}`, { method: "DELETE" })
      expect([query, status]).toEqual([query, chosen.length === 0 ? 404 : 200])
      for (const [gone] of chosen) {
        model.artifacts.delete(gone)
        for (const [name, found] of model.stored) {
          for (const [number, { origin }] of found) if (origin === gone) found.delete(number)
          if (found.size === 0) model.stored.delete(name)
        }
      }
      return
    }
    case "copy":
    case "move": {
      const sources = [...model.stored.keys(), named(pick(names, it.a))]
      const [from, to] = [pick(sources, it.b), named(pick(names, it.c))]
      const found = [...kept(from)].filter(([number]) => it.a % 2 === 0 || number === (it.a % 3) + 1)
      const parts = { destination: to, ...(it.a % 2 === 0 ? {} : { version: String((it.a % 3) + 1) }) }
      const there = found.some(([number]) => kept(to).has(number))
      const status = yield* put(`${it.kind}/${from}`, parts)
      expect([it.kind, from, to, status]).toEqual([it.kind, from, to, found.length === 0 ? 404 : there ? 422 : 201])
      if (status !== 201) return
      if (kept(to).size === 0) model.last.delete(to)
      const target = kept(to)
      for (const [number, { text }] of found) target.set(number, { text, origin: undefined })
      model.stored.set(to, target)
      model.last.set(to, Math.max(model.last.get(to) ?? 0, ...found.map(([number]) => number)))
      if (it.kind === "copy") return
      for (const [number] of found) kept(from).delete(number)
      if (kept(from).size === 0) model.stored.delete(from)
      return
    }
    case "remove": {
      const name = pick([...model.stored.keys(), named(pick(names, it.a))], it.b)
      const { status } = yield* ask(`/v1/${tenant}/resources/stored/${name}`, { method: "DELETE" })
      expect([name, status]).toEqual([name, model.stored.has(name) ? 200 : 404])
      model.stored.delete(name)
      return
    }
    case "list": {
      const [g, a] = [`${run}.${pick(patterns, it.a)}`, pick(patterns, it.b)]
      const all = it.c % 2 === 0
      const query = { group: g, artifact: a, ...(all ? { all: true } : {}) }
      const listed = yield* client.resources.list({ params: { tenant }, query })
      const found = [...model.artifacts.values()]
        .filter((known) => matchesWildcard(g, known.group) && matchesWildcard(a, known.artifact))
        .toSorted((x, y) =>
          x.group !== y.group
            ? x.group < y.group
              ? -1
              : 1
            : x.artifact !== y.artifact
              ? x.artifact < y.artifact
                ? -1
                : 1
              : lower(x.version, y.version)
                ? -1
                : 1
        )
        .filter(
          (known, at, sorted) =>
            all || sorted[at + 1]?.group !== known.group || sorted[at + 1]?.artifact !== known.artifact
        )
      expect(listed.map((it) => [it.group, it.artifact, it.version, it.sha256])).toEqual(
        found.map((it) => [it.group, it.artifact, it.version, sha256(it.text)])
      )
    }
  }
})

/** That the gateway and the model agree on everything that is stored. */
const agree = Effect.fnUntraced(function* (models: ReadonlyMap<string, Model>, run: string) {
  for (const [tenant, model] of models) {
    const { json } = yield* ask(`/v1/${tenant}/resources/stored`)
    const listed = (json as ReadonlyArray<{ name: string; version: number }>).filter(({ name }) => name.startsWith(run))
    expect(listed.map(({ name }) => name)).toEqual([...model.stored.keys()].toSorted())
    for (const [name, found] of model.stored) {
      const { json } = yield* ask(`/v1/${tenant}/resources/stored/${name}`)
      const { metadata } = json as { metadata: ReadonlyArray<{ version: number; size: number }> }
      expect([name, metadata.map(({ version }) => version)]).toEqual([
        name,
        [...found.keys()].toSorted((a, b) => a - b)
      ])
      for (const { version, size } of metadata) {
        const { text, headers } = yield* ask(`/v1/${tenant}/resources/content/${name}?version=${version}`)
        expect([name, version, text, size]).toEqual([name, version, found.get(version)?.text, text.length])
        expect(headers.get("etag")).toBe(`"${sha256(text)}"`)
      }
    }
  }
})

let runs = 0
const places: ReadonlyArray<readonly [where: string, made: Layer.Layer<TestGateway>, runs: number]> = [
  ["in memory", memoryGateway(), 25],
  ["on PostgreSQL", gateway(), 10]
]
for (const [where, made, count] of places) {
  layer(made, { excludeTestServices: true })(`resources ${where}`, (it) => {
    it.effect.prop(
      "are what a simple model says, whatever is done to them",
      { steps: Schema.Array(Step).check(Schema.isMinLength(5), Schema.isMaxLength(30)) },
      ({ steps }) =>
        Effect.gen(function* () {
          const run = `r${++runs}`
          const models = new Map(
            tenants.map((tenant): [string, Model] => [
              tenant,
              { artifacts: new Map(), stored: new Map(), last: new Map() }
            ])
          )
          for (const one of steps) yield* step(models, one, run)
          yield* agree(models, run)
        }),
      { arbitrary: { seed, runs: count } }
    )
  })
}
