import { HighlightStyle, syntaxHighlighting } from "@codemirror/language"
import type { Extension } from "@codemirror/state"
import { tags } from "@lezer/highlight"

/** Syntax colours of editors, for the light and the dark scheme. */
export const highlight: Extension = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.keyword, color: "light-dark(#7a2fa3, #d3a2f2)" },
    { tag: [tags.string, tags.regexp], color: "var(--good)" },
    { tag: tags.comment, color: "var(--dim)", fontStyle: "italic" },
    { tag: [tags.number, tags.bool, tags.null], color: "var(--warn)" },
    {
      tag: [tags.function(tags.variableName), tags.propertyName, tags.definition(tags.propertyName)],
      color: "var(--accent)"
    }
  ])
)
