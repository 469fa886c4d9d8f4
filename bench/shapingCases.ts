import type { Event } from "../src/nodes/Node.ts"
import { fractionOf } from "../src/nodes/processing/sample/Hash.ts"

/** A node, its records, and a hand-written loop that produces the same result. */
export interface Case {
  readonly name: string
  readonly type: string
  readonly settings: Record<string, unknown>
  /** Files that the node reads at its start, by path. */
  readonly files?: Readonly<Record<string, Uint8Array>>
  readonly record: (at: number) => Event
  readonly byHand: (event: Event) => Event | undefined
}

const deduplicating = () => {
  const seen = new Set<unknown>()
  return (event: Event) => {
    if (seen.has(event["host"])) return undefined
    seen.add(event["host"])
    return event
  }
}

const everyTenth = () => {
  let count = 0
  return (event: Event) => (count++ % 10 === 0 ? event : undefined)
}

/** The nodes that change the shape of records. */
export const shapingCases: ReadonlyArray<Case> = [
  {
    name: "mutate, 5 operations",
    type: "mutate",
    settings: {
      operations: [
        { rename: { clientip: "client" } },
        { convert: { bytes: "integer" } },
        { lowercase: ["verb"] },
        { set: { kind: "access" } },
        { remove: ["message"] }
      ]
    },
    record: (at) => ({
      message: `line ${at}`,
      clientip: `10.0.0.${at % 255}`,
      verb: "GET",
      bytes: String(at),
      response: "200"
    }),
    byHand: (event) => {
      const { message: _, clientip, ...rest } = event
      const verb = String(event["verb"]).toLowerCase()
      return { ...rest, client: clientip, bytes: Number.parseInt(String(event["bytes"]), 10), verb, kind: "access" }
    }
  },
  {
    name: "mutate, split, trim and replace",
    type: "mutate",
    settings: {
      operations: [
        { split: { tags: "," } },
        { trim: ["tags"] },
        { replace: { fields: ["path"], pattern: "/\\d+", with: "/:id" } }
      ]
    },
    record: (at) => ({ tags: `a, b${at % 9}, c`, path: `/items/${at}/parts/${at % 7}`, at }),
    byHand: (event) => ({
      ...event,
      tags: String(event["tags"])
        .split(",")
        .map((tag) => tag.trim()),
      path: String(event["path"]).replace(/\/\d+/gu, "/:id")
    })
  },
  {
    name: "deduplicate, one key of 10 000",
    type: "deduplicate",
    settings: { key: ["host"] },
    record: (at) => ({ host: `web-${(at * 7919) % 10_000}`, at }),
    byHand: deduplicating()
  },
  {
    name: "sample, every tenth",
    type: "sample",
    settings: { every: 10 },
    record: (at) => ({ host: `web-${at % 999}`, at }),
    byHand: everyTenth()
  },
  {
    name: "sample, a tenth of the keys, with weight",
    type: "sample",
    settings: { probability: 0.1, key: ["host"], weight_field: "weight" },
    record: (at) => ({ host: `web-${at % 999}`, at }),
    byHand: (event) => (fractionOf(String(event["host"]), 0) < 0.1 ? { ...event, weight: 10 } : undefined)
  },
  {
    name: "pii, addresses redacted in a line",
    type: "pii",
    settings: { action: "redact", fields: ["message"], detect: ["email", "ipv4"] },
    record: (at) => ({ message: `login of user${at}@example.org from 10.0.0.${at % 255} took ${at % 99} ms`, at }),
    byHand: (event) => ({
      ...event,
      message: String(event["message"])
        .replace(/[\w.%+-]+@[\w.-]+\.[a-z]{2,}/gi, "[redacted]")
        .replace(/\b(?:\d{1,3}\.){3}\d{1,3}\b/g, "[redacted]")
    })
  }
]
