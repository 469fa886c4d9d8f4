import { ipv4Pattern } from "../../../languages/query/Address.ts"
import { ipv6Value } from "../addresses/Address.ts"

export const kinds = ["email", "ipv4", "ipv6", "card", "iban", "phone"] as const
export type Kind = (typeof kinds)[number]

/** A part of a text; `to` is exclusive. */
interface Span {
  readonly from: number
  readonly to: number
}

/** Finds the parts of a text. Takes time in proportion to its length. */
type Detector = (text: string) => ReadonlyArray<Span>

/** What a regular expression with the flag `g` matches. `matchAll` takes three times as long. */
const matching =
  (regex: RegExp): Detector =>
  (text) => {
    const spans: Array<Span> = []
    regex.lastIndex = 0
    for (let found = regex.exec(text); found !== null; found = regex.exec(text)) {
      spans.push({ from: found.index, to: regex.lastIndex })
    }
    return spans
  }

/**
 * What stands before the `@` is read backwards from it, as a search for its first character tries each word. An
 * apostrophe belongs to an address between letters, as in `o'brien`: else it is a quote around it.
 */
const address =
  /@(?<=((?:[\p{L}\p{N}._%+-]|(?<=\p{L})['’](?=\p{L})){1,64})@)(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}[\p{L}\p{N}-]{2,63}/gu

const email: Detector = (text) => {
  const spans: Array<Span> = []
  let end = 0
  address.lastIndex = 0
  for (let found = address.exec(text); found !== null; found = address.exec(text)) {
    // In `a@b.example@c.example` the second sign has nothing before it that is not of the first address.
    const from = Math.max(end, found.index - found[1]!.length)
    if (from === found.index) continue
    end = address.lastIndex
    spans.push({ from, to: end })
  }
  return spans
}

const ipv4 = matching(new RegExp(`(?<![\\d.])${ipv4Pattern}(?!\\d|\\.\\d)`, "g"))

/** Whether the part is no part of a word or number. */
const isApart = (text: string, { from, to }: Span): boolean =>
  !/[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, from - 2), from)) && !/^[\p{L}\p{N}]/u.test(text.slice(to, to + 2))

/** From the first colon of an address on, with what stands before it, as most hexadecimal digits are those of words. */
const groups = /:(?<=([\da-f]*):)[\da-f:]*(?:(?:\.\d{1,3}){3})?/gi

const ipv6: Detector = (text) => {
  const spans: Array<Span> = []
  groups.lastIndex = 0
  for (let found = groups.exec(text); found !== null; found = groups.exec(text)) {
    const from = found.index - found[1]!.length
    const to = groups.lastIndex
    // Longer than an address with the colon that may follow it in a sentence.
    if (to - from > 46) continue
    const run = text.slice(from, to)
    const address = run.endsWith(":") && !run.endsWith("::") ? run.slice(0, -1) : run
    const span = { from, to: from + address.length }
    if (/[\da-f]/i.test(address) && ipv6Value(address) !== undefined && isApart(text, span)) spans.push(span)
  }
  return spans
}

/** The numbers that issuers of cards use: the first digits, and the lengths. */
const issuers =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12,15}|6(?:011|4[4-9]\d|5\d\d)\d{12,15}|62\d{14,17}|(?:5[06-9]|6[0-9])\d{11,17})$/

/** Whether the digits have a checksum as Luhn's. */
const hasLuhn = (digits: string): boolean => {
  let sum = 0
  for (let at = digits.length - 1, doubles = false; at >= 0; at--, doubles = !doubles) {
    const digit = digits.charCodeAt(at) - 48
    sum += doubles ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit
  }
  return sum % 10 === 0
}

/** Numbers in groups: a card may begin with any group and end with any other. */
const card: Detector = (text) => {
  const spans: Array<Span> = []
  for (const { 0: run, index } of text.matchAll(/\d(?:[ -]?\d){12,}/g)) {
    const groups = [...run.matchAll(/\d+/g)].map(({ 0: digits, index: from }) => ({ digits, from: index + from }))
    for (let first = 0; first < groups.length; first++) {
      let digits = ""
      for (let last = first; last < groups.length && digits.length < 19; last++) {
        const { digits: more, from } = groups[last]!
        digits += more.slice(0, 20)
        const span = { from: groups[first]!.from, to: from + more.length }
        if (!issuers.test(digits) || !hasLuhn(digits) || !isApart(text, span)) continue
        spans.push(span)
        first = last
        break
      }
    }
  }
  return spans
}

/** Countries with IBANs, each with the length of its own. */
const ibanLengths = new Map(
  [
    "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20EG29ES24FI18FK18FO18FR27GB22",
    "GE22GI23GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19",
    "MN20MR27MT31MU30NI28NL18NO15OM23PK24PL28PS29PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24",
    "TR26UA29VA22VG24XK20YE30"
  ]
    .flatMap((some) => some.match(/.{4}/g) ?? [])
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))])
)

/** Whether the letters and digits of an IBAN have the checksum of ISO 7064. */
const hasMod97 = (iban: string): boolean => {
  let rest = 0
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}

const iban: Detector = (text) => {
  const spans: Array<Span> = []
  const regex = /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?: ?[A-Z\d]){11,30}/giu
  for (let found = regex.exec(text); found !== null; found = regex.exec(text)) {
    const [candidate] = found
    const length = ibanLengths.get(candidate.slice(0, 2).toUpperCase()) ?? Number.POSITIVE_INFINITY
    let end = 0
    for (let count = 0; end < candidate.length && count < length; end++) if (candidate[end] !== " ") count++
    const letters = candidate.slice(0, end).replaceAll(" ", "")
    const span = { from: found.index, to: found.index + end }
    if (letters.length === length && hasMod97(letters) && isApart(text, span)) {
      spans.push(span)
      regex.lastIndex = span.to
    } else regex.lastIndex = found.index + 1
  }
  return spans
}

const phone = matching(/(?<![\p{L}\p{N}+])\+[1-9](?:[ ()./-]{0,2}\d){6,14}(?!\d)/gu)

const detectors: Readonly<Record<Kind, Detector>> = { email, ipv4, ipv6, card, iban, phone }

/** Whether each part begins where the one before it has ended, or later. */
const areApart = (spans: ReadonlyArray<Span>): boolean => {
  for (let at = 1; at < spans.length; at++) if (spans[at]!.from < spans[at - 1]!.to) return false
  return true
}

/** Finds parts of these kinds in a text, in order. Of two that overlap the earlier one counts, else the longer one. */
export const detector = (chosen: ReadonlyArray<Kind>): Detector => {
  const all = chosen.map((kind) => detectors[kind])
  return (text) => {
    // What is shorter than an address such as `::1` is nothing.
    if (text.length < 3) return []
    const found: Array<Span> = []
    for (const detect of all) for (const span of detect(text)) found.push(span)
    if (areApart(found)) return found
    let end = 0
    return found
      .sort((a, b) => a.from - b.from || b.to - a.to)
      .filter(({ from, to }) => {
        if (from < end) return false
        end = to
        return true
      })
  }
}
