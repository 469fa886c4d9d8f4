import type { NodeContext } from "../../Node.ts"
import { type FileSource, filesOf, referenceOf } from "../../settings/StorageSettings.ts"
import type { Address } from "../addresses/Address.ts"
import type { Loaded } from "./ReloadedFiles.ts"

/** Maximum size of a database, which is held in memory. */
const maxBytes = 1024 * 1024 * 1024

/** Records by networks, in the format of MaxMind (MMDB). */
export interface NetworkDatabase {
  /** What the database says that it is, such as `GeoLite2-City`. */
  readonly type: string
  /** The record of the smallest network of an address; undefined when there is none. */
  readonly find: (address: Address) => unknown
}

/** A value of the database as JSON has it. Its numbers of 64 bits and more are strings when a double would round them. */
const jsonOf = (value: unknown): unknown => {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (typeof value === "number") return Number.isFinite(value) ? value : null
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex")
  if (Array.isArray(value)) return value.map(jsonOf)
  if (typeof value !== "object" || value === null)
    return typeof value === "string" || typeof value === "boolean" ? value : null
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, jsonOf(member)]))
}

const bytesOf = async (chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Buffer> => {
  const read: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of chunks) {
    signal.throwIfAborted()
    size += chunk.length
    if (size > maxBytes) throw new Error(`the database has more than ${maxBytes} bytes`)
    read.push(chunk)
  }
  return Buffer.concat(read)
}

/** The address as IPv4 where it is one, however it was written. */
const textOf = ({ bits, value }: Address): string => {
  const hex = value.toString(16).padStart(bits / 4, "0")
  return bits === 32
    ? (hex.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).join(".")
    : (hex.match(/..../g) ?? []).join(":")
}

/** Reads a database from a file of the tenant's. */
export const loadDatabase = async (given: FileSource, context: NodeContext): Promise<Loaded<NetworkDatabase>> => {
  const { path } = given
  const reference = referenceOf(given)
  const files = filesOf(given, context)
  if (path !== undefined) await files.glob(path)
  const chunks = reference === undefined ? files.read(path ?? "") : (await context.open(reference)).read()
  const bytes = await bytesOf(chunks, context.signal)
  const { Reader } = await import("mmdb-lib")
  try {
    const reader = new Reader(bytes)
    const { databaseType, ipVersion, nodeCount, searchTreeSize } = reader.metadata
    // A file that was cut ends before its records.
    if (searchTreeSize + 16 > bytes.length) throw new Error("its tree of networks is cut off")
    const find = (address: Address) => {
      if (address.bits > 32 && ipVersion === 4) return undefined
      const found: unknown = reader.get(textOf(address))
      return found === null ? undefined : jsonOf(found)
    }
    find({ bits: 32, value: 0n })
    return { value: { type: databaseType, find }, entries: nodeCount }
  } catch (error) {
    throw new Error(
      `this is not a database in the format of MaxMind (MMDB): ${error instanceof Error ? error.message : error}`
    )
  }
}
