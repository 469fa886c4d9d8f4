import { crc32, inflateRawSync } from "node:zlib"

/**
 * The entries of a zip by its central directory (PKWARE APPNOTE 4.3), including Zip64 counts and offsets. Verifies each
 * entry's length and checksum.
 */
export const unzip = (zip: Buffer): ReadonlyMap<string, Buffer> => {
  const end = zip.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"))
  if (end === -1) throw new Error("no end of central directory")
  let count = zip.readUInt16LE(end + 10)
  let at = zip.readUInt32LE(end + 16)
  if (count === 0xffff || at === 0xffffffff) {
    const wide = Number(zip.readBigUInt64LE(end - 20 + 8))
    if (zip.readUInt32LE(wide) !== 0x06064b50) throw new Error("no Zip64 end of central directory")
    count = Number(zip.readBigUInt64LE(wide + 32))
    at = Number(zip.readBigUInt64LE(wide + 48))
  }
  const entries = new Map<string, Buffer>()
  for (let i = 0; i < count; i++) {
    if (zip.readUInt32LE(at) !== 0x02014b50) throw new Error("no central directory entry")
    const method = zip.readUInt16LE(at + 10)
    const checksum = zip.readUInt32LE(at + 16)
    const packed = zip.readUInt32LE(at + 20)
    const size = zip.readUInt32LE(at + 24)
    const nameLength = zip.readUInt16LE(at + 28)
    const name = zip.toString("utf8", at + 46, at + 46 + nameLength)
    const local = zip.readUInt32LE(at + 42)
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const stored = zip.subarray(start, start + packed)
    const bytes = method === 0 ? stored : inflateRawSync(stored)
    if (bytes.length !== size || crc32(bytes) !== checksum) throw new Error(`${name} is damaged`)
    if (entries.has(name)) throw new Error(`${name} is there twice`)
    entries.set(name, bytes)
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  return entries
}
