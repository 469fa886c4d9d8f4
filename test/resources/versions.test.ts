import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { onBoth, TestGateway } from "../support/gateway.ts"
import { content, copy, move, register, versions } from "./stored.ts"
import { ask, tenant } from "./support.ts"

const base = `/v1/${tenant}/resources`

/** Puts files into the tenant's data area. */
const area = (files: Readonly<Record<string, string>>) =>
  Effect.map(TestGateway, ({ settings }) => {
    const root = join(settings.data, "blobs", tenant, "data")
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, path, ".."), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    return root
  })

onBoth("numbers of versions", (it) => {
  it.effect("get the next number also after the largest one that can be chosen", () =>
    Effect.gen(function* () {
      yield* area({ "m.txt": "most" })
      expect((yield* register("most", { url: "m.txt", version: "2147483647" })).status).toBe(200)
      expect((yield* register("most", { url: "m.txt", version: "2147483648" })).status).toBe(400)
      expect((yield* register("most", { url: "m.txt" })).json).toMatchObject({ metadata: [{ version: 2147483648 }] })
      expect(yield* content("most", 2147483648)).toBe("most")
      expect((yield* move("most", { destination: "moves/most", version: "2147483648" })).status).toBe(201)
      expect((yield* register("moves/most", { url: "m.txt" })).json).toMatchObject({
        metadata: [{ version: 2147483649 }]
      })
      expect((yield* copy("moves/most", { destination: "moves/most" })).status).toBe(422)
      expect((yield* ask(`${base}/stored/moves/most?version=2147483649`, { method: "DELETE" })).status).toBe(200)
      expect(yield* versions("moves/most")).toEqual([2147483648])
    })
  )
})
