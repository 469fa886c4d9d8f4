import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { upload } from "../resources/support.ts"
import { ended, flowlineForm, onBoth, TestGateway } from "../support/gateway.ts"
import { hasPython } from "./support.ts"

const source = (factor: number) => `
from flow import Node
class Times(Node):
    """Multiplies by ${factor}."""
    def execute(self, rows):
        for row in rows:
            yield {"n": row["n"] * ${factor}}
`

const flowline = (resources?: ReadonlyArray<string>) =>
  JSON.stringify({
    runtime: "pybatch",
    settings: resources === undefined ? {} : { resources },
    dag: [
      { type: "dataset_generator", settings: { rows: [{ n: 1 }] }, publish: [{ stream: "rows" }] },
      { type: "times", subscribe: [{ component: "dataset_generator", stream: "rows" }], publish: [{ stream: "rows" }] },
      { type: "show", subscribe: [{ component: "times", stream: "rows" }] }
    ]
  })

const printed = (tenant: string, text: string) =>
  Effect.gen(function* () {
    const { client } = yield* TestGateway
    const { id } = yield* client.flowlines.executeOnce({ params: { tenant }, payload: flowlineForm(text, "f.json") })
    const detail = yield* ended(tenant, id.slice(0, id.lastIndexOf("-")), id)
    const { lines } = yield* client.executions.output({ params: { tenant, id }, query: {} })
    return [detail.state, detail.error, lines.map(({ text }) => text)]
  })

describe.skipIf(!hasPython)("Python nodes among a tenant's artifacts", () => {
  onBoth("PYTHON_NODE artifacts", (it) => {
    it.effect("are scanned, validated and run in their latest version, or in the one that a flowline names", () =>
      Effect.gen(function* () {
        const { client } = yield* TestGateway
        const tenant = "mytenant"
        const own = Effect.map(client.scan.pybatch({ params: { tenant } }), (nodes) =>
          nodes.flatMap(({ type, source, description, error }) =>
            type === "times" || error !== undefined ? [[source, description ?? error?.message]] : []
          )
        )
        const version = (name: string, text: string) =>
          upload({ group: "org.example", artifact: "times", version: name, type: "PYTHON_NODE" }, text, "times.py")
        expect(yield* own).toEqual([])
        yield* version("1.0.0", source(10))
        expect(yield* own).toEqual([["PYTHON_NODE:org.example:times:1.0.0", "Multiplies by 10."]])
        expect(yield* printed(tenant, flowline())).toEqual(["SUCCEEDED", null, ['{"n":10}']])
        yield* version("2.0.0", source(20))
        expect(yield* own).toEqual([["PYTHON_NODE:org.example:times:2.0.0", "Multiplies by 20."]])
        expect(yield* printed(tenant, flowline())).toEqual(["SUCCEEDED", null, ['{"n":20}']])
        expect(yield* printed(tenant, flowline(["PYTHON_NODE:org.example:times:1.0.0"]))).toEqual([
          "SUCCEEDED",
          null,
          ['{"n":10}']
        ])
        const [state, error] = yield* printed(tenant, flowline(["PYTHON_NODE:org.example:times:9"]))
        expect([state, error]).toEqual(["FAILED", expect.stringContaining("PYTHON_NODE:org.example:times:9")])
        yield* version("3.0.0", "class Broken(:\n")
        expect((yield* own)[0]).toEqual(["PYTHON_NODE:org.example:times:3.0.0", expect.any(String)])
        const theirs = yield* Effect.flip(
          client.flowlines.executeOnce({
            params: { tenant: "othertenant" },
            payload: flowlineForm(flowline(), "f.json")
          })
        )
        expect(theirs._tag).toBe("BadRequest")
      })
    )
  })
})
