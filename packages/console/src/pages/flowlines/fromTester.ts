import type { FromTester } from "./examples.ts"
import { listItem } from "./yamlEdits.ts"

/** Lines of a test that go into the flowline that is made of it. */
const mostLines = 20

/** A flowline of a test: its lines, its node, and an output that shows what comes of them. */
export const flowlineOf = ({ node, type, lines }: FromTester): string => {
  const messages = lines.filter((line) => line !== "").slice(0, mostLines)
  const input = {
    type: "generator_input",
    component: "input",
    settings: { count: Math.max(1, messages.length), messages: messages.length === 0 ? [""] : messages },
    publish: [{ stream: "lines" }]
  }
  const output = { type: "show", subscribe: [{ component: type, stream: "parsed" }] }
  const indented = node
    .trimEnd()
    .split("\n")
    .map((line) => (line === "" ? "" : `  ${line}`))
    .join("\n")
  return `version: "1.0"\ntype: flowline\nname: from-a-test\nruntime: stream\ndag:\n${listItem(input, 2)}${indented}\n${listItem(output, 2)}`
}
