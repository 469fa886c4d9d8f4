import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { tenant, upload } from "../resources/support.ts"
import { gateway, TestGateway } from "../support/gateway.ts"
import { tenantOf } from "../support/runs.ts"

const ran = (dag: string) =>
  Effect.gen(function* () {
    const { url } = yield* TestGateway
    const api = tenantOf(url, tenant)
    return yield* Effect.promise(async () => {
      const id = await api.run(`runtime: stream\ndag:\n${dag}`)
      const { state, error } = await api.ended(id)
      const { lines } = await api.get<{ lines: ReadonlyArray<{ text: string }> }>(`flowline/executions/${id}/output`)
      return { state, error, records: lines.map(({ text }) => JSON.parse(text)) }
    })
  })

const records = (messages: ReadonlyArray<object>, count = messages.length) => `
  - type: generator_input
    settings: { messages: ${JSON.stringify(messages)}, count: ${count}, rate: 1000000 }
    publish: [ { stream: out } ]`

const enriching = (messages: ReadonlyArray<object>, settings: object) =>
  ran(`${records(messages)}
  - type: enrich
    settings: ${JSON.stringify({ field: "host", target: "found", ...settings })}
    subscribe: [ { component: generator_input, stream: out } ]
    publish: [ { stream: enriched }, { stream: errors } ]
  - { type: show, settings: { format: json, limit: 100000 }, subscribe: [ { component: enrich, stream: enriched } ] }
  - { type: show, component: failed, settings: { format: json }, subscribe: [ { component: enrich, stream: errors } ] }`)

layer(gateway(), { excludeTestServices: true })("enrich", (it) => {
  it.effect("looks values up in an index, also more than one search takes", () =>
    Effect.gen(function* () {
      const hosts = Array.from({ length: 1200 }, (_, n) => ({ name: `h${n}`, owner: { team: `t${n % 7}` }, n }))
      const index = `${tenant}-hosts`
      const wrote = yield* ran(`${records([...hosts, { name: ["h1", "x", "y"], owner: { team: "list" }, n: "n" }])}
  - type: search_output
    settings: { index: ${index} }
    subscribe: [ { component: generator_input, stream: out } ]`)
      assert.deepInclude(wrote, { state: "SUCCEEDED", error: null })
      const asked = [...hosts.map(({ name }) => ({ host: name })), { host: "x" }, { host: "none" }, { host: null }, {}]
      const given = { index, key: "name", columns: ["owner.team"], on_missing: "errors" }
      for (const cache_bytes of [16_777_216, 0]) {
        const { state, records } = yield* enriching(asked, { ...given, cache_bytes })
        assert.strictEqual(state, "SUCCEEDED")
        const found = new Map(
          records.map((record) => [record.host, record.found?.["owner.team"] ?? record.error?.reason])
        )
        assert.deepStrictEqual([records.length, found.size], [1204, 1204])
        for (const { name, owner } of hosts) assert.strictEqual(found.get(name), owner.team)
        assert.strictEqual(found.get("x"), "list")
        for (const none of ["none", null])
          assert.strictEqual(found.get(none), "the table has no row for the field host")
      }
      const whole = yield* enriching([{ host: "h5" }], { index, key: "name" })
      assert.deepStrictEqual(whole.records, [{ host: "h5", found: { owner: { team: "t5" }, n: 5 } }])
      for (const [wrong, error] of [
        [{ key: "nam" }, 'There is no "nam" among the fields of '],
        [{ key: "name", columns: ["owner.taem"] }, 'There is no "owner.taem" among the fields of '],
        [{ key: "name", index: `${tenant}-nothing` }, `There is no index ${tenant}-nothing`]
      ] as const) {
        const refused = yield* enriching([{ host: "h1" }], { index, ...wrong })
        assert.include(refused.error ?? "", error)
      }
    })
  )

  it.effect("looks values up in the build of an artifact, the version that is named or the latest", () =>
    Effect.gen(function* () {
      for (const version of ["1.0.0", "1.1.0"]) {
        yield* upload({ artifact: "sites", version }, `host,site\na,${version}\n`, "sites.csv")
      }
      for (const [version, site] of [
        ["1.0.0", "1.0.0"],
        ["latest", "1.1.0"]
      ] as const) {
        const { records } = yield* enriching([{ host: "a" }], {
          resource: `FILE:org.example:sites:${version}`,
          key: "host"
        })
        assert.deepStrictEqual(records, [{ host: "a", found: { site } }])
      }
    })
  )
})
