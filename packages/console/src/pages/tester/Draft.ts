/** The state of a test: everything that links, files and the history store. */
export interface Draft {
  readonly operator: Operator
  readonly samples: string
  /** Each operator keeps its own text, so that switching operators loses nothing. */
  readonly texts: Readonly<Record<Operator, string>>
  readonly definitions: string
  readonly ecs: boolean
  readonly separator: string
  /** Treats the whole text as one sample. */
  readonly whole: boolean
  readonly expectations: ReadonlyArray<Expectation>
}

export const operators = ["grok", "dissect", "flowlet"] as const
export type Operator = (typeof operators)[number]

/** The expected result of a sample. */
export interface Expectation {
  readonly sample: string
  /** The fields; undefined if the sample must not match. */
  readonly output?: unknown
}

/** Maximum UTF-16 units of a draft, and of its samples, when read from files and links. */
export const longestDraft = 16 * 1024 * 1024
export const mostExpectations = 1000

export const emptyDraft: Draft = {
  operator: "grok",
  samples: "",
  texts: { grok: "", dissect: "", flowlet: "" },
  definitions: "",
  ecs: false,
  separator: "",
  whole: false,
  expectations: []
}

/** Whether there is nothing to test yet. */
export const isEmpty = ({ samples, texts, operator }: Draft): boolean =>
  samples.trim() === "" || texts[operator].trim() === ""

export const exampleDraft: Draft = {
  ...emptyDraft,
  samples: [
    "2026-01-01T00:00:00Z INFO [main] app.Server: listening on 8080",
    "2026-01-01T00:00:01Z WARN [web-3] app.Pool: took 12 ms",
    "2026-01-01T00:00:02Z ERROR [web-4] app.Pool: no connection",
    "Caused by: java.net.ConnectException"
  ].join("\n"),
  texts: {
    grok: String.raw`^%{TIMESTAMP_ISO8601:timestamp} %{LOGLEVEL:level} +\[%{DATA:thread}\] %{NOTSPACE:logger}: %{GREEDYDATA:message}$`,
    dissect: "%{timestamp} %{level} [%{thread}] %{logger}: %{message}",
    flowlet: [
      "function process(event) {",
      "  const found = grok('%{LOGLEVEL:level}', event.message)",
      "  return { ...event, level: found?.level ?? 'NONE' }",
      "}"
    ].join("\n")
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

const expectationOf = (value: unknown): ReadonlyArray<Expectation> => {
  const { sample, output } = Object(value) as Record<string, unknown>
  if (typeof sample !== "string") return []
  return [output === undefined ? { sample } : { sample, output }]
}

/** Parses a draft of a link, a file or the browser's storage; undefined if it is not a draft. */
export const readDraft = (value: unknown): Draft | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  const given = value as Readonly<Record<string, unknown>>
  const operator = operators.find((name) => name === given["operator"])
  if (operator === undefined) return undefined
  const texts = Object(given["texts"]) as Readonly<Record<string, unknown>>
  const expectations = Array.isArray(given["expectations"]) ? given["expectations"] : []
  return {
    operator,
    samples: textOf(given["samples"]).slice(0, longestDraft),
    texts: { grok: textOf(texts["grok"]), dissect: textOf(texts["dissect"]), flowlet: textOf(texts["flowlet"]) },
    definitions: textOf(given["definitions"]),
    ecs: given["ecs"] === true,
    separator: textOf(given["separator"]),
    whole: given["whole"] === true,
    expectations: expectations.slice(0, mostExpectations).flatMap(expectationOf)
  }
}

/** Whether two values are the same JSON, ignoring the order of members. */
export const sameJson = (one: unknown, other: unknown): boolean => {
  if (one === other) return true
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [left, right] = [one as Record<string, unknown>, other as Record<string, unknown>]
  const names = Object.keys(left)
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && sameJson(left[name], right[name]))
  )
}
