import type { Message } from "./digest.worker.ts"

/** The browser cannot read the file: it is a folder, or was changed or moved after its selection. */
export class Unreadable extends Error {}

/** The SHA-256 of a file in hex, computed by a worker that reads the file in slices. */
export const digestOf = (file: Blob, signal: AbortSignal, onRead: (bytes: number) => void): Promise<string> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./digest.worker.ts", import.meta.url), { type: "module" })
    const end = () => worker.terminate()
    signal.addEventListener("abort", () => {
      end()
      reject(signal.reason)
    })
    worker.addEventListener("error", () => {
      end()
      reject(new TypeError("Failed to fetch"))
    })
    worker.addEventListener("message", ({ data }: MessageEvent<Message>) => {
      if ("read" in data) {
        onRead(data.read)
        return
      }
      end()
      if ("sha256" in data) resolve(data.sha256)
      else reject(new Unreadable(data.failure))
    })
    worker.postMessage(file)
  })
