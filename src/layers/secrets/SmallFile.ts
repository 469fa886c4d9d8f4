import { constants } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { codeOf } from "../../drivers/Failure.ts"
import { type OpenFailure, openInside } from "../../drivers/files/OpenInside.ts"

/** Why a file cannot be read. */
export type SmallFileFailure = OpenFailure | "large"

export interface SmallFile {
  readonly bytes: Uint8Array
  /** Permissions: `0o640` and the like. */
  readonly mode: number
}

const readWhole = async (handle: FileHandle, most: number): Promise<SmallFile | SmallFileFailure> => {
  try {
    const stat = await handle.stat()
    if (stat.isDirectory()) return "directory"
    if (!stat.isFile()) return "special"
    const buffer = new Uint8Array(most + 1)
    let size = 0
    for (let read = -1; read !== 0 && size < buffer.length; size += read) {
      read = (await handle.read(buffer, size, buffer.length - size, size)).bytesRead
    }
    return size > most ? "large" : { bytes: buffer.slice(0, size), mode: stat.mode & 0o777 }
  } finally {
    await handle.close()
  }
}

/** Reads a regular file of at most `most` bytes; links are followed. Pipes and devices are refused without blocking. */
export const readSmallFile = async (path: string, most: number): Promise<SmallFile | SmallFileFailure> => {
  try {
    return await readWhole(await open(path, constants.O_RDONLY | constants.O_NONBLOCK), most)
  } catch (error) {
    const code = codeOf(error)
    if (code === "EACCES" || code === "EPERM") return "denied"
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return "missing"
    throw error
  }
}

/** The same for a file below `root`: links that lead out of it are refused. */
export const readSmallFileInside = async (
  root: string,
  path: string,
  most: number
): Promise<SmallFile | SmallFileFailure> => {
  const opened = await openInside(root, path)
  return typeof opened === "string" ? opened : readWhole(opened.handle, most)
}

/** The failure in words, for `<file> …`. */
export const failureText = (failure: SmallFileFailure, most: number): string => {
  switch (failure) {
    case "missing":
      return "does not exist"
    case "denied":
      return "may not be read by the gateway's user"
    case "directory":
      return "is a folder"
    case "special":
      return "is no regular file"
    case "outside":
      return "is a link that leads out of its folder"
    case "large":
      return `has more than ${most} bytes`
  }
}
