import { formatsOf } from "./formats.ts"
import { type Late, late } from "./late.ts"
import type { Notation } from "./Notation.ts"
import type { Tools } from "./textEdits.ts"

/**
 * What reads and edits texts: with the package `yaml`, a tenth of the page. A flowline that nobody has changed is shown
 * without it, as the gateway knows what its text says.
 */
export const yamlTools = late(() => import("./yamlTools.ts").then(({ yamlTools }) => yamlTools))

const hjsonTools = late(() => import("./hjsonTools.ts").then(({ hjsonTools }) => hjsonTools))

/** What a text needs: if it is surely no YAML, all but that. */
export const toolsFor = (text: string, filename: string | null | undefined): Late<Tools> =>
  formatsOf(text, filename).includes("yaml") ? yamlTools : hjsonTools

/** Does something with the tools and the notation of a text: at once if they are loaded. The text is that of then. */
export const edit = (
  textOf: () => string,
  filename: string | null | undefined,
  run: (text: string, notation: Notation, tools: Tools) => void
): void =>
  toolsFor(textOf(), filename).use((tools) => {
    const text = textOf()
    run(text, tools.notationOf(text, filename), tools)
  })
