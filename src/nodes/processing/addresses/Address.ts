import { ipv4Pattern } from "../../../languages/query/Address.ts"

/** An IP address: the number that its bits are. */
export interface Address {
  readonly bits: 32 | 128
  readonly value: bigint
}

const ipv4 = new RegExp(`^${ipv4Pattern}$`)

/** The number of an IPv4 address; undefined for any other text. */
const ipv4Value = (text: string): number | undefined => {
  if (text.length > 15 || !ipv4.test(text)) return undefined
  let value = 0
  for (const part of text.split(".")) value = value * 256 + Number(part)
  return value
}

/** The groups of one side of `::`; undefined when one is none. Only the last one may be an IPv4 address. */
const groupsOf = (text: string, isLast: boolean): ReadonlyArray<number> | undefined => {
  if (text === "") return []
  const groups: Array<number> = []
  const parts = text.split(":")
  for (const [at, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(part)) {
      groups.push(Number.parseInt(part, 16))
      continue
    }
    const embedded = isLast && at === parts.length - 1 ? ipv4Value(part) : undefined
    if (embedded === undefined) return undefined
    groups.push(Math.floor(embedded / 65_536), embedded % 65_536)
  }
  return groups
}

/** The number of an IPv6 address without a zone (RFC 4291); undefined for any other text. */
export const ipv6Value = (text: string): bigint | undefined => {
  if (text.length < 2 || text.length > 45 || !text.includes(":")) return undefined
  const [head = "", tail, more] = text.split("::")
  if (more !== undefined) return undefined
  const first = groupsOf(head, tail === undefined)
  const second = groupsOf(tail ?? "", true)
  if (first === undefined || second === undefined) return undefined
  const missing = 8 - first.length - second.length
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined
  const groups = [...first, ...Array<number>(missing).fill(0), ...second]
  return groups.reduce((value, group) => value * 65_536n + BigInt(group), 0n)
}

const mapped = 0xffffn << 32n

/** The address in a text, or undefined. An IPv4 address in an IPv6 one (`::ffff:10.0.0.1`) is the IPv4 address. */
export const addressOf = (text: string): Address | undefined => {
  const short = ipv4Value(text)
  if (short !== undefined) return { bits: 32, value: BigInt(short) }
  const value = ipv6Value(text)
  if (value === undefined) return undefined
  return value >> 32n === mapped >> 32n ? { bits: 32, value: value & 0xffff_ffffn } : { bits: 128, value }
}
