import type { IncomingHttpHeaders } from "node:http"
import { isIP } from "node:net"
import { addressRange, familyOf } from "../../../drivers/AddressRange.ts"

/** What a trusted proxy says of a request that it forwards. */
export interface Forwarded {
  /** IP address of the client: the rightmost hop that is not a trusted proxy. */
  readonly client: string
  /** The host that the client has asked for. */
  readonly host: string | undefined
  readonly protocol: "http" | "https" | undefined
}

const loopback = ["127.0.0.0/8", "::1/128"]

const rangesOf = (entry: string) => {
  if (entry === "loopback") return loopback
  const address = plainAddress(entry)
  return isIP(address) === 0 ? [entry] : [`${address}/${isIP(address) === 6 ? 128 : 32}`]
}

/** Why an entry of `FLOW_TRUSTED_PROXIES` cannot be used; undefined when it can. */
export const proxyFault = (entry: string): string | undefined => {
  if (rangesOf(entry).some((range) => addressRange(range) === undefined)) {
    return "is no address or range; expected a list as in loopback,10.1.0.0/16,fd00::7"
  }
  return /\/0+$/.test(entry) ? "would trust everybody; name the addresses of the proxies" : undefined
}

/** IPv4 addresses that came over an IPv6 socket are written as IPv4 ones. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "")

/** The address of a node (RFC 7239, section 6): with or without a port, IPv6 with brackets when a port follows. */
const addressOf = (node: string | undefined): string | undefined => {
  const [, bracketed, four] = /^(?:\[([^\]]+)\](?::\w{1,16})?|([0-9.]+):\w{1,16})$/.exec(node ?? "") ?? []
  const address = plainAddress(bracketed ?? four ?? node ?? "")
  const family = isIP(address)
  if (family === 4 && bracketed === undefined) return address
  if (family !== 6 || address.includes("%")) return undefined
  // One address has many spellings, and limits and logs need one.
  return URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1)
}

const hostPattern = /^(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/
const hostOf = (text: string | undefined) => (text !== undefined && hostPattern.test(text) ? text : undefined)

const protocolOf = (text: string | undefined) => {
  const lower = text?.toLowerCase()
  return lower === "http" || lower === "https" ? lower : undefined
}

type Element = ReadonlyMap<string, string>

/** A parameter of `Forwarded`. Addresses with a port are often sent without the quotes that they need. */
const parameter = /[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;]+))[ \t]*([;,]|$)/y

/** The elements of `Forwarded`; undefined when it is malformed. */
const elementsOf = (text: string): ReadonlyArray<Element> | undefined => {
  const elements: Array<Element> = []
  let element = new Map<string, string>()
  let end = ","
  for (parameter.lastIndex = 0; end !== ""; ) {
    const found = parameter.exec(text)
    if (found === null) return undefined
    const [, name = "", quoted, token = ""] = found
    const key = name.toLowerCase()
    if (element.has(key)) return undefined
    element.set(key, quoted?.replace(/\\(.)/g, "$1") ?? token)
    end = found[4] ?? ""
    if (end === ";") continue
    elements.push(element)
    element = new Map()
  }
  return elements
}

const listOf = (text: string | undefined): ReadonlyArray<string> =>
  text === undefined ? [] : text.split(",").map((one) => one.trim())

/** Node joins repeated headers, except for those that may occur only once. */
const textOf = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "string" ? value : value?.join(",")

/** Decides which addresses are trusted proxies, and reads what they say. */
export const trustedProxies = (entries: ReadonlyArray<string>) => {
  const ranges = entries.flatMap(rangesOf).flatMap((range) => addressRange(range) ?? [])
  const isTrusted = (address: string): boolean =>
    isIP(address) !== 0 && ranges.some((range) => range.check(address, familyOf(address)))

  /** Walks from the peer towards the client. Returns the index of the hop that is the client; -1 for the peer. */
  const clientOf = (peer: string, hops: ReadonlyArray<string | undefined>) => {
    const addresses = hops.map(addressOf)
    let at = addresses.length
    let client = peer
    while (at > 0 && isTrusted(client)) {
      const next = addresses[at - 1]
      // Nothing before an unknown or malformed hop can be trusted.
      if (next === undefined) break
      client = next
      at -= 1
    }
    return { client, at: at === addresses.length ? -1 : at }
  }

  /**
   * What the headers of a trusted peer say. Malformed ones are ignored. So are `Forwarded` and `X-Forwarded-For` when they
   * name different clients: a proxy that knows only one of them passes on the other as the client has sent it.
   */
  const read = (peer: string, headers: IncomingHttpHeaders): Forwarded => {
    const list = textOf(headers["x-forwarded-for"])
    const elements = headers.forwarded === undefined ? undefined : elementsOf(textOf(headers.forwarded) ?? "")
    const standard = clientOf(peer, elements?.map((element) => element.get("for")) ?? [])
    const usual = clientOf(peer, listOf(list))
    if (elements !== undefined && list !== undefined && standard.client !== usual.client) {
      return { client: peer, host: undefined, protocol: undefined }
    }
    const element = elements?.[standard.at]
    return {
      client: elements === undefined ? usual.client : standard.client,
      host: hostOf(element?.get("host") ?? listOf(textOf(headers["x-forwarded-host"])).at(-1)),
      protocol: protocolOf(element?.get("proto") ?? listOf(textOf(headers["x-forwarded-proto"])).at(-1))
    }
  }
  return { isTrusted, read }
}
