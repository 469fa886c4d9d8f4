import { readFileSync } from "node:fs"
import { Predicate } from "effect"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { catalogue } from "../../src/nodes/Catalogue.ts"
import type { Event } from "../../src/nodes/Node.ts"
import { operationNames } from "../../src/nodes/processing/mutate/Operations.ts"
import { issues, of } from "./one.ts"

const guide = readFileSync(new URL("../../docs/nodes-shaping.md", import.meta.url), "utf8")

/** The examples of the guide: a title, a node, its records, and the results. */
const examples = guide
  .split("\n#### ")
  .slice(1)
  .map((text) => {
    const block = (language: string) => new RegExp(`\`\`\`${language}\n([^]*?)\n\`\`\``).exec(text)?.[1] ?? ""
    return {
      title: text.split("\n")[0] ?? "",
      ...(parse(block("yaml")) as { readonly type: string; readonly settings: Record<string, unknown> }),
      events: block("ndjson")
        .split("\n")
        .map((line) => JSON.parse(line) as Event),
      outcomes: JSON.parse(block("json")) as ReadonlyArray<unknown>
    }
  })

describe("the guide of shaping nodes", () => {
  for (const { title, type, settings, events, outcomes } of examples) {
    it(`${type}: ${title}`, async () => {
      const node = catalogue.get(type)!
      expect(issues(node, settings)).toEqual([])
      const { records, errors } = await of(node, settings, events)
      expect(errors).toEqual(outcomes.filter(Predicate.isString))
      expect(records).toEqual(outcomes.filter((outcome) => !Predicate.isString(outcome)))
    })
  }

  it("shows every operation of mutate", () => {
    const shown = examples
      .filter(({ type }) => type === "mutate")
      .flatMap(({ settings }) => settings["operations"] as ReadonlyArray<object>)
      .flatMap((operation) => Object.keys(operation))
    expect([...new Set(shown)].sort()).toEqual([...operationNames, "where"].sort())
  })
})
