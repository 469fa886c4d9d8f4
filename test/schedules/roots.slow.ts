import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fileAccess } from "../limits/access.ts"
import { gatewayOn } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { allEnded, call, filesOf, firings, put, readingTrigger, saved, untilFirings } from "./support.ts"

const machine = mkdtempSync(join(tmpdir(), "flow-away-"))
afterAll(() => rmSync(machine, { recursive: true, force: true }))

const access = fileAccess()

const faultOf = (name: string) =>
  Effect.map(call("GET", `schedules/${name}`), ({ body }) => body.fault as string | null)
const untilFault = (name: string, holds: (fault: string | null) => boolean) => until(faultOf(name), holds)

layer(gatewayOn(access.layer), { excludeTestServices: true })("schedules of a root that goes away", (it) => {
  it.effect("say that a root is away, fire everything else, and go on without firing twice", () =>
    Effect.gen(function* () {
      const gone = join(machine, "gone")
      const here = join(machine, "here")
      mkdirSync(here)
      yield* access.changeFile({ tenants: { mytenant: { roots: { share: here } } } })
      writeFileSync(join(here, "old.log"), "old\n")
      const flowline = yield* saved(readingTrigger("share"))
      // A plain path as well: a missing file must not be taken for the answer of an unavailable root.
      yield* put("all", { flowline, trigger: { file: { root: "share", path: "*.log", restsFor: "1s" } } })
      yield* put("one", { flowline, trigger: { file: { root: "share", path: "old.log", restsFor: "1s" } } })
      writeFileSync(join(here, "new.log"), "new\n")
      yield* untilFirings("all", allEnded(1))

      renameSync(here, gone)
      const away = 'The folder of the root "share" does not exist on the gateway\'s machine'
      for (const name of ["all", "one"]) expect(yield* untilFault(name, (fault) => fault !== null)).toBe(away)
      expect((yield* put("third", { flowline, trigger: { file: { root: "share", path: "*" } } })).body.issues).toEqual([
        { part: "body", pointer: "/trigger/file/root", detail: away }
      ])
      yield* put("timed", { flowline: yield* saved(), trigger: { every: "1s" } })
      yield* untilFirings("timed", (all) => all.some(({ state }) => state === "SUCCEEDED"))
      yield* call("DELETE", "schedules/timed")

      // An unmounted share leaves an empty folder.
      mkdirSync(here)
      for (const name of ["all", "one"]) yield* untilFault(name, (fault) => fault === null)
      writeFileSync(join(here, "local.log"), "local\n")
      yield* untilFirings("all", allEnded(2))
      rmSync(here, { recursive: true })
      for (const name of ["all", "one"]) yield* untilFault(name, (fault) => fault !== null)
      renameSync(gone, here)
      for (const name of ["all", "one"]) yield* untilFault(name, (fault) => fault === null)
      writeFileSync(join(here, "last.log"), "last\n")
      yield* untilFirings("all", (all) => allEnded(3)(all) && all.some(({ file }) => file === "last.log"))
      expect(yield* filesOf("all")).toEqual(["new.log", "local.log", "last.log"])
      expect(yield* firings("one")).toEqual([])

      // Nor does a root that the operator takes away stop anything.
      yield* access.changeFile({})
      expect(yield* untilFault("all", (fault) => fault !== null)).toMatch(/^There is no root "share"/)
      yield* access.changeFile({ tenants: { mytenant: { roots: { share: here } } } })
      yield* untilFault("all", (fault) => fault === null)
      writeFileSync(join(here, "back.log"), "back\n")
      yield* untilFirings("all", (all) => allEnded(4)(all) && all.some(({ file }) => file === "back.log"))
      expect(yield* filesOf("all")).toEqual(["new.log", "local.log", "last.log", "back.log"])
      for (const name of ["all", "one"]) yield* call("DELETE", `schedules/${name}`)
      yield* access.changeFile({})
    })
  )
})
