import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { usableRoot } from "../../src/layers/UsableRoot.ts"
import { readAccessFile } from "../../src/services/access/AccessFileReader.ts"
import { overlapFault, parseRoots, withRoots } from "../../src/services/shared/settings/RootRules.ts"
import { temporaryFolder } from "../support/gateway.ts"

const own = [
  { setting: "FLOW_DATA", path: "/var/lib/flow" },
  { setting: "FLOW_AUTH", path: "/etc/flow/access.yaml" }
]

const faultsOf = (text: string) => {
  const read = readAccessFile({ name: "access.yaml", bytes: new TextEncoder().encode(text) }, own)
  return Result.isFailure(read) ? read.failure : []
}

describe("FLOW_ROOTS", () => {
  it("names folders, read-only unless it says otherwise", () => {
    expect(parseRoots("applogs=/var/log/app:ro, out=/srv//out/:rw,plain=/a b/c:d")).toEqual(
      Result.succeed({
        applogs: { path: "/var/log/app", writable: false },
        out: { path: "/srv/out", writable: true },
        plain: { path: "/a b/c:d", writable: false }
      })
    )
  })

  it("is refused with what is wrong", () => {
    const cases = [
      ["/var/log", /^"\/var\/log" names no folder; expected a list as in applogs=/],
      ["a=/x,,b=/y", /^"" names no folder/],
      ["a=var/log", /^a: expected an absolute path/],
      ["a=", /^a: expected an absolute path/],
      ["a=/x/../y", /^a: the path has .* segment/],
      ["a b=/x", /^"a b" is no name of a root/],
      ["__proto__=/x", /is no name of a root/],
      ["conf=/x", /^every tenant has a root "conf" already/],
      ["data=/x", /^every tenant has a root "data" already/],
      ["a=/x,a=/y", /^two roots have the name "a"/]
    ] as const
    for (const [text, reason] of cases) {
      const parsed = parseRoots(text)
      expect(Result.isFailure(parsed) ? parsed.failure : "accepted").toMatch(reason)
    }
  })

  it("opens nothing that the gateway keeps for itself", () => {
    const cases = ["/", "/var/lib", "/var/lib/flow", "/var/lib/flow/blobs/other", "/etc/flow"]
    for (const path of cases) expect(overlapFault(path, own)).toMatch(/^\S+ (contains|lies in) \S+ \(FLOW_/)
    for (const path of ["/var/lib/flowers", "/etc/flows"]) expect(overlapFault(path, own)).toBeUndefined()
  })

  it.effect("opens it through no link either, and names a folder that is missing", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* Effect.promise(async () => {
        const data = join(folder, "data")
        mkdirSync(join(data, "blobs"), { recursive: true })
        symlinkSync(data, join(folder, "link"))
        const check = (path: string) =>
          usableRoot("logs", { path, writable: true }, [{ setting: "FLOW_DATA", path: data }]).then(
            () => "usable",
            (error) => String(error.message)
          )
        expect(await check(join(folder, "link", "blobs"))).toMatch(/^logs: .* lies in .* \(FLOW_DATA\)/)
        expect(await check(join(folder, "none"))).toMatch(/^logs: there is no folder /)
        mkdirSync(join(folder, "logs"))
        expect(await check(join(folder, "logs"))).toBe("usable")
      })
    })
  )
})

describe("roots of the access file", () => {
  it("add to those of the setting, replace them and take them away", () => {
    const general = { a: { path: "/a", writable: false }, b: { path: "/b", writable: false } }
    expect(withRoots(general, { b: "/bb:rw", a: null, c: "/c" })).toEqual({
      b: { path: "/bb", writable: true },
      c: { path: "/c", writable: false }
    })
    expect(withRoots(general, undefined)).toBe(general)
  })

  it("have their faults at their lines and columns", () => {
    const file = (root: string) => `tenants:\n  web:\n    roots:\n      ${root}\n`
    expect(faultsOf(file("applogs: /var/log/app:ro"))).toEqual([])
    expect(faultsOf(file("applogs: null"))).toEqual([])
    const cases = [
      ["applogs: var/log", /^4:16 tenants\.web\.roots\.applogs: expected an absolute path/i],
      ["applogs: 7", /^4:16 tenants\.web\.roots\.applogs: Expected/],
      ["conf: /srv", /^4:7 tenants\.web\.roots\.conf: every tenant has a root "conf" already/i],
      ["all: /var/lib", /^4:12 tenants\.web\.roots\.all: \/var\/lib contains \/var\/lib\/flow \(FLOW_DATA\)/]
    ] as const
    for (const [root, fault] of cases) expect(faultsOf(file(root)).join("; ")).toMatch(fault)
  })
})
