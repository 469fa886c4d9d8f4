import { Result } from "effect"
import { unitMillis } from "../../../languages/DurationText.ts"

/** What is kept of one kind of history, for each tenant. An undefined member sets no limit. */
export interface Rule {
  /** Milliseconds. */
  readonly age?: number
  readonly number?: number
  readonly bytes?: number
}

export type Limit = keyof Rule

/** What retention does: it deletes, it only tells what it would delete, or it does nothing. */
export type Mode = "on" | "dry-run" | "off"

export interface Rules {
  readonly mode: Mode
  /** Ended executions with their events and output, and the one-shot flowlines that they ran. */
  readonly executions: Rule
  readonly archives: Rule
  /** Superseded versions of flowlines, artifacts, stored resources and registry files; `number` counts for each name. */
  readonly versions: Rule
  /** Documents of each index. */
  readonly documents: Rule
  /** Rows of the audit, by age only. */
  readonly audit: Rule
}

const { s, m, h, d: day } = unitMillis

export const defaultRules: Rules = {
  mode: "on",
  executions: { age: 90 * day, number: 100_000, bytes: 10 * 2 ** 30 },
  archives: { age: 90 * day, number: 100_000, bytes: 100 * 2 ** 30 },
  versions: { number: 1000 },
  documents: {},
  audit: { age: 365 * day }
}

const units: Readonly<Record<Limit, Readonly<Record<string, number>>>> = {
  age: { s, m, h, d: day },
  number: { "": 1 },
  bytes: { "": 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 }
}

const isLimit = (name: string): name is Limit => Object.hasOwn(units, name)

const examples: Readonly<Record<Limit, string>> = {
  age: "90d, 12h, 30m or 10s",
  number: "a whole number such as 1000",
  bytes: "a number with KiB, MiB, GiB or TiB, such as 10GiB"
}

/**
 * Reads a rule such as `age=90d,number=1000,bytes=10GiB` of the given limits; `all` keeps everything. What is not named
 * has no limit. Fails with what is wrong.
 */
export const parseRule = (text: string, limits: ReadonlyArray<Limit>): Result.Result<Rule, string> => {
  const rule: { -readonly [limit in Limit]?: number } = {}
  if (text.trim() === "all") return Result.succeed(rule)
  for (const part of text.split(",")) {
    const [name = "", value = "", ...rest] = part.split("=").map((one) => one.trim())
    if (!isLimit(name) || !limits.includes(name) || rest.length > 0) {
      const expected = limits.map((limit) => `${limit}=…`).join(",")
      return Result.fail(`${JSON.stringify(part.trim())} is not a limit; expected ${expected}, or all`)
    }
    const [, digits = "", unit = ""] = /^(\d{1,15})([A-Za-z]*)$/.exec(value) ?? []
    const factor = units[name][unit]
    const amount = Number(digits) * (factor ?? Number.NaN)
    if (digits === "" || !(amount >= 1 && Number.isSafeInteger(amount))) {
      return Result.fail(`${name}=${value} is invalid; expected ${examples[name]}`)
    }
    if (rule[name] !== undefined) return Result.fail(`${name} is given twice`)
    rule[name] = amount
  }
  return Result.succeed(rule)
}

/** Whether a rule has no limit at all. */
export const keepsAll = (rule: Rule): boolean => Object.keys(rule).length === 0
