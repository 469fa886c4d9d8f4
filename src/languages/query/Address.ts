/** A network or a range of IP addresses, as `addressOf` writes them. Both ends belong to it. */
export interface AddressRange {
  readonly from: string
  readonly to: string
}

const octet = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)"
/** An IPv4 address without leading zeros, as a regular expression. */
export const ipv4Pattern = `(?:${octet}\\.){3}${octet}`
const dotted = new RegExp(`^${ipv4Pattern}$`)

const bits = 128n
const last = (1n << bits) - 1n

const written = (address: bigint): string => address.toString(16).padStart(32, "0")

const groupsOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split(":"))

/**
 * An IPv4 or IPv6 address as 32 hexadecimal digits, so that texts compare like addresses. IPv4 addresses are written as
 * IPv6 does (`::ffff:0:0/96`). Undefined when it is none. `flow_address` in the database does the same.
 */
export const addressOf = (text: string): string | undefined => {
  if (text.length > 45) return undefined
  if (dotted.test(text)) return `${"0".repeat(20)}ffff${hexOf(text)}`
  const end = text.lastIndexOf(":") + 1
  if (end === 0) return undefined
  const tail = text.slice(end)
  if (tail.includes(".") && !dotted.test(tail)) return undefined
  const whole = tail.includes(".") ? `${text.slice(0, end)}${hexOf(tail).slice(0, 4)}:${hexOf(tail).slice(4)}` : text
  const halves = whole.split("::")
  if (halves.length > 2) return undefined
  const [left = [], right = []] = halves.map(groupsOf)
  const missing = 8 - left.length - right.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const groups = [...left, ...Array<string>(missing).fill("0"), ...right]
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return undefined
  return groups.map((group) => group.toLowerCase().padStart(4, "0")).join("")
}

const hexOf = (address: string): string =>
  address
    .split(".")
    .map((part) => Number(part).toString(16).padStart(2, "0"))
    .join("")

/** The addresses of a network in CIDR notation, such as `10.0.0.0/8`; undefined when the text is none. */
export const networkOf = (text: string): AddressRange | undefined => {
  const [, address = "", length = ""] = /^([\da-fA-F:.]+)\/(\d{1,3})$/.exec(text) ?? []
  const found = addressOf(address)
  const most = address.includes(":") ? 128 : 32
  if (found === undefined || Number(length) > most) return undefined
  const open = (1n << BigInt(most - Number(length))) - 1n
  const value = BigInt(`0x${found}`)
  return { from: written(value & ~open), to: written(value | open) }
}

/** The limits of a range of addresses; undefined unless all of them are addresses. */
export const addressLimits = (limits: ReadonlyArray<readonly [string, string]>): AddressRange | undefined => {
  let [from, to] = [0n, last]
  for (const [bound, text] of limits) {
    const found = addressOf(text)
    if (found === undefined) return undefined
    const value = BigInt(`0x${found}`)
    if (bound === "gte" && value > from) from = value
    else if (bound === "gt" && value + 1n > from) from = value + 1n
    else if (bound === "lte" && value < to) to = value
    else if (bound === "lt" && value - 1n < to) to = value - 1n
  }
  // Nothing is below the first address or above the last one: a range whose end comes before its start.
  return from > to ? { from: written(last), to: written(0n) } : { from: written(from), to: written(to) }
}
