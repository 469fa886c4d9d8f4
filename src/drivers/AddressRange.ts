import { BlockList, isIP } from "node:net"

/** The family of an IP address, as Node's `BlockList` names it. */
export const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4")

/**
 * The addresses of a range `<address>/<prefix>`; undefined when the text is none. A range of IPv4 contains the IPv6
 * spelling `::ffff:a.b.c.d` of its addresses, too.
 */
export const addressRange = (text: string): BlockList | undefined => {
  const [network = "", prefix = "", ...more] = text.split("/")
  const family = isIP(network)
  // A zone, as in `fe80::1%eth0`, is no part of a range.
  if (
    family === 0 ||
    network.includes("%") ||
    more.length > 0 ||
    !/^\d{1,3}$/.test(prefix) ||
    Number(prefix) > (family === 4 ? 32 : 128)
  ) {
    return undefined
  }
  const list = new BlockList()
  list.addSubnet(network, Number(prefix), familyOf(network))
  return list
}
