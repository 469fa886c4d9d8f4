import type { FileHandle } from "node:fs/promises"
import { writeFailure } from "../../drivers/Failure.ts"
import { type AppendedFile, openAppended } from "../../drivers/files/AppendedFile.ts"
import type { Area } from "../../drivers/files/Area.ts"
import { Appender } from "./Appender.ts"

/** Milliseconds after which a write checks whether the file still has its name. */
const lookMillis = 1000
const copiedBytes = 1024 * 1024

/**
 * A file that is appended to. If it was moved, for example by log rotation, or removed, later bytes go to a new file with
 * its name: in the old one nobody would find them. Calls must not overlap.
 */
export class ReopeningAppender {
  readonly #what: string
  #file: AppendedFile
  #appender: Appender
  /** The bytes that were in the file when it had its name for the last time. */
  #named: number
  #lookedAt = performance.now()

  private constructor(file: AppendedFile, what: string, named: number) {
    this.#file = file
    this.#what = what
    this.#appender = new Appender(file.handle, what)
    this.#named = named
  }

  static async open(area: Area, path: string, what: string, signal: AbortSignal): Promise<ReopeningAppender> {
    const file = await openAppended(area, path, signal)
    return new ReopeningAppender(file, what, (await file.handle.stat()).size)
  }

  get handle(): FileHandle {
    return this.#file.handle
  }

  /** Copies the chunk before it returns. */
  write(chunk: Uint8Array | string): Promise<void> | undefined {
    return this.#looking(this.#appender.write(chunk))
  }

  lend(bytes: Uint8Array, free: () => void): Promise<void> | undefined {
    return this.#looking(this.#appender.lend(bytes, free))
  }

  /** Resolves when all bytes are durable in a file that has this name, or had it and was renamed. */
  async sync(): Promise<void> {
    await this.#appender.sync()
    if (await this.#look()) await this.#appender.sync()
  }

  idle(): Promise<void> {
    return this.#appender.idle()
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  #looking(written: Promise<void> | undefined): Promise<void> | undefined {
    if (performance.now() - this.#lookedAt < lookMillis) return written
    return Promise.resolve(written).then(async () => void (await this.#look()))
  }

  /** Checks the name. Returns whether the bytes go to another file from now on. */
  async #look(): Promise<boolean> {
    this.#lookedAt = performance.now()
    const old = this.#file
    await this.#appender.idle()
    const { size } = await old.handle.stat()
    if (await old.isNamed()) {
      this.#named = size
      return false
    }
    const file = await old.again().catch((error) => {
      throw writeFailure(error, this.#what)
    })
    this.#file = file
    this.#appender = new Appender(file.handle, this.#what)
    try {
      if ((await old.handle.stat()).nlink === 0) await this.#copy(old.handle, size)
    } finally {
      await old.handle.close()
    }
    this.#named = (await file.handle.stat()).size
    return true
  }

  /** Copies the bytes that a removed file got after its removal: they would be lost. */
  async #copy(from: FileHandle, size: number): Promise<void> {
    for (let at = this.#named; at < size; ) {
      const { buffer, bytesRead } = await from.read(Buffer.allocUnsafe(copiedBytes), 0, copiedBytes, at)
      if (bytesRead === 0) return
      await this.#appender.write(buffer.subarray(0, bytesRead))
      at += bytesRead
    }
  }
}
