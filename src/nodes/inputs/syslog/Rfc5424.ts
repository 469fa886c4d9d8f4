import type { Event } from "../../Node.ts"
import { isTimestamp } from "./Timestamp.ts"

/**
 * The header: timestamp, host, application, process and message id, each `-` when it is absent (RFC 5424, 6.2). Some
 * senders give nanoseconds.
 */
const header =
  /^(-|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)) ([\x21-\x7e]{1,255}) ([\x21-\x7e]{1,48}) ([\x21-\x7e]{1,128}) ([\x21-\x7e]{1,32}) /

const element = /^\[([^ =\]"\x00-\x20\x7f-\uffff]{1,32})/
const parameter = /^ +([^ =\]"\x00-\x20\x7f-\uffff]{1,32})="((?:[^"\\\]]|\\[\s\S])*)"/

type Parameters = Record<string, string | Array<string>>
type Data = Record<string, Parameters>

const put = <A>(into: Record<string, A>, name: string, value: A): void => {
  Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true })
}

/** The values of a parameter that is repeated, such as the addresses of a host, are a list (RFC 5424, 6.3.3). */
const add = (into: Parameters, name: string, value: string): void => {
  const earlier = Object.hasOwn(into, name) ? into[name]! : undefined
  if (Array.isArray(earlier)) earlier.push(value)
  else put(into, name, earlier === undefined ? value : [earlier, value])
}

/** Structured data at the beginning of the text, and the text after it; undefined when it is malformed. */
const structuredData = (text: string): readonly [data: Data | undefined, rest: string] | undefined => {
  if (text.startsWith("-")) return [undefined, text.slice(1)]
  // Some senders, such as Heroku, leave structured data out.
  if (/^[^\s[]/.test(text)) return [undefined, ` ${text}`]
  const data: Data = {}
  let rest = text
  while (rest.startsWith("[")) {
    const name = element.exec(rest)
    if (name === null) return undefined
    rest = rest.slice(name[0].length)
    // No element may come twice, but some senders repeat one instead of its parameters.
    const values: Parameters = Object.hasOwn(data, name[1]!) ? data[name[1]!]! : {}
    for (let found = parameter.exec(rest); found !== null; found = parameter.exec(rest)) {
      // Only these three are escapes; before other characters a backslash is literal.
      add(values, found[1]!, found[2]!.replace(/\\(["\\\]])/g, "$1"))
      rest = rest.slice(found[0].length)
    }
    if (!rest.startsWith("]")) return undefined
    rest = rest.slice(1)
    put(data, name[1]!, values)
  }
  return rest === text ? undefined : [data, rest]
}

/** Parses the text after `<priority>1 `. */
export const parseRfc5424 = (text: string): Event | undefined => {
  const found = header.exec(text)
  if (found === null || (found[1] !== "-" && !isTimestamp(found[1]!))) return undefined
  const data = structuredData(text.slice(found[0].length))
  if (data === undefined || (data[1] !== "" && !data[1].startsWith(" "))) return undefined
  const [, timestamp, hostname, appname, procid, msgid] = found
  const names = { timestamp, hostname, appname, procid, msgid }
  const event: Record<string, unknown> = { version: 1 }
  for (const [name, value] of Object.entries(names)) if (value !== "-") event[name] = value
  if (data[0] !== undefined) event["structured_data"] = data[0]
  // A byte order mark indicates UTF-8 and is not part of the text.
  event["message"] = data[1].replace(/^ \ufeff?/, "")
  return event
}
