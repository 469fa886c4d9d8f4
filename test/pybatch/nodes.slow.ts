import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { ended, flowlineForm, gateway, raw, TestGateway, temporaryFolder } from "../support/gateway.ts"
import { site, temporary } from "../support/process-gateway.ts"
import { hasPython } from "./support.ts"

class Nodes extends Context.Service<Nodes, { readonly write: (tenant: string, name: string, text: string) => void }>()(
  "test/pybatch/Nodes"
) {}

const withNodes = Layer.unwrap(
  Effect.gen(function* () {
    const conf = yield* temporaryFolder
    const write = (tenant: string, name: string, text: string) => {
      mkdirSync(join(conf, "tenants", tenant, "nodes"), { recursive: true })
      writeFileSync(join(conf, "tenants", tenant, "nodes", name), text)
    }
    write(
      "one",
      "greet.py",
      'from flow import Node\nclass Greet(Node):\n    """Greets."""\n    name: str\n    times: int = 1\n    def execute(self, rows):\n        return rows\n'
    )
    write("one", "broken.py", "from flow import Node\nclass Broken(Node:\n    pass\n")
    write(
      "one",
      "twice.py",
      "from flow import Node\nclass Greet(Node):\n    def execute(self, rows):\n        return rows\nclass Show(Node):\n    def execute(self, rows):\n        return rows\n"
    )
    write("one", "runs.py", 'raise SystemExit("a scan must not run this")\n')
    write("one", "large.py", `# ${"x".repeat(1024 * 1024)}\n`)
    write(
      "two",
      "other.py",
      "from flow import Node\nclass Other(Node):\n    def execute(self, rows):\n        return rows\n"
    )
    return Layer.merge(gateway({ conf }), Layer.succeed(Nodes, { write }))
  })
).pipe(Layer.orDie)

const flowline = (type: string, settings: object) =>
  JSON.stringify({
    runtime: "pybatch",
    dag: [
      { type: "dataset_generator", settings: { rows: [{ a: 1 }] }, publish: [{ stream: "rows" }] },
      {
        type,
        settings,
        subscribe: [{ component: "dataset_generator", stream: "rows" }],
        publish: [{ stream: "rows" }]
      },
      { type: "show", subscribe: [{ component: type, stream: "rows" }] }
    ]
  })

const own = (tenant: string) =>
  Effect.flatMap(TestGateway, ({ client }) =>
    Effect.map(client.scan.pybatch({ params: { tenant } }), (nodes) =>
      nodes.filter(({ source }) => source !== "builtin")
    )
  )

describe.skipIf(!hasPython)("Python nodes of a tenant", () => {
  layer(withNodes, { excludeTestServices: true })((it) => {
    it.effect("are scanned from their syntax, with an entry for every file that cannot be", () =>
      Effect.gen(function* () {
        const nodes = yield* own("one")
        expect(nodes.map(({ type, error }) => [type, error])).toEqual([
          ["nodes/broken.py", { message: expect.any(String), line: 2 }],
          ["greet", undefined],
          ["nodes/twice.py", { message: "greet is already a node of nodes/greet.py", line: 2 }],
          ["nodes/twice.py", { message: "show is already a node of the catalogue", line: 5 }],
          ["nodes/large.py", { message: expect.stringContaining("larger than") }]
        ])
        expect(nodes[1]).toMatchObject({
          kind: "processing",
          description: "Greets.",
          runtimes: ["pybatch"],
          settings: {
            properties: { name: { type: "string" }, times: { type: "integer", default: 1 } },
            required: ["name"],
            additionalProperties: false
          }
        })
        expect((yield* own("two")).map(({ type }) => type)).toEqual(["other"])
      })
    )

    it.effect("are known to validation, each to its tenant only", () =>
      Effect.gen(function* () {
        const { client } = yield* TestGateway
        const issuesOf = (tenant: string, text: string) =>
          Effect.map(
            Effect.flip(client.flowlines.executeOnce({ params: { tenant }, payload: flowlineForm(text, "f.json") })),
            (error) => ("issues" in error ? error.issues : [])
          )
        expect(yield* issuesOf("one", flowline("greet", { times: "often", nmae: "x" }))).toMatchObject([
          { pointer: "/dag/1/settings", detail: 'The setting "name" is required' },
          { pointer: "/dag/1/settings/times", detail: "Expected integer, found string" },
          { pointer: "/dag/1/settings/nmae", detail: 'There is no "nmae" here; did you mean "name"?' }
        ])
        expect(yield* issuesOf("two", flowline("greet", { name: "x" }))).toMatchObject([
          { pointer: "/dag/1/type", detail: expect.stringContaining('There is no node "greet"') }
        ])
        expect(yield* issuesOf("one", flowline("brokem", {}))).toMatchObject([
          { pointer: "/dag/1/type", detail: expect.stringContaining("nodes/broken.py, line 2") }
        ])
        const { id } = yield* client.flowlines.executeOnce({
          params: { tenant: "one" },
          payload: flowlineForm(flowline("greet", { name: "x" }), "f.json")
        })
        expect(yield* ended("one", id.slice(0, id.lastIndexOf("-")), id)).toMatchObject({ state: "SUCCEEDED" })
      })
    )

    it.effect("are seen anew when a file changes", () =>
      Effect.gen(function* () {
        const { write } = yield* Nodes
        write(
          "two",
          "new.py",
          "from flow import Node\nclass New(Node):\n    def execute(self, rows):\n        return rows\n"
        )
        expect((yield* own("two")).map(({ type }) => type)).toEqual(["new", "other"])
        expect((yield* raw("/v1/two/flowline/scan/reset", { method: "DELETE" })).status).toBe(200)
        expect((yield* own("two")).map(({ type }) => type)).toEqual(["new", "other"])
      })
    )
  })
})

describe("without a Python that is new enough", () => {
  it.effect("the scan says so, a save warns, and an execution fails clearly", () =>
    Effect.gen(function* () {
      const stubs = yield* temporary
      for (const name of ["python3", "python"]) {
        writeFileSync(join(stubs, name), "#!/bin/sh\necho 3.8.20\n")
        chmodSync(join(stubs, name), 0o755)
      }
      const here = yield* site({ variables: { PATH: `${stubs}:${process.env["PATH"]}` } })
      const running = yield* Effect.promise(() => here.start())
      const base = `http://127.0.0.1:${running.port}/v1/mytenant/flowline`
      const send = <A>(path: string, method = "GET", body?: FormData) =>
        Effect.promise(async () => {
          const answer = await fetch(base + path, { method, ...(body === undefined ? {} : { body }) })
          expect([path, answer.status]).toEqual([path, 200])
          return (await answer.json()) as A
        })
      const scanned = yield* send<ReadonlyArray<object>>("/scan/pybatch")
      expect(scanned.at(-1)).toMatchObject({
        type: "python3",
        error: { message: expect.stringContaining("Python 3.9 or newer") }
      })
      const saved = yield* send<{ readonly id: string }>(
        "/save",
        "POST",
        flowlineForm(flowline("greet", { name: "x" }), "f.json")
      )
      expect(saved).toMatchObject({ warnings: [expect.stringContaining("Python 3.9 or newer")] })
      const { id } = yield* send<{ readonly id: string }>(`/${saved.id}`, "POST")
      const detail = yield* Effect.promise(async () => {
        for (;;) {
          const answer = (await (await fetch(`${base}/${saved.id}/executions/${id}`)).json()) as { endedAt: unknown }
          if (answer.endedAt !== null) return answer
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
      })
      expect(detail).toMatchObject({
        state: "FAILED",
        error: expect.stringContaining("Python 3.9 or newer is not installed")
      })
    })
  )
})
