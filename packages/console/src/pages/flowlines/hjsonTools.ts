import { formatsOf } from "./formats.ts"
import { hjson, json } from "./hjson.ts"
import { addedNode, renamed, type Tools } from "./textEdits.ts"

/** What reads and edits HJSON and JSON on the page of a flowline. */
export const hjsonTools: Tools = {
  notationOf: (text, filename) => (formatsOf(text, filename)[0] === "json" ? json : hjson),
  renamed,
  addedNode
}
