import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { validate } from "../../src/services/flowlines/validation/Validation.ts"

const input = { type: "file_input", settings: { path: "a.log" }, publish: [{ stream: "s" }] }
const grok = {
  type: "grok",
  settings: { patterns: ["%{WORD:w}"] },
  subscribe: [{ component: "file_input", stream: "s" }],
  publish: [{ stream: "s" }]
}
const show = (from: string) => ({ type: "show", subscribe: [{ component: from, stream: "s" }] })

const faults = (dag: ReadonlyArray<unknown>, parallelism: unknown = 2, runtime = "stream") => {
  const found = validate({ runtime, settings: { parallelism }, dag })
  return Result.isFailure(found) ? found.failure.map(({ path, detail }) => [path.join("/"), detail]) : []
}

describe("parallelism", () => {
  it("is an integer from 1 to 64", () => {
    expect(faults([input, grok, show("grok")])).toEqual([])
    expect(faults([input, grok, show("grok")], 64)).toEqual([])
    for (const wrong of [0, 65, 1.5, "2"]) {
      expect(faults([input, grok, show("grok")], wrong).map(([path]) => path)).toEqual(["settings/parallelism"])
    }
  })

  it("is refused where nothing would run in parallel", () => {
    const refused = (dag: ReadonlyArray<unknown>, runtime?: string) => {
      expect(faults(dag, 1, runtime)).toEqual([])
      const [fault, ...more] = faults(dag, 2, runtime)
      expect(more).toEqual([])
      expect(fault?.[0]).toBe("settings/parallelism")
      return fault?.[1]
    }
    expect(refused([input, show("file_input")], "analytics")).toContain("Only stream")
    expect(refused([input, show("file_input")])).toContain("no stateless node")
    const follow = { ...input, settings: { path: "a.log", follow: true } }
    expect(refused([follow, grok, show("grok")])).toContain("Followed")
    const generator = { type: "generator_input", settings: { messages: ["a"] }, publish: [{ stream: "s" }] }
    expect(refused([generator, show("generator_input")])).toContain("one input, a file_input")
    expect(refused([input, grok, show("grok"), generator])).toContain("one input, a file_input")
    const limit = { ...grok, type: "rate_limit", settings: { records_per_second: 5 } }
    const behind = { ...grok, subscribe: [{ component: "rate_limit", stream: "s" }] }
    expect(refused([input, limit, behind, show("grok")])).toContain("no stateless node")
  })
})
