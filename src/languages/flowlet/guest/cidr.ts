// Runs inside the sandbox, to which its source text is passed: it must not refer to anything outside.

/**
 * True when the IPv4 or IPv6 address is in one of the networks, such as `10.0.0.0/8` or `2001:db8::/32`; without a
 * prefix, a network is a single address. False when the text is not an address. A malformed network is an error.
 */
export function cidr(address: unknown, ...networks: ReadonlyArray<unknown>): boolean {
  const v4 = (text: string): bigint | undefined => {
    const parts = text.split(".")
    if (parts.length !== 4) return undefined
    let value = 0n
    for (const part of parts) {
      if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined
      value = value * 256n + BigInt(part)
    }
    return value
  }
  const v6 = (text: string): bigint | undefined => {
    const tail = text.slice(text.lastIndexOf(":") + 1)
    let full = text
    if (tail.includes(".")) {
      const low = v4(tail)
      if (low === undefined) return undefined
      full = `${text.slice(0, -tail.length)}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`
    }
    const halves = full.split("::")
    if (halves.length > 2) return undefined
    const [head = "", rest] = halves
    const left = head === "" ? [] : head.split(":")
    const right = rest === undefined || rest === "" ? [] : rest.split(":")
    const missing = 8 - left.length - right.length
    if (rest === undefined ? missing !== 0 : missing < 1) return undefined
    let value = 0n
    for (const group of [...left, ...new Array(missing).fill("0"), ...right]) {
      if (!/^[0-9a-f]{1,4}$/i.test(group)) return undefined
      value = value * 65_536n + BigInt(`0x${group}`)
    }
    return value
  }
  const read = (text: string): { readonly bits: number; readonly value: bigint } | undefined => {
    const six = text.includes(":")
    const value = six ? v6(text) : v4(text)
    if (value === undefined) return undefined
    // An IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) counts as the IPv4 address.
    if (six && value >> 32n === 0xffffn) return { bits: 32, value: value & 0xffffffffn }
    return { bits: six ? 128 : 32, value }
  }
  const found = typeof address === "string" ? read(address) : undefined
  let inside = false
  for (const network of networks.flat()) {
    const [base, prefix, ...more] = String(network).split("/")
    const start = read(base!)
    const length = prefix === undefined ? start?.bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : undefined
    if (start === undefined || length === undefined || length > start.bits || more.length > 0) {
      throw new Error(`"${network}" is not a network such as 10.0.0.0/8`)
    }
    if (found === undefined || found.bits !== start.bits) continue
    const shift = BigInt(start.bits - length)
    if (found.value >> shift === start.value >> shift) inside = true
  }
  return inside
}
