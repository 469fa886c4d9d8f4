import { block, quoted } from "../../parts/yamlText.ts"
import type { Draft } from "./Draft.ts"

const patternsOf = (text: string): ReadonlyArray<string> =>
  text.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#"))

/** The draft as a node for the `dag` of a flowline. */
export const nodeYaml = ({ operator, texts, definitions, ecs, separator }: Draft): string => {
  const lines = [`- type: ${operator}`, "  settings:"]
  if (operator === "grok") {
    lines.push("    patterns:", ...patternsOf(texts.grok).map((pattern) => `      - ${quoted(pattern)}`))
  } else if (operator === "dissect") {
    // The node takes a single pattern; the tester uses the first one.
    lines.push(`    pattern: ${quoted(patternsOf(texts.dissect)[0] ?? "")}`)
    if (separator !== "") lines.push(`    append_separator: ${quoted(separator)}`)
  } else lines.push(`    code: ${block(texts.flowlet, "      ")}`)
  if (operator !== "dissect") {
    if (definitions.trim() !== "") lines.push(`    definitions: ${block(definitions, "      ")}`)
    if (ecs) lines.push("    ecs_compatibility: v1")
  }
  return `${[...lines, "  subscribe: [ { component: input, stream: lines } ]", "  publish: [ { stream: parsed } ]"].join("\n")}\n`
}
