// The records of a zip file, by PKWARE's APPNOTE 6.3.10.

/** An entry that is completely in the zip. */
interface ZipEntry {
  readonly name: Buffer
  /** Whether its bytes are deflated; otherwise they are stored as they are. */
  readonly deflated: boolean
  /** When it was added: date and time of MS-DOS. */
  readonly time: number
  /** Position of its local header. */
  readonly at: number
  readonly crc: number
  /** Numbers of bytes in the zip, and as they were given. */
  readonly packed: number
  readonly size: number
}

/** Larger numbers do not fit into the fields that every zip has; these have this value then. */
const most32 = 0xffffffff
const most16 = 0xffff

/** Sizes follow the bytes of an entry (bit 3), and its name is in UTF-8 (bit 11). */
const flags = 0x0808

/** Version 4.5 of the format has Zip64. */
const [usual, wide] = [20, 45]
/** Unix, for the permissions of the entries. */
const madeBy = 3 << 8
const permissions = 0o100644

const isWide = ({ packed, size }: Pick<ZipEntry, "packed" | "size">) => packed >= most32 || size >= most32

const capped = (value: number): number => Math.min(value, most32)

/** Local date and time of MS-DOS, in steps of two seconds. The format knows no zone, so it is UTC everywhere. */
export const dosTime = (date: Date): number =>
  (((date.getUTCFullYear() - 1980) << 25) |
    ((date.getUTCMonth() + 1) << 21) |
    (date.getUTCDate() << 16) |
    (date.getUTCHours() << 11) |
    (date.getUTCMinutes() << 5) |
    (date.getUTCSeconds() >> 1)) >>>
  0

/** What comes before the bytes of an entry. */
export const localHeader = ({ name, deflated, time }: Pick<ZipEntry, "name" | "deflated" | "time">): Buffer => {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(usual, 4)
  header.writeUInt16LE(flags, 6)
  header.writeUInt16LE(deflated ? 8 : 0, 8)
  header.writeUInt32LE(time, 10)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, name])
}

/** What follows the bytes of an entry. */
export const descriptor = (entry: Pick<ZipEntry, "crc" | "packed" | "size">): Buffer => {
  const record = Buffer.alloc(isWide(entry) ? 24 : 16)
  record.writeUInt32LE(0x08074b50, 0)
  record.writeUInt32LE(entry.crc, 4)
  if (isWide(entry)) {
    record.writeBigUInt64LE(BigInt(entry.packed), 8)
    record.writeBigUInt64LE(BigInt(entry.size), 16)
  } else {
    record.writeUInt32LE(entry.packed, 8)
    record.writeUInt32LE(entry.size, 12)
  }
  return record
}

/** The entry in the central directory. */
export const centralHeader = (entry: ZipEntry): Buffer => {
  const { name, at, packed, size } = entry
  const large = [size, packed, at].filter((value) => value >= most32)
  const extra = Buffer.alloc(large.length === 0 ? 0 : 4 + 8 * large.length)
  if (large.length > 0) {
    extra.writeUInt16LE(1, 0)
    extra.writeUInt16LE(8 * large.length, 2)
    for (const [nth, value] of large.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * nth)
  }
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(madeBy | (large.length > 0 ? wide : usual), 4)
  header.writeUInt16LE(large.length > 0 ? wide : usual, 6)
  header.writeUInt16LE(flags, 8)
  header.writeUInt16LE(entry.deflated ? 8 : 0, 10)
  header.writeUInt32LE(entry.time, 12)
  header.writeUInt32LE(entry.crc, 16)
  header.writeUInt32LE(capped(packed), 20)
  header.writeUInt32LE(capped(size), 24)
  header.writeUInt16LE(name.length, 28)
  header.writeUInt16LE(extra.length, 30)
  header.writeUInt32LE(permissions * 0x10000, 38)
  header.writeUInt32LE(capped(at), 42)
  return Buffer.concat([header, name, extra])
}

/** The end of a zip, whose central directory has so many entries and bytes and begins at `at`. */
export const endOfZip = (entries: number, bytes: number, at: number): Buffer => {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(entries, most16), 8)
  end.writeUInt16LE(Math.min(entries, most16), 10)
  end.writeUInt32LE(capped(bytes), 12)
  end.writeUInt32LE(capped(at), 16)
  if (entries < most16 && bytes < most32 && at < most32) return end
  const record = Buffer.alloc(56)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeBigUInt64LE(44n, 4)
  record.writeUInt16LE(madeBy | wide, 12)
  record.writeUInt16LE(wide, 14)
  record.writeBigUInt64LE(BigInt(entries), 24)
  record.writeBigUInt64LE(BigInt(entries), 32)
  record.writeBigUInt64LE(BigInt(bytes), 40)
  record.writeBigUInt64LE(BigInt(at), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(at + bytes), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([record, locator, end])
}
