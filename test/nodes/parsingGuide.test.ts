import { readFileSync } from "node:fs"
import { Predicate } from "effect"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { catalogue } from "../../src/nodes/Catalogue.ts"
import type { Event } from "../../src/nodes/Node.ts"
import { issues, of } from "./one.ts"
import { settingsSchema } from "./reference.ts"

const guide = readFileSync(new URL("../../docs/nodes-parsing.md", import.meta.url), "utf8")

interface Example {
  readonly title: string
  readonly type: string
  readonly settings: Record<string, unknown>
  readonly events: ReadonlyArray<Event>
  readonly outcomes: ReadonlyArray<unknown>
}

/** The examples of the guide: a title, a node, its records, and the results. */
const examples = guide
  .split("\n#### ")
  .slice(1)
  .map((text): Example => {
    const block = (language: string) => new RegExp(`\`\`\`${language}\n([^]*?)\n\`\`\``).exec(text)?.[1]
    const lines = (block("ndjson") ?? block("text") ?? "").split("\n")
    const isJson = block("ndjson") !== undefined
    return {
      title: text.split("\n")[0] ?? "",
      ...parse(block("yaml") ?? ""),
      events: lines.map((line) => (isJson ? JSON.parse(line) : { message: line })),
      outcomes: JSON.parse(block("json") ?? "")
    }
  })

/** The members of a record that its event did not have, or not like this. */
const added = (record: Event, event: Event): Event =>
  Object.fromEntries(Object.entries(record).filter(([key, value]) => !(key in event) || value !== event[key]))

describe("the guide of parsing nodes", () => {
  for (const { title, type, settings, events, outcomes } of examples) {
    it(`${type}: ${title}`, async () => {
      const node = catalogue.get(type)!
      expect(issues(node, settings)).toEqual([])
      const { records, errors } = await of(node, settings, events)
      const reasons = outcomes.filter(Predicate.isString)
      const isTold = (record: Event) =>
        events.find((event) => Object.keys(event).every((key) => record[key] === event[key]))
      expect(errors).toEqual(reasons)
      expect(records.map((record) => added(record, isTold(record) ?? {}))).toEqual(
        outcomes.filter((outcome) => !Predicate.isString(outcome))
      )
    })
  }

  for (const type of ["kv", "csv", "date"]) {
    it(`has an example of every setting of ${type}`, () => {
      const common = ["field", "target", "ignore_missing", "add_field", "remove_field", "add_tag", "remove_tag"]
      const shown = examples.flatMap((one) =>
        Object.keys(one.settings).filter((name) => one.type === type || common.includes(name))
      )
      const names = Object.keys(settingsSchema(catalogue.get(type)!).properties ?? {})
      expect(names.filter((name) => !shown.includes(name))).toEqual([])
    })
  }
})
