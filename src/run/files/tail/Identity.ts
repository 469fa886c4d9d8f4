import { createHash } from "node:crypto"
import type { FileHandle } from "node:fs/promises"

/** Number of bytes at the beginning that distinguish files that reuse an inode number. */
const headBytes = 256

/** The hash of the first `length` bytes. */
export interface Head {
  readonly length: number
  readonly hash: string
}

/** Identifies a file, even after a rename. */
export interface Identity {
  readonly device: string
  readonly inode: string
  /** When the file was made, in nanoseconds; 0 where the file system does not tell. */
  readonly born: string
  readonly head: Head
}

const headOf = async (handle: FileHandle, length: number): Promise<Head> => {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0)
  const hash = createHash("sha256").update(buffer.subarray(0, bytesRead)).digest("hex").slice(0, 32)
  return { length: bytesRead, hash }
}

/** The identity of the file in its current state. */
export const identify = async (handle: FileHandle): Promise<Identity> => {
  const { dev, ino, size, birthtimeNs } = await handle.stat({ bigint: true })
  const head = await headOf(handle, Number(size) < headBytes ? Number(size) : headBytes)
  return { device: String(dev), inode: String(ino), born: String(birthtimeNs), head }
}

/** Whether the file still begins with the same bytes. */
export const beginsWith = async (handle: FileHandle, head: Head): Promise<boolean> =>
  head.length === 0 || (await headOf(handle, head.length)).hash === head.hash

/** The head of a file that has grown; a head of full length does not change. */
export const grownHead = async (handle: FileHandle, head: Head, size: number): Promise<Head> =>
  head.length >= headBytes || size <= head.length ? head : headOf(handle, Math.min(size, headBytes))

export const isSame = (a: Pick<Identity, "device" | "inode">, b: Pick<Identity, "device" | "inode">): boolean =>
  a.device === b.device && a.inode === b.inode
