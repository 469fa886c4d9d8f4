import { parse } from "yaml"
import { formatsOf } from "./formats.ts"
import { flowlineOf } from "./fromTester.ts"
import { hjson, json } from "./hjson.ts"
import type { Notation } from "./Notation.ts"
import { addedNode, renamed, type Tools } from "./textEdits.ts"
import { yaml } from "./yaml.ts"

const notations = { yaml, json, hjson }

/** The first one in which a text has no faults, else the likeliest. */
const notationOf: Tools["notationOf"] = (text, filename): Notation => {
  const [likeliest, ...others] = formatsOf(text, filename)
  const isFine = (format: Notation["format"]) => notations[format].read(text).faults.length === 0
  const found = others.length === 0 ? likeliest : [likeliest, ...others].find(isFine)
  return notations[found ?? likeliest]
}

/** All that reads and edits texts on the page of a flowline. */
export const yamlTools = { notationOf, renamed, addedNode, parse, flowlineOf }
