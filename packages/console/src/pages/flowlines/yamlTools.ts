import { parse } from "yaml"
import { readFlowlineText } from "../../parts/dag/FlowlineText.ts"
import { edited } from "./edits.ts"
import { pathAt } from "./place.ts"
import { addedNode, flowlineOf, renamed } from "./textEdits.ts"

/** All that reads and edits YAML on the page of a flowline. */
export const yamlTools = { parse, readFlowlineText, pathAt, edited, renamed, addedNode, flowlineOf }
