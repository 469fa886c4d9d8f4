import { createHash, randomBytes } from "node:crypto"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { site } from "../support/process-gateway.ts"
import { random } from "../support/random.ts"
import { build, form } from "./support.ts"

const kills = 3
const writers = 4

interface Written {
  readonly kind: "artifact" | "registry"
  readonly name: string
  readonly sha256: string
  /** Whether the gateway confirmed that it is stored. */
  acknowledged: boolean
}

const base = (url: string) => `${url}/v1/mytenant`
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

/** Writes files of all sizes until the gateway is gone, and keeps the ledger. */
const write = async (url: string, worker: string, ledger: Array<Written>): Promise<void> => {
  for (let at = 0; ; at++) {
    const bytes = new Uint8Array(randomBytes([10, 70_000, 1_500_000][at % 3]!))
    const kind = at % 2 === 0 ? "artifact" : "registry"
    const name = `${worker}-${at}`
    const written: Written = { kind, name, sha256: sha256(bytes), acknowledged: false }
    ledger.push(written)
    try {
      const answer =
        kind === "artifact"
          ? await fetch(`${base(url)}/resources/upload`, { method: "PUT", body: build({ artifact: name }, bytes) })
          : await fetch(`${base(url)}/registry`, { method: "POST", body: form({ file: { bytes }, path: name }) })
      written.acknowledged = answer.status === (kind === "artifact" ? 201 : 200)
      await answer.arrayBuffer()
    } catch {
      return
    }
  }
}

const read = async (url: string, { kind, name }: Written): Promise<string | undefined> => {
  const path =
    kind === "artifact" ? `resources/download?group=org.example&artifact=${name}` : `registry/download/${name}`
  const answer = await fetch(`${base(url)}/${path}`)
  const bytes = new Uint8Array(await answer.arrayBuffer())
  if (answer.status === 404) return undefined
  expect([name, answer.status]).toEqual([name, 200])
  return sha256(bytes)
}

it.live(
  `what was acknowledged is there, whole, after ${kills} kills at any moment; what was not is there whole or not at all`,
  () =>
    Effect.gen(function* () {
      const here = yield* site()
      const { seed, below } = random()
      yield* Effect.promise(async () => {
        const ledger: Array<Written> = []
        for (let round = 0; round < kills; round++) {
          const gateway = await here.start()
          const at = ledger.length
          const working = Array.from({ length: writers }, (_, worker) =>
            write(gateway.url, `w${round}-${worker}`, ledger)
          )
          // At any moment: within the first write, or some time after one was acknowledged.
          const isAcknowledged = () => ledger.slice(at).some(({ acknowledged }) => acknowledged)
          if (round % 2 === 0) await eventually("a write is acknowledged", isAcknowledged)
          await sleep(below(150))
          await gateway.kill("SIGKILL")
          await Promise.all(working)
          expect(ledger.length).toBeGreaterThan(at)
        }
        const last = await here.start()
        let acknowledged = 0
        for (const written of ledger) {
          const found = await read(last.url, written)
          if (written.acknowledged) acknowledged++
          if (written.acknowledged || found !== undefined)
            expect([written.name, found], `seed ${seed}`).toEqual([written.name, written.sha256])
        }
        expect(acknowledged).toBeGreaterThanOrEqual(kills / 2)
        // Nobody writes now, so the unfinished writes of the killed gateways are gone.
        const temporary = join(here.data, "blobs/mytenant/tmp")
        await eventually("nothing temporary is left", () => readdirSync(temporary).length === 0)
        const listed = await (await fetch(`${base(last.url)}/resources/list?all=true`)).text()
        expect(JSON.parse(listed).length + ledger.filter(({ kind }) => kind === "registry").length).toBeLessThanOrEqual(
          ledger.length
        )
      })
    })
)
