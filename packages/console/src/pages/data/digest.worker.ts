import { fileDigest } from "./fileDigest.ts"

/** The worker's messages: its progress, and finally the digest or the failure. */
export type Message = { readonly read: number } | { readonly sha256: string } | { readonly failure: string }

const say = (message: Message): void => globalThis.postMessage(message)

globalThis.addEventListener("message", ({ data: file }: MessageEvent<Blob>) => {
  fileDigest(file, (read) => say({ read })).then(
    (sha256) => say({ sha256 }),
    (error: unknown) => say({ failure: String(error) })
  )
})
