import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { configuration } from "../support/conf.ts"
import { site } from "../support/process-gateway.ts"

it.live("HEAD of a file of the registry whose bytes are gone says what GET says", () =>
  Effect.gen(function* () {
    const conf = yield* configuration
    const here = yield* site({ variables: { FLOW_CONF: conf.root } })
    yield* Effect.promise(async () => {
      const { url } = await here.start()
      const form = new FormData()
      form.set("file", new Blob(["some bytes"]), "a.txt")
      form.set("path", "lists/a.txt")
      const made = await fetch(`${url}/v1/mytenant/registry`, { method: "POST", body: form })
      expect(made.ok).toBe(true)
      const file = `${url}/v1/mytenant/registry/download/lists/a.txt`
      const statuses = async () => [(await fetch(file)).status, (await fetch(file, { method: "HEAD" })).status]
      const head = await fetch(file, { method: "HEAD" })
      const sha256 = head.headers.get("etag")?.replaceAll('"', "") ?? "none"
      expect(await statuses()).toEqual([200, 200])
      const blobs = join(here.data, "blobs")
      for (const entry of readdirSync(blobs, { recursive: true, withFileTypes: true })) {
        if (entry.isFile() && entry.name.includes(sha256.slice(4))) rmSync(join(entry.parentPath, entry.name))
      }
      expect(await statuses()).toEqual([504, 504])
    })
  }).pipe(Effect.scoped)
)
