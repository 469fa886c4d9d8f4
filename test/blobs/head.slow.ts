import { readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { build, form } from "../resources/support.ts"
import { archiving } from "../support/archiving.ts"
import { configuration } from "../support/conf.ts"
import { flowlineForm } from "../support/gateway.ts"
import { site } from "../support/process-gateway.ts"

it.live("HEAD of a stored file whose bytes are gone says what GET says", () =>
  Effect.gen(function* () {
    const conf = yield* configuration
    writeFileSync(join(conf.folderOf("mytenant"), "small.log"), "one line\n")
    const here = yield* site({ variables: { FLOW_CONF: conf.root } })
    yield* Effect.promise(async () => {
      const { url } = await here.start()
      const at = (path: string) => `${url}/v1/mytenant/${path}`
      const sent = async (method: string, path: string, body: FormData) => {
        const answer = await fetch(at(path), { method, body })
        expect(answer.ok).toBe(true)
        return answer.text()
      }
      await sent("POST", "registry", form({ file: { bytes: "some bytes" }, path: "lists/a.txt" }))
      await sent("PUT", "resources/upload", build({}, "a build"))
      const { id } = JSON.parse(await sent("POST", "flowline", flowlineForm(archiving("small.log")))) as {
        readonly id: string
      }
      await expect.poll(async () => (await fetch(at(`archives/${id}`))).status, { timeout: 30_000 }).toBe(200)

      const files = [
        "registry/download/lists/a.txt",
        "resources/download?group=org.example&artifact=tool",
        "resources/content/org/example/tool/build.txt",
        `archives/${id}`
      ]
      const statuses = async (method: string, headers = {}) => {
        const answers = await Promise.all(files.map((path) => fetch(at(path), { method, headers })))
        return answers.map(({ status }) => status)
      }
      expect(await statuses("GET")).toEqual([200, 200, 200, 200])
      expect(await statuses("HEAD")).toEqual([200, 200, 200, 200])
      for (const entry of readdirSync(join(here.data, "blobs"), { recursive: true, withFileTypes: true })) {
        if (entry.isFile() && /^[0-9a-f]{64}$/.test(entry.name)) rmSync(join(entry.parentPath, entry.name))
      }
      expect(await statuses("GET")).toEqual([504, 504, 504, 504])
      expect(await statuses("HEAD")).toEqual([504, 504, 504, 504])
    })
  }).pipe(Effect.scoped)
)
