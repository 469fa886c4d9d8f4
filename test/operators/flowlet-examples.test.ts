import { readFileSync } from "node:fs"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { memoryGateway } from "../support/gateway.ts"
import { test } from "./testerServer.ts"

const guide = readFileSync(new URL("../../docs/flowlet-examples.md", import.meta.url), "utf8")

/** The examples of the guide: a title, a program, its input, and its results. */
const examples = guide
  .split("\n## ")
  .slice(1)
  .map((text): readonly [string, string, string, unknown] => {
    const block = (language: string) => new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(text)?.[1] ?? ""
    return [text.split("\n")[0] ?? "", block("js"), block("ndjson"), JSON.parse(block("json"))]
  })

layer(memoryGateway(), { excludeTestServices: true })("the guide's examples", (it) => {
  it.effect("are ten", () => Effect.sync(() => expect(examples).toHaveLength(10)))

  it.effect.each(examples)("%s", ([, logFile, input, expected]) =>
    Effect.gen(function* () {
      const { results } = yield* test("flowlet", { input, logFile })
      expect(results.map(({ output, failure }) => output ?? failure?.reason)).toEqual(expected)
    })
  )
})
