import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { ask, form, manifestOf, tenant, upload } from "../resources/support.ts"
import { onBoth } from "../support/gateway.ts"

const base = `/v1/${tenant}/resources`

onBoth("manifests", (it) => {
  it.effect("take scalars of the manifest as they are written", () =>
    Effect.gen(function* () {
      const manifest = `
# a comment
group: org.example
artifact: scalars
version: 1.10 # no 1.1
type: FILE
description: 2026-01-02
displayName: 0x10
keywords: [1.0, true, 'x', ~ ]
changelog:
  - 1e3
  - 01
links: [ { name: 7, url: no } ]
provider: { name: 12345678901234567890, extra: 1 }
readme:
storage: { url: "http://127.0.0.1:1/never" }
file: ../../lie
unknown: [1]
`
      const answer = yield* ask(`${base}/upload`, {
        method: "PUT",
        body: form({
          manifest: { bytes: manifest.replace(", ~", ""), name: "m.yaml" },
          input: { bytes: "b", name: "b.bin" }
        })
      })
      expect(answer.json).toMatchObject({
        version: "1.10",
        description: "2026-01-02",
        displayName: "0x10",
        keywords: ["1.0", "true", "x"],
        changelog: ["1e3", "01"],
        links: [{ name: "7", url: "no" }],
        provider: { name: "12345678901234567890" },
        file: "b.bin"
      })
      expect(answer.json).not.toHaveProperty("readme")
      expect(answer.text).not.toContain("never")
    })
  )

  it.effect("refuse a manifest with all that is wrong with it, each with its place", () =>
    Effect.gen(function* () {
      const issues = (
        manifest: string | Uint8Array<ArrayBuffer>,
        input: { bytes: string; name: string } = { bytes: "b", name: "b.txt" }
      ) =>
        Effect.map(
          ask(`${base}/upload`, {
            method: "PUT",
            body: form({ input, manifest: { bytes: manifest, name: "manifest" } })
          }),
          (answer) => {
            expect([String(manifest).slice(0, 40), answer.status]).toEqual([String(manifest).slice(0, 40), 400])
            return (
              answer.json as {
                readonly issues: ReadonlyArray<{
                  readonly pointer?: string
                  readonly line?: number
                  readonly detail: string
                  readonly part?: string
                }>
              }
            ).issues
          }
        )
      const found = yield* issues(
        "group: a..b\nartifact: 'a b'\nversion: '1 2'\ntype: THING\nkeywords: no\nlinks: [ 1 ]\nproperties: []\n"
      )
      expect(found.map(({ pointer, line }) => [pointer, line])).toEqual([
        ["/group", 1],
        ["/artifact", 2],
        ["/version", 3],
        ["/type", 4],
        ["/keywords", 5],
        ["/links/0", 6],
        ["/properties", 7]
      ])
      expect((yield* issues("{}")).map(({ pointer }) => pointer)).toEqual(["/group", "/artifact", "/version", "/type"])
      expect(yield* issues(manifestOf({ size: 2 }))).toMatchObject([{ part: "manifest", pointer: "/size", line: 1 }])
      expect(yield* issues(manifestOf({ sha256: "00" }))).toMatchObject([{ pointer: "/sha256" }])
      for (const text of [
        "",
        "- a\n- b\n",
        "a: [1\n",
        "just text",
        "a: 1\na: 2\n",
        "\u0000",
        "[".repeat(5000),
        "&a [*a]",
        "{{{"
      ]) {
        expect((yield* issues(text)).length).toBeGreaterThan(0)
      }
      expect((yield* issues(Uint8Array.of(0xff, 0xfe, 0x00))).length).toBeGreaterThan(0)
      for (const name of ["a/b", "..", "a\\b", "é".repeat(128)]) {
        const [issue] = yield* issues(manifestOf({ artifact: "names" }), { bytes: "b", name })
        expect([name, issue?.part]).toEqual([name, "input"])
      }
      for (const [member, value] of [
        ["group", "a".repeat(256)],
        ["group", "../../etc"],
        ["group", "a/b"],
        ["artifact", "x".repeat(1000)],
        ["artifact", "\u202egnp.exe"],
        ["artifact", "..%2f"],
        ["version", "1".repeat(200)],
        ["version", "../1"]
      ] as const) {
        expect((yield* issues(manifestOf({ [member]: value })))[0]?.pointer).toBe(`/${member}`)
      }
    })
  )

  it.effect("keep names of files as they are, whatever the script", () =>
    Effect.gen(function* () {
      for (const [at, name] of [
        "büild 日本.txt",
        "a;b=c.txt",
        "%2e%2e",
        "\u202egnp.txt",
        "-rf",
        "__proto__"
      ].entries()) {
        const made = yield* upload({ artifact: "names", version: `1.${at}` }, name, name)
        expect(made.file).toBe(name)
        const download = yield* ask(`${base}/download?group=org.example&artifact=names&version=1.${at}`)
        expect([download.status, download.text]).toEqual([200, name])
      }
    })
  )
})
