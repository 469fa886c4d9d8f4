import { crc32, inflateRawSync } from "node:zlib"

/** A file of a zip, decompressed and verified. */
export interface ZipEntry {
  readonly name: string
  readonly bytes: Buffer
  /** 0 for stored, 8 for deflated. */
  readonly method: number
}

const endOfDirectory = 0x06054b50
const locator64 = 0x07064b50
const endOfDirectory64 = 0x06064b50
const directoryEntry = 0x02014b50
const localHeader = 0x04034b50
const full = 0xffff_ffff

const expect = (zip: Buffer, at: number, signature: number) => {
  if (at < 0 || at + 4 > zip.length || zip.readUInt32LE(at) !== signature) {
    throw new Error(`No zip record ${signature.toString(16)} at ${at}`)
  }
}

const number64 = (bytes: Buffer, at: number) => Number(bytes.readBigUInt64LE(at))

/** The start of the central directory and the number of its entries (APPNOTE 4.3.14 to 4.3.16). */
const directoryOf = (zip: Buffer) => {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  expect(zip, end, endOfDirectory)
  if (end + 22 + zip.readUInt16LE(end + 20) !== zip.length) throw new Error("Bytes after the end of the zip")
  const found = { count: zip.readUInt16LE(end + 10), start: zip.readUInt32LE(end + 16), end }
  if (found.count !== 0xffff && found.start !== full) return found
  expect(zip, end - 20, locator64)
  const end64 = number64(zip, end - 12)
  expect(zip, end64, endOfDirectory64)
  return { count: number64(zip, end64 + 32), start: number64(zip, end64 + 48), end: end64 }
}

/** The sizes and offset in a directory entry; from its Zip64 field if the short fields overflow (4.5.3). */
const placeOf = (zip: Buffer, at: number, extra: Buffer) => {
  const short = {
    size: zip.readUInt32LE(at + 24),
    packed: zip.readUInt32LE(at + 20),
    offset: zip.readUInt32LE(at + 42)
  }
  for (let field = 0; field + 4 <= extra.length; field += 4 + extra.readUInt16LE(field + 2)) {
    if (extra.readUInt16LE(field) !== 1) continue
    let next = field + 4
    const long = (value: number) => {
      if (value !== full) return value
      next += 8
      return number64(extra, next - 8)
    }
    return { size: long(short.size), packed: long(short.packed), offset: long(short.offset) }
  }
  return short
}

/**
 * Unpacks a whole zip by its central directory, and verifies every CRC, size and local header. Fails on any mismatch,
 * including a truncated zip.
 */
export const unzip = (zip: Buffer): ReadonlyArray<ZipEntry> => {
  const directory = directoryOf(zip)
  const entries: Array<ZipEntry> = []
  let at = directory.start
  for (let n = 0; n < directory.count; n++) {
    expect(zip, at, directoryEntry)
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field))
    const method = zip.readUInt16LE(at + 10)
    const name = zip.subarray(at + 46, at + 46 + nameLength!)
    const extra = zip.subarray(at + 46 + nameLength!, at + 46 + nameLength! + extraLength!)
    const { size, packed, offset } = placeOf(zip, at, extra)
    expect(zip, offset, localHeader)
    const localName = zip.readUInt16LE(offset + 26)
    if (!zip.subarray(offset + 30, offset + 30 + localName).equals(name)) throw new Error(`Two names for ${name}`)
    const start = offset + 30 + localName + zip.readUInt16LE(offset + 28)
    const data = zip.subarray(start, start + packed)
    const bytes = method === 0 ? data : inflateRawSync(data)
    if (data.length !== packed || bytes.length !== size) throw new Error(`Wrong size of ${name}`)
    if (crc32(bytes) !== zip.readUInt32LE(at + 16)) throw new Error(`Wrong checksum of ${name}`)
    entries.push({ name: name.toString("utf8"), bytes, method })
    at += 46 + nameLength! + extraLength! + commentLength!
  }
  if (at !== directory.end) throw new Error("The directory has another length than it says")
  return entries
}
