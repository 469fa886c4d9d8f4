import { lookup as resolve } from "node:dns"
import { BlockList, isIP, type LookupFunction } from "node:net"
import { networkInterfaces } from "node:os"
import { RefusedAddress } from "../nodes/ports/Network.ts"
import { addressRange, familyOf } from "./AddressRange.ts"

/**
 * Adds IPv4 addresses in all their spellings. A list takes `::ffff:a.b.c.d` for IPv4 by itself; the other two are
 * NAT64 (RFC 6052) and 6to4 (RFC 3056), where a gateway of the network may turn the address into the IPv4 one.
 */
const addSubnet4 = (list: BlockList, address: string, prefix: number): void => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number)
  const hex = (high: number, low: number) => (high * 256 + low).toString(16)
  list.addSubnet(address, prefix, "ipv4")
  list.addSubnet(`64:ff9b::${address}`, 96 + prefix, "ipv6")
  list.addSubnet(`2002:${hex(a, b)}:${hex(c, d)}::`, 16 + prefix, "ipv6")
}

const add = (list: BlockList, address: string): void =>
  isIP(address) === 6 ? list.addAddress(address, "ipv6") : addSubnet4(list, address, 32)

/** What the IANA registries of special addresses (RFC 6890) do not call globally reachable. */
const special = new BlockList()
for (const subnet of [
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24",
  "192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4"
].flatMap((line) => line.split(" "))) {
  const [address = "", prefix] = subnet.split("/")
  addSubnet4(special, address, Number(prefix))
}
special.addSubnet("2001::", 23, "ipv6")
special.addSubnet("2001:db8::", 32, "ipv6")
special.addSubnet("3fff::", 20, "ipv6")

/** The rest of IPv6 is loopback, link-local, unique local, multicast or reserved. */
const global6 = new BlockList()
global6.addSubnet("2000::", 3, "ipv6")
global6.addSubnet("64:ff9b::", 96, "ipv6")
global6.addSubnet("::ffff:0:0", 96, "ipv6")

const isPublic = (address: string): boolean =>
  !special.check(address, familyOf(address)) && (isIP(address) === 4 || global6.check(address, "ipv6"))

/** Whether the address leads to this machine. Its interfaces may change while a run lasts. */
const isOwn = (address: string): boolean => {
  const own = new BlockList()
  addSubnet4(own, "127.0.0.0", 8)
  addSubnet4(own, "0.0.0.0", 8)
  own.addSubnet("::", 127, "ipv6")
  for (const addresses of Object.values(networkInterfaces())) {
    for (const one of addresses ?? []) add(own, one.address)
  }
  return own.check(address, familyOf(address))
}

interface Target {
  /** As in a URL, but without brackets: a name in lower case or an address. */
  readonly host: string
  readonly port: number
}

/** Whether a rule allows a connection to this address of the host. */
type Rule = (target: Target, address: string) => boolean

const nameOf = (host: string): string => host.replace(/\.$/, "").toLowerCase()

/** Whether a URL can have this name; `127.1` is an address there. */
const isName = (text: string): boolean =>
  /^[A-Za-z0-9._-]+$/.test(text) && URL.parse(`http://${text}/`)?.hostname === text.toLowerCase()

/**
 * Reads one entry of the operator's list: `<host>[:<port>]`, where the host is a name, an IPv4 address or an IPv6 address
 * (in brackets when a port follows), or a range `<address>/<prefix>`. Undefined when it is none of them. A range does
 * not cover addresses of this machine, so that a range of colleagues does not open the gateway's own ports.
 */
export const outboundRule = (entry: string): Rule | undefined => {
  if (entry.includes("/")) {
    const range = addressRange(entry)
    return range && ((_, address) => range.check(address, familyOf(address)) && !isOwn(address))
  }
  const [, bracketed, plain, digits] = /^(?:\[([^[\]]+)\]|([^[\]:]+))(?::(\d{1,5}))?$/.exec(entry) ?? []
  const host = bracketed ?? plain ?? entry
  const port = digits === undefined ? undefined : Number(digits)
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined
  if (isIP(host) === 6 && plain === undefined) {
    const list = new BlockList()
    list.addAddress(host, "ipv6")
    return (target, address) => (port ?? target.port) === target.port && list.check(address, familyOf(address))
  }
  if (bracketed !== undefined) return undefined
  if (isIP(host) === 4) {
    const list = new BlockList()
    add(list, host)
    return (target, address) => (port ?? target.port) === target.port && list.check(address, familyOf(address))
  }
  if (!isName(host)) return undefined
  return (target) => (port ?? target.port) === target.port && target.host === nameOf(host)
}

interface OutboundOptions {
  /** Who connects, as a refusal names it. */
  readonly who?: string
  /** Refuses public addresses, too, unless the list allows them. */
  readonly listedOnly?: boolean
}

/** Where nodes may connect to: public addresses of other machines, and what the operator's list allows. */
export class Outbound {
  readonly #rules: ReadonlyArray<Rule>
  readonly #who: string
  readonly #listedOnly: boolean

  constructor(allowed: ReadonlyArray<string>, { who = "A run", listedOnly = false }: OutboundOptions = {}) {
    this.#rules = allowed.flatMap((entry) => outboundRule(entry) ?? [])
    this.#who = who
    this.#listedOnly = listedOnly
  }

  /** Why a connection to this address is refused; undefined when it is not. */
  refusal(target: Target, address: string): RefusedAddress | undefined {
    const own = isOwn(address)
    const isReachable = !own && isPublic(address)
    if ((isReachable && !this.#listedOnly) || this.#rules.some((rule) => rule(target, address))) return undefined
    const named = address === target.host ? "" : ` (${target.host})`
    const kind = own
      ? "it is an address of the gateway's machine"
      : isReachable
        ? "everybody on the way could change what it answers without TLS"
        : "it is not a public address"
    return new RefusedAddress(
      `${this.#who} may not connect to ${address}${named}, port ${target.port}, as ${kind}: FLOW_OUTBOUND_ALLOW can allow it`
    )
  }

  /**
   * What a client needs to connect to this URL: its host and port, and a `lookup` that refuses what the name resolves to
   * at that moment, so that no name can change between check and connection. Throws when the URL has a refused address.
   */
  connection(url: URL): { readonly host: string; readonly port: number; readonly lookup: LookupFunction } {
    const host = nameOf(url.hostname.replace(/^\[(.*)\]$/, "$1"))
    const port = Number(url.port || (url.protocol === "https:" ? 443 : 80))
    const target = { host, port }
    // Addresses are not looked up.
    const refused = isIP(host) === 0 ? undefined : this.refusal(target, host)
    if (refused !== undefined) throw refused
    const lookup: LookupFunction = (hostname, options, callback) =>
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        if (error !== null) return callback(error, [])
        for (const { address } of addresses) {
          const refused = this.refusal(target, address.replace(/%.*$/, ""))
          if (refused !== undefined) return callback(refused, [])
        }
        const [first] = addresses
        return options.all === true || first === undefined
          ? callback(null, addresses)
          : callback(null, first.address, first.family)
      })
    return { host, port, lookup }
  }
}
