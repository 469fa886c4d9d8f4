import { javascript as language } from "@codemirror/lang-javascript"
import type { Extension } from "@codemirror/state"
import { highlight } from "../../parts/highlight.ts"

/** JavaScript with syntax highlighting. */
export const javascript: Extension = [language(), highlight]
