import type { Extension } from "@codemirror/state"
import { highlight } from "./highlight.ts"

/** The languages of editors. Each is loaded on first use. */
const loads = {
  hjson: () => import("./hjson.ts").then(({ hjson }) => hjson()),
  javascript: () => import("@codemirror/lang-javascript").then(({ javascript }) => javascript()),
  json: () => import("@codemirror/lang-json").then(({ json }) => json()),
  sql: () => import("@codemirror/lang-sql").then(({ sql }) => sql()),
  yaml: () => import("@codemirror/lang-yaml").then(({ yaml }) => yaml())
}

export type Language = keyof typeof loads

/** A language with its colours, for the `extensions` of an editor. */
export const languageOf = async (name: Language): Promise<Extension> => [await loads[name](), highlight]
