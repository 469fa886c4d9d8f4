/** Something that the beginning of a text can be recognised as, such as a time or an address. */
export interface Recognizer {
  /** Name of a field that holds it. */
  readonly field: string
  /** The bank's pattern for it; else its regular expression goes into the proposed pattern. */
  readonly bank?: string
  /** The type of the field, if it is no text. */
  readonly type?: "int" | "float"
  /** Its regular expression. */
  readonly source: string
  /** How much it says, from 1 (a number) to 10 (a whole time). */
  readonly weight: number
}

const month = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
const day = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
const clock = String.raw`(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:[.,]\d+)?`
const zone = String.raw`(?:Z|[+-]\d\d:?\d\d)`

/** A time whose parts the bank has no pattern for. */
const time = (source: string, weight = 9): Recognizer => ({ field: "timestamp", source, weight })
const known = (bank: string, source: string, weight = 10): Recognizer => ({ field: "timestamp", bank, source, weight })

/**
 * All recognizers: the first that fits all lines is taken, so those that say more come first. What is recognised ends
 * where no letter, digit or underscore follows.
 */
export const recognizers: ReadonlyArray<Recognizer> = [
  time(String.raw`\d{4}-\d\d-\d\d-\d\d\.\d\d\.\d\d\.\d+`),
  known("TIMESTAMP_ISO8601", String.raw`\d{4}-\d\d-\d\d[T ]\d\d:?\d\d(?::?\d\d(?:[.,]\d+)?)?${zone}?`),
  known("HTTPDATE", String.raw`\d\d/${month}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}`),
  known("HTTPDERROR_DATE", String.raw`${day} ${month} \d\d \d\d:\d\d:\d\d(?:\.\d+)? \d{4}`),
  known("SYSLOGTIMESTAMP", String.raw`${month} +\d{1,2} ${clock}`),
  time(String.raw`\d{4}[/.]\d\d[/.]\d\d[ -]${clock}`),
  time(String.raw`\d\d[/.]\d\d[/.]\d\d(?:\d\d)?[ -]${clock}`),
  time(String.raw`\d{8}-\d{1,2}:\d{1,2}:\d{1,2}:\d{1,3}`),
  time(String.raw`\d\d[-./]\d\d ${clock}`),
  time(String.raw`\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]) (?:[01]\d|2[0-3])[0-5]\d[0-5]\d`, 8),
  { field: "date", source: String.raw`\d{4}[-./](?:0[1-9]|1[0-2])[-./](?:0[1-9]|[12]\d|3[01])`, weight: 7 },
  { field: "time", bank: "TIME", source: clock, weight: 6 },
  { field: "epoch", bank: "INT", type: "int", source: String.raw`1\d{9}(?:\d{3})?(?![.\d])`, weight: 5 },
  {
    field: "level",
    bank: "LOGLEVEL",
    source:
      "(?:[Aa]lert|ALERT|[Tt]race|TRACE|[Dd]ebug|DEBUG|[Nn]otice|NOTICE|[Ii]nfo|INFO|[Ww]arn(?:ing)?|WARN(?:ING)?|[Ee]rror|ERROR|[Cc]rit(?:ical)?|CRIT(?:ICAL)?|[Ff]atal|FATAL|[Ss]evere|SEVERE|EMERG|[Ee]merg)",
    weight: 8
  },
  {
    field: "uuid",
    bank: "UUID",
    source: "[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}",
    weight: 9
  },
  { field: "mac", bank: "MAC", source: "(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}", weight: 9 },
  {
    field: "ip",
    bank: "IPV4",
    source: String.raw`(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![.\d])`,
    weight: 9
  },
  { field: "url", bank: "URI", source: String.raw`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>\])]+`, weight: 8 },
  { field: "email", bank: "EMAILADDRESS", source: String.raw`[\w.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+`, weight: 8 },
  { field: "value", bank: "BASE16NUM", source: "0x[0-9A-Fa-f]+", weight: 5 },
  { field: "value", bank: "NUMBER", type: "float", source: String.raw`[+-]?\d+\.\d+(?![.\w-])`, weight: 4 },
  { field: "number", bank: "INT", type: "int", source: String.raw`[+-]?\d+(?![.:\w-])`, weight: 3 }
]

const expressions = recognizers.map(({ source }) => new RegExp(`(?:${source})(?!\\w)`, "y"))

/** Where what the recognizer stands for ends in the text, if it begins there; else -1. */
export const endOf = (index: number, text: string, from: number): number => {
  const expression = expressions[index]!
  expression.lastIndex = from
  return expression.test(text) ? expression.lastIndex : -1
}
