import { createHash } from "node:crypto"
import { constants } from "node:fs"
import { open, stat } from "node:fs/promises"
import { extname } from "node:path"
import { Result } from "effect"
import { codeOf } from "../../drivers/Failure.ts"
import type { AccessFile } from "../../services/access/AccessFile.ts"
import { readAccessFile } from "../../services/access/AccessFileReader.ts"
import type { OwnPlace } from "../../services/shared/settings/RootRules.ts"

/** The largest access file in bytes, some ten thousand users. */
const maxBytes = 1024 * 1024
const maxFaults = 20

/** The access file cannot be used. The message lists all faults in one line and contains no secret. */
export class FaultyAccessFile extends Error {
  readonly variable = "FLOW_AUTH"
  /** Whether the fault remains until the file changes, as one in its content does. */
  readonly lasting: boolean

  constructor(message: string, lasting: boolean) {
    super(message)
    this.lasting = lasting
  }
}

/** One state of the access file. */
export interface AccessFileVersion {
  readonly file: AccessFile
  /** Changes whenever the file is written or replaced. */
  readonly signature: string
  /** Hash of the content. */
  readonly digest: string
  /** Whether every user of the machine may change the file. */
  readonly openToAll: boolean
}

interface Stats {
  readonly dev: bigint
  readonly ino: bigint
  readonly size: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
}

const signatureFrom = ({ dev, ino, size, mtimeNs, ctimeNs }: Stats): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join(":")

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EACCES: "the gateway's user may not read it",
  EPERM: "the gateway's user may not read it",
  ELOOP: "its symbolic links lead in a circle"
}

const unreadable = (path: string) => (error: unknown) => {
  if (error instanceof FaultyAccessFile) throw error
  const code = String(codeOf(error))
  throw new FaultyAccessFile(`${path}: ${reasons[code] ?? `it cannot be read (${code})`}`, false)
}

/** A text that changes when the file is written or replaced. @throws {FaultyAccessFile} */
export const accessFileSignature = (path: string): Promise<string> =>
  stat(path, { bigint: true }).then(signatureFrom).catch(unreadable(path))

/** Refuses pipes and devices, because reading them may never end. */
const read = async (path: string) => {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!(await handle.stat()).isFile()) throw new FaultyAccessFile(`${path}: expected a file`, true)
    const buffer = Buffer.alloc(maxBytes + 1)
    let length = 0
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length)
      length += bytesRead
      if (bytesRead === 0 || length === buffer.length) break
    }
    if (length > maxBytes) throw new FaultyAccessFile(`${path}: it is larger than ${maxBytes} bytes`, true)
    // Read after the bytes: if the file was written meanwhile, its version then differs from the one that was checked.
    return { bytes: buffer.subarray(0, length), stats: await handle.stat({ bigint: true }) }
  } finally {
    await handle.close()
  }
}

/** Reads the access file. No root of it may open one of `own`, the gateway's places. @throws {FaultyAccessFile} */
export const loadAccessFile = async (path: string, own: ReadonlyArray<OwnPlace> = []): Promise<AccessFileVersion> => {
  const { bytes, stats } = await read(path).catch(unreadable(path))
  // Without an extension that tells another format, it is YAML.
  const name = /^\.(hjson|json)$/i.test(extname(path)) ? path : "access.yaml"
  const result = readAccessFile({ name, bytes }, own)
  if (Result.isFailure(result)) {
    const shown = result.failure.slice(0, maxFaults)
    const more = result.failure.length - shown.length
    throw new FaultyAccessFile(`${path}: ${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`, true)
  }
  return {
    file: result.success,
    signature: signatureFrom(stats),
    digest: createHash("sha256").update(bytes).digest("hex"),
    openToAll: (stats.mode & 0o002n) !== 0n
  }
}
