import { Result, Schema } from "effect"
import { expect } from "vitest"
import { schemaFaults } from "../../src/languages/SchemaFaults.ts"
import { checkSettings } from "../../src/nodes/Checks.ts"
import type { Event, NodeType } from "../../src/nodes/Node.ts"
import { process } from "./memory.ts"

/** A node's results for events, where a text stands for a message: its records, and the reasons of its failures. */
export const of = async (node: NodeType, settings: Record<string, unknown>, events: ReadonlyArray<unknown>) => {
  const records = events.map((event) => (typeof event === "string" ? { message: event } : event) as Event)
  const before = JSON.stringify(records)
  const streams = await process(node, settings, [records])
  // Others may have received the same records.
  expect(JSON.stringify(records)).toBe(before)
  const errors = (streams.get("errors") ?? []).map((event) => (event["error"] as { reason: string }).reason)
  return { records: streams.get("*") ?? [], errors }
}
/** What a node adds to a message, or why it fails. */
export const fields = async (node: NodeType, settings: Record<string, unknown>, text: string) => {
  const { records, errors } = await of(node, settings, [text])
  const [{ message: _, ...found } = {}] = records as ReadonlyArray<Event>
  return errors.length > 0 ? errors[0] : found
}
/** The paths of faulty settings: values alone, and then the others together. */
export const issues = (node: NodeType, settings: Record<string, unknown>) => {
  const decode = Schema.decodeUnknownResult(node.settings, { errors: "all", onExcessProperty: "error" })
  const first = decode(settings)
  const faults = Result.isFailure(first) ? schemaFaults(first.failure.issue) : []
  const faulty = new Set(faults.map(({ path }) => path[0]))
  const sound = decode(Object.fromEntries(Object.entries(settings).filter(([name]) => !faulty.has(name))))
  const found = Result.isFailure(sound) ? [] : checkSettings(node, sound.success, {})
  return [...faults, ...found].map(({ path }) => path.join("/"))
}
