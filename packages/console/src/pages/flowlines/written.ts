import { block, quoted } from "../../parts/yamlText.ts"
import { isObject } from "./schema.ts"

// The forms show values as YAML before the package `yaml` is loaded.

/** Texts that need no quotes: they have no signs of YAML, and are neither numbers nor names of other values. */
const isPlain = (text: string): boolean =>
  /^[\w/\\$^(\u00c0-\u024f](?:[\u0021-\u007e\u00a1-\u2027\u202a-\ud7ff\ue000-\ufefe]| (?!#|$))*$/.test(text) &&
  !/:(?: |$)/.test(text) &&
  !/^(?:true|false|null)$/i.test(text) &&
  Number.isNaN(Number(text))

const infinite = (value: number): string => (Number.isNaN(value) ? ".nan" : value > 0 ? ".inf" : "-.inf")

const scalar = (value: unknown, indent: string): string => {
  if (typeof value === "number" && !Number.isFinite(value)) return infinite(value)
  if (typeof value !== "string") return String(value)
  if (isPlain(value)) return value
  return value.includes("\n") && !value.endsWith("\n") ? block(value, indent) : quoted(value)
}

const isNested = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0

/** A value in YAML, each of its parts on a line of its own. All lines but the first have the indentation. */
export const written = (value: unknown, indent = ""): string => {
  const deeper = `${indent}  `
  const next = `\n${indent}`
  if (Array.isArray(value)) {
    return value.length === 0 ? "[]" : value.map((one) => `- ${written(one, deeper)}`).join(next)
  }
  if (!isObject(value)) return scalar(value, indent)
  const members = Object.entries(value).map(
    ([name, one]) =>
      `${isPlain(name) ? name : quoted(name)}:${isNested(one) ? `\n${deeper}` : " "}${written(one, deeper)}`
  )
  return members.length === 0 ? "{}" : members.join(next)
}
