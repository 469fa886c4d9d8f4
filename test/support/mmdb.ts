/** A value of a database: MaxMind's types, as far as tests need them. A bigint is a uint64, a Buffer is bytes. */
export type MmdbValue =
  | string
  | number
  | bigint
  | boolean
  | Buffer
  | ReadonlyArray<MmdbValue>
  | { readonly [key: string]: MmdbValue }

const head = (type: number, size: number): ReadonlyArray<number> => {
  const [first, ...more] =
    size < 29
      ? [size]
      : size < 285
        ? [29, size - 29]
        : size < 65_821
          ? [30, (size - 285) >> 8, (size - 285) & 255]
          : [31, ((size - 65_821) >> 16) & 255, ((size - 65_821) >> 8) & 255, (size - 65_821) & 255]
  return type < 8 ? [(type << 5) | first!, ...more] : [first!, type - 7, ...more]
}

const unsigned = (type: number, value: bigint): Buffer => {
  const hex = value === 0n ? "" : value.toString(16)
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex")
  return Buffer.concat([Buffer.from(head(type, bytes.length)), bytes])
}

const encode = (value: MmdbValue): Buffer => {
  if (typeof value === "string") {
    const bytes = Buffer.from(value)
    return Buffer.concat([Buffer.from(head(2, bytes.length)), bytes])
  }
  if (typeof value === "bigint") return unsigned(9, value)
  if (typeof value === "boolean") return Buffer.from(head(14, value ? 1 : 0))
  if (typeof value === "number") {
    if (Number.isInteger(value) && value >= 0) return unsigned(6, BigInt(value))
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleBE(value)
    return Buffer.concat([Buffer.from(head(3, 8)), bytes])
  }
  if (Buffer.isBuffer(value)) return Buffer.concat([Buffer.from(head(4, value.length)), value])
  if (Array.isArray(value)) return Buffer.concat([Buffer.from(head(11, value.length)), ...value.map(encode)])
  const entries = Object.entries(value)
  return Buffer.concat([
    Buffer.from(head(7, entries.length)),
    ...entries.flatMap(([key, member]) => [encode(key), encode(member)])
  ])
}

/** The bits of a network. IPv4 networks are part of the IPv6 address space. */
const bitsOf = (network: string, ipVersion: 4 | 6): string => {
  const [address = "", length = ""] = network.split("/")
  if (!address.includes(":")) {
    const before = ipVersion === 4 ? "" : "0".repeat(96)
    const bits = address.split(".").map((part) => Number(part).toString(2).padStart(8, "0"))
    return (before + bits.join("")).slice(0, before.length + Number(length))
  }
  const [left = "", right] = address.split("::")
  const groups = (side: string) => (side === "" ? [] : side.split(":"))
  const zeros = right === undefined ? 0 : 8 - groups(left).length - groups(right).length
  const all = [...groups(left), ...Array<string>(zeros).fill("0"), ...groups(right ?? "")]
  return all
    .map((group) => Number.parseInt(group, 16).toString(2).padStart(16, "0"))
    .join("")
    .slice(0, Number(length))
}

type Branch = { readonly data: MmdbValue } | { readonly sides: [Branch | undefined, Branch | undefined] }

/** Puts data below a branch. The data of a larger network stays in the rest of the branch. */
const put = (branch: Branch | undefined, bits: string, data: MmdbValue): Branch => {
  if (bits === "") return { data }
  const sides: [Branch | undefined, Branch | undefined] =
    branch === undefined || "data" in branch ? [branch, branch] : [...branch.sides]
  const side = bits[0] === "0" ? 0 : 1
  sides[side] = put(sides[side], bits.slice(1), data)
  return { sides }
}

/** A database in MaxMind's format with a record per network. Larger networks must come first. */
export const mmdb = (
  records: ReadonlyArray<readonly [network: string, record: MmdbValue]>,
  ipVersion: 4 | 6 = 6
): Buffer => {
  let root: Branch = { sides: [undefined, undefined] }
  for (const [network, record] of records) root = put(root, bitsOf(network, ipVersion), record)
  const nodes: Array<[Branch | undefined, Branch | undefined]> = []
  const places = new Map<Branch, number>()
  const number = (branch: Branch | undefined): void => {
    if (branch === undefined || "data" in branch) return
    places.set(branch, nodes.push(branch.sides) - 1)
    for (const side of branch.sides) number(side)
  }
  number(root)
  const data: Array<Buffer> = []
  const offsets = new Map<MmdbValue, number>()
  let length = 0
  const pointer = (side: Branch | undefined): number => {
    if (side === undefined) return nodes.length
    if (!("data" in side)) return places.get(side)!
    let at = offsets.get(side.data)
    if (at === undefined) {
      const bytes = encode(side.data)
      data.push(bytes)
      at = length
      offsets.set(side.data, at)
      length += bytes.length
    }
    return nodes.length + 16 + at
  }
  const tree = Buffer.alloc(nodes.length * 8)
  for (const [at, sides] of nodes.entries()) {
    for (const [side, branch] of sides.entries()) tree.writeUInt32BE(pointer(branch), at * 8 + side * 4)
  }
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000n,
    database_type: "Test-City",
    description: { en: "a test" },
    ip_version: ipVersion,
    languages: ["en"],
    node_count: nodes.length,
    record_size: 32
  })
  return Buffer.concat([tree, Buffer.alloc(16), ...data, Buffer.from("abcdef4d61784d696e642e636f6d", "hex"), metadata])
}
