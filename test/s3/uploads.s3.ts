import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { type ClientRequest, type IncomingMessage, request } from "node:http"
import { text } from "node:stream/consumers"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { eventually } from "../support/process.ts"
import { site } from "../support/process-gateway.ts"
import { freshPlace, keysIn, uploadsIn } from "./bucket.ts"
import { accessKeyId, killed, secretAccessKey, startRadosgw } from "./ceph.ts"

const mib = 1024 * 1024
const manifest = "group: org.example\nartifact: large\nversion: 1.0.0\ntype: FILE\n"
const query = "group=org.example&artifact=large"

const prepared = Effect.gen(function* () {
  const server = yield* Effect.acquireRelease(
    Effect.promise(() => startRadosgw(inject("ceph").folder)),
    ({ child }) => Effect.promise(() => killed(child))
  )
  const place = { ...(yield* freshPlace), endpoint: server.endpoint }
  const here = yield* site({
    variables: {
      FLOW_BLOBS: `s3://${accessKeyId}:${secretAccessKey}@${place.bucket}/${place.prefix}?endpoint=${server.endpoint}`
    }
  })
  return { here, place, server }
})

const formOf = (build: Uint8Array<ArrayBuffer>): FormData => {
  const form = new FormData()
  form.set("manifest", new Blob([manifest]), "manifest.yaml")
  form.set("input", new Blob([build]), "large.bin")
  return form
}

const head = (name: string, file: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"; filename="${file}"\r\n` +
  "Content-Type: application/octet-stream\r\n\r\n"

/** An upload that continues until its request is destroyed or answered. */
const endless = (url: string): { readonly sending: ClientRequest; readonly answer: Promise<IncomingMessage> } => {
  const sending = request(`${url}/v1/mytenant/resources/upload`, {
    method: "PUT",
    headers: { "content-type": "multipart/form-data; boundary=x" }
  })
  const answer = once(sending, "response").then(([response]) => response)
  answer.catch(() => {})
  sending.on("error", () => {})
  sending.write(`${head("manifest", "manifest.yaml")}${manifest}\r\n${head("input", "large.bin")}`)
  const piece = randomBytes(mib)
  const timer = setInterval(() => {
    if (sending.destroyed || sending.writableEnded) clearInterval(timer)
    else if (!sending.writableNeedDrain) sending.write(piece)
  }, 5)
  sending.on("close", () => clearInterval(timer))
  return { sending, answer }
}

describe("uploads into S3", () => {
  it.live("are stored whole and tell where", () =>
    Effect.gen(function* () {
      const { here, place } = yield* prepared
      yield* Effect.promise(async () => {
        const { url } = await here.start()
        const build = randomBytes(20 * mib)
        const body = formOf(build)
        const answer = await fetch(`${url}/v1/mytenant/resources/upload`, { method: "PUT", body })
        const metadata = await answer.text()
        expect([answer.status, metadata]).toEqual([201, expect.stringContaining(`s3://${place.bucket}/`)])
        expect(metadata).not.toContain(secretAccessKey)
        const download = await fetch(`${url}/v1/mytenant/resources/download?${query}`)
        expect(Buffer.from(await download.arrayBuffer()).equals(build)).toBe(true)
      })
    })
  )

  it.live("that the server freezes under are 504 and leave nothing", () =>
    Effect.gen(function* () {
      const { here, place, server } = yield* prepared
      yield* Effect.promise(async () => {
        const { url } = await here.start()
        const { sending, answer } = endless(url)
        await eventually("it is on its way", async () => (await uploadsIn(place)).length === 1)
        server.child.kill("SIGSTOP")
        const began = performance.now()
        const response = await answer
        // The deadline of 5 seconds, and nearly another one for a busy machine.
        expect(performance.now() - began).toBeLessThan(9500)
        expect(response.statusCode).toBe(504)
        expect(JSON.parse(await text(response))).toMatchObject({ status: 504, storage: "data" })
        sending.destroy()
        server.child.kill("SIGCONT")
        expect((await fetch(`${url}/v1/mytenant/resources/metadata?${query}`)).status).toBe(404)
        expect(await keysIn(place)).toEqual([])
      })
    })
  )

  it.live("whose client leaves, or whose gateway is killed, leave nothing", () =>
    Effect.gen(function* () {
      const { here, place } = yield* prepared
      yield* Effect.promise(async () => {
        const first = await here.start()
        const left = endless(first.url)
        await eventually("it is on its way", async () => (await uploadsIn(place)).length === 1)
        left.sending.destroy()
        await eventually("it is gone", async () => (await uploadsIn(place)).length === 0)
        const cut = endless(first.url)
        await eventually("the next is on its way", async () => (await uploadsIn(place)).length === 1)
        await first.kill("SIGKILL")
        cut.sending.destroy()
        const second = await here.start()
        await eventually("it is swept", async () => (await uploadsIn(place)).length === 0)
        expect(await keysIn(place)).toEqual([])
        expect((await fetch(`${second.url}/v1/mytenant/resources/metadata?${query}`)).status).toBe(404)
      })
    })
  )
})
