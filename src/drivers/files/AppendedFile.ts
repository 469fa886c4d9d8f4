import { constants } from "node:fs"
import { type FileHandle, lstat, mkdir, open, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Schema } from "effect"
import { fileKey, fileText, placeOf } from "../../protocol/Roots.ts"
import { codeOf, Failure, writeFailure } from "../Failure.ts"
import type { Area } from "./Area.ts"
import { lockPath } from "./FileLock.ts"
import { segments } from "./PathNames.ts"

/**
 * How much of a file belongs to saved positions. `file` is its inode and time of birth, which another file of the same
 * name does not have, also on another machine.
 */
export const FilePlace = Schema.Struct({ file: Schema.String, bytes: Schema.Finite })
export type FilePlace = typeof FilePlace.Type

const isPlace = Schema.is(FilePlace)

/** Milliseconds to wait for a process that appends to the file: one of an earlier attempt is gone by then. */
const patience = 30_000

/** Makes the entries of a folder durable. */
export const syncFolder = async (path: string) => {
  const folder = await open(path, "r")
  await folder.sync().finally(() => folder.close())
}

/** Fails if a root, or the parent of a tenant's data area, is missing: its disk is not mounted. It is not created. */
export const checkPresent = async ({ root, folder, isShared }: Area, what: string): Promise<void> => {
  const found = await stat(isShared ? folder : dirname(folder)).catch(() => undefined)
  if (found?.isDirectory() === true) return
  throw new Failure(
    `${what} could not be written: the folder of ${placeOf(root)} does not exist on the gateway's machine`
  )
}

/**
 * Creates the folders of `parts` below an area one at a time and durably. Refuses links, which could lead out of it.
 */
export const makeFolders = async (area: Area, parts: ReadonlyArray<string>, what: string): Promise<string> => {
  const { root, folder: base, isShared } = area
  const mode = isShared ? 0o777 : 0o700
  await checkPresent(area, what)
  // Recursive only so that an existing folder is not a failure: the parent exists.
  if (!isShared) await mkdir(base, { recursive: true, mode })
  let folder = base
  for (const part of parts) {
    const above = folder
    folder = join(folder, part)
    const made = await mkdir(folder, mode).then(
      () => true,
      (error) => {
        if (codeOf(error) !== "EEXIST") throw error
        return false
      }
    )
    if (made) await syncFolder(above)
    else {
      const found = await lstat(folder)
      if (found.isSymbolicLink()) {
        throw new Failure(`${what} could not be written: "${part}" is a link, which could lead out of ${placeOf(root)}`)
      }
      if (!found.isDirectory()) throw new Failure(`${what} could not be written: "${part}" is not a folder`)
    }
  }
  return folder
}

/** Truncates the file after its last line end. */
const trim = async (handle: FileHandle): Promise<void> => {
  const { size } = await handle.stat()
  const length = 1024 * 1024
  for (let end = size; end > 0; end -= length) {
    const from = Math.max(0, end - length)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(end - from), 0, end - from, from)
    const at = buffer.subarray(0, bytesRead).lastIndexOf(0x0a)
    if (at !== -1 && from + at + 1 < size) return handle.truncate(from + at + 1)
    if (at !== -1) return
  }
  if (size > 0) await handle.truncate(0)
}

/** The place of the file's end. */
export const endOf = async (handle: FileHandle): Promise<FilePlace> => {
  const { ino, birthtimeNs, size } = await handle.stat({ bigint: true })
  return { file: `${ino}.${birthtimeNs}`, bytes: Number(size) }
}

/** A file that is open for appending, locked against other processes. */
export interface AppendedFile {
  readonly handle: FileHandle
  /** Whether the path still is this file, which may have been moved or removed. */
  readonly isNamed: () => Promise<boolean>
  /** Opens the file that now has the path, or a new one, under the same lock. The caller closes this one's handle. */
  readonly again: () => Promise<AppendedFile>
  readonly close: () => Promise<void>
}

const openFile = async (area: Area, path: string): Promise<Pick<AppendedFile, "handle" | "isNamed">> => {
  const what = `The file ${fileText(fileKey(area.root, path))}`
  const folders = [...segments(path)]
  const name = folders.pop()!
  const folder = await makeFolders(area, folders, what)
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const at = join(folder, name)
  const handle = await open(at, flags, area.isShared ? 0o666 : 0o600).catch((error) => {
    throw codeOf(error) === "ELOOP"
      ? new Failure(`${what} could not be written: it is a link`)
      : writeFailure(error, what)
  })
  try {
    if (!(await handle.stat()).isFile()) throw new Failure(`${what} could not be written: it is not a regular file`)
    await trim(handle)
    await syncFolder(folder)
    return { handle, isNamed: () => isAt(at, handle) }
  } catch (error) {
    await handle.close()
    throw error
  }
}

const isAt = async (path: string, handle: FileHandle): Promise<boolean> => {
  const own = await handle.stat({ bigint: true })
  try {
    const { dev, ino } = await lstat(path, { bigint: true })
    return dev === own.dev && ino === own.ino
  } catch (error) {
    // If the folder cannot be read, the file may still be there.
    return codeOf(error) !== "ENOENT"
  }
}

/**
 * Opens a file of an area for appending, when no other process does any more. An incomplete last
 * line, left by an interrupted run, is removed.
 */
export const openAppended = async (area: Area, path: string, signal?: AbortSignal): Promise<AppendedFile> => {
  const release = await lockPath(area.locks, path, patience, signal)
  const opened = async (): Promise<AppendedFile> => {
    const file = await openFile(area, path)
    return { ...file, again: opened, close: () => file.handle.close().finally(release) }
  }
  try {
    return await opened()
  } catch (error) {
    release()
    throw error
  }
}

/** Cuts what is behind the place, if it is one of this very file. Answers the place of the end. */
export const settle = async (area: Area, path: string, place: unknown): Promise<FilePlace> => {
  const { handle, close } = await openAppended(area, path)
  try {
    const end = await endOf(handle)
    if (!isPlace(place) || place.file !== end.file || place.bytes >= end.bytes) return end
    await handle.truncate(place.bytes)
    await handle.sync()
    return place
  } finally {
    await close()
  }
}
