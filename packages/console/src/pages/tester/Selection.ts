import { form } from "@flow-gateway/client/light"
import { answering, gateway } from "../../app/gateway.ts"
import { type Bank, bankOf } from "./Bank.ts"

/** What is selected in the samples: its text, and what stands before and after it in its line. */
export interface Selected {
  readonly text: string
  readonly before: string
  readonly after: string
}

/** UTF-16 units of a selection for which patterns are looked up. */
export const longestSelection = 500

/** General patterns come last: they say least of the text. */
const general = ["NUMBER", "BASE10NUM", "WORD", "USERNAME", "NOTSPACE", "DATA", "GREEDYDATA"]
/** What matches too much, or what no text is selected for. */
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
 * The patterns of the bank that match all of a text. One request asks for all of them: each is looked for ahead of the
 * text, and takes nothing of it.
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

/** The name of a field after the key that stands before the text, as in `user=`. */
export const fieldName = (before: string): string => {
  const key = /([A-Za-z_]\w*)["']?\s*[=:]\s*["']?$/.exec(before)?.[1]
  return key ?? "field"
}
