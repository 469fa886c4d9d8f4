import { form } from "@flow-gateway/client/light"
import { answering, gateway } from "../../app/gateway.ts"
import { type Bank, bankOf } from "./Bank.ts"

/** The selection in the samples, with the text before and after it in its line. */
export interface Selected {
  readonly text: string
  readonly before: string
  readonly after: string
}

/** UTF-16 units up to which patterns are looked up for a selection. */
export const longestSelection = 500

/** General patterns come last, because they say least about the text. */
const general = ["NUMBER", "BASE10NUM", "WORD", "USERNAME", "NOTSPACE", "DATA", "GREEDYDATA"]
/** Patterns that match too much, or that nobody would select a text for. */
const useless = new Set([
  "SPACE",
  "USER",
  "EMAILLOCALPART",
  "TTY",
  "PATH",
  "PROG",
  "SYSLOGPROG",
  "NONNEGINT",
  "IPORHOST"
])

const candidates = ({ patterns }: Bank): ReadonlyArray<string> =>
  patterns
    .filter(({ name, example }) => example !== undefined && !useless.has(name))
    .map(({ name }) => name)
    .toSorted((one, other) => general.indexOf(one) - general.indexOf(other) || (one < other ? -1 : 1))

/**
 * The patterns of the bank that match a whole text. A single request tests all of them: each is a lookahead that
 * consumes nothing.
 */
export const matching = async (text: string, tenant: string, signal: AbortSignal): Promise<ReadonlyArray<string>> => {
  const names = candidates(await bankOf(tenant, false))
  const pattern = `^${names.map((name, at) => `(?:(?=(?<c${at}>%{${name}})$)|)`).join("")}`
  const request = {
    params: { operator: "grok" },
    query: tenant === "" ? {} : { tenant },
    payload: form({ input: text, pattern, split: "none" })
  }
  const { results } = await answering(() => gateway.operators.test(request, { signal }))
  const found = new Set(results[0]?.captures?.filter(({ value }) => value === text).map(({ name }) => name))
  return names.filter((_, at) => found.has(`c${at}`))
}

/** A text as a literal in a grok pattern. */
export const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")

/** A field name taken from the key in front of the text, as in `user=`. */
export const fieldName = (before: string): string => {
  const key = /([A-Za-z_]\w*)["']?\s*[=:]\s*["']?$/.exec(before)?.[1]
  return key ?? "field"
}
