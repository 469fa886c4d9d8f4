import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result, Stream } from "effect"
import * as SecretFiles from "../../src/layers/secrets/SecretFiles.ts"
import { AccessRules } from "../../src/services/access/AccessRules.ts"
import { Audit } from "../../src/services/audit/Audit.ts"
import { SecretStore } from "../../src/services/secrets/SecretStore.ts"
import { Secrets } from "../../src/services/secrets/Secrets.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import * as MemoryAudit from "../memory/Audit.ts"
import * as MemoryStore from "../memory/SecretStore.ts"
import { temporaryFolder, testSettings } from "../support/gateway.ts"

const tenant = TenantId("mytenant")

type Sources = Readonly<Record<string, { readonly env: string } | { readonly file: string }>>

/** Secrets on a folder, and on an access file of which only this is known. */
const secretsOf = <A, E, R>(
  folder: string,
  sources: Sources,
  use: (secrets: Secrets["Service"], store: SecretStore["Service"]) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const rules = { tenants: { [tenant]: { secrets: sources } } }
    const access = Layer.succeed(AccessRules, {
      current: () => rules,
      changes: Stream.succeed(rules),
      faulty: () => false
    })
    const settings = testSettings({
      databaseUrl: "postgres://unused",
      data: folder,
      auth: join(folder, "access.yaml"),
      secrets: { folder, keyFile: undefined }
    })
    const layer = Secrets.layer.pipe(
      Layer.provideMerge(MemoryStore.layer),
      Layer.provide(SecretFiles.layer),
      Layer.provide(Layer.provide(Audit.layer, MemoryAudit.layer)),
      Layer.provide(access),
      Layer.provide(settings)
    )
    return yield* Effect.gen(function* () {
      return yield* use(yield* Secrets, yield* SecretStore)
    }).pipe(Effect.provide(layer))
  }).pipe(Effect.scoped)

const valueOf = (secrets: Secrets["Service"], name: string) =>
  Effect.map(secrets.values(tenant, new Map([[name, "node"]])), (result) =>
    Result.isSuccess(result) ? Redacted.value(result.success)[name] : `refused: ${result.failure}`
  )

it.live("come from the store, then the folder, then the access file", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    mkdirSync(join(folder, tenant))
    for (const name of ["A", "B", "not-a-name"]) writeFileSync(join(folder, tenant, name), `${name} of the folder\r\n`)
    writeFileSync(join(folder, "c"), "C of a file\n\n")
    process.env["TEST_SECRET_OF_D"] = "D of the environment"
    const sources = {
      A: { file: "c" },
      B: { file: "c" },
      C: { file: "c" },
      D: { env: "TEST_SECRET_OF_D" },
      E: { env: "TEST_SECRET_UNSET" },
      F: { file: "missing" },
      "not a name": { file: "c" }
    }
    yield* secretsOf(folder, sources, (secrets, store) =>
      Effect.gen(function* () {
        yield* store.put(tenant, "A", Redacted.make("A of the store"), "user:alice", 10)
        expect((yield* secrets.list(tenant)).map(({ name, source }) => `${name} ${source}`)).toEqual([
          "A store",
          "B folder",
          "C accessFile",
          "D accessFile",
          "E accessFile",
          "F accessFile"
        ])
        expect(yield* Effect.forEach(["A", "B", "C", "D"], (name) => valueOf(secrets, name))).toEqual([
          "A of the store",
          "B of the folder",
          "C of a file\n",
          "D of the environment"
        ])
        expect(yield* valueOf(secrets, "E")).toBe(
          "refused: node: the environment of the gateway has no TEST_SECRET_UNSET for the secret E"
        )
        expect(yield* valueOf(secrets, "F")).toBe(
          `refused: node: the file ${folder}/missing of the secret F does not exist`
        )
        expect(yield* valueOf(secrets, "G")).toBe(
          `refused: node: there is no secret G: it is not in the store of secrets, not in the folder of secrets, ${folder}/mytenant, and not in the access file below tenants.mytenant.secrets`
        )
        yield* secrets.remove(tenant, "A")
        expect(yield* valueOf(secrets, "A")).toBe("A of the folder")
        expect(yield* Effect.flip(secrets.remove(tenant, "A"))).toMatchObject({
          _tag: "NotFound",
          kind: "secret",
          id: "A"
        })
        expect(
          yield* secrets.warnings(
            tenant,
            new Map([
              ["A", "x"],
              ["DD", "y"],
              ["OTHER_NAME", "z"]
            ])
          )
        ).toEqual([
          'y: there is no secret "DD" yet; did you mean "D"? Runs fail without it',
          'z: there is no secret "OTHER_NAME" yet: runs fail without it'
        ])
      })
    )
  })
)

it.live("are read through the links of a mounted volume, and through none that leads out", () =>
  Effect.gen(function* () {
    const outside = yield* temporaryFolder
    writeFileSync(join(outside, "TOKEN"), "of somebody else")
    const folder = yield* temporaryFolder
    const own = join(folder, tenant)
    mkdirSync(join(own, "..2026_01"), { recursive: true })
    writeFileSync(join(own, "..2026_01", "MOUNTED"), "mounted\n")
    symlinkSync("..2026_01", join(own, "..data"))
    symlinkSync("..data/MOUNTED", join(own, "MOUNTED"))
    symlinkSync(join(outside, "TOKEN"), join(own, "LINKED"))
    mkdirSync(join(own, "FOLDER"))
    writeFileSync(join(own, "EMPTY"), "\n")
    writeFileSync(join(own, "BINARY"), new Uint8Array([0xff, 0xfe, 0]))
    writeFileSync(join(own, "MOST"), `${"x".repeat(65_536)}\r\n`)
    writeFileSync(join(own, "MORE"), "x".repeat(65_537))
    yield* secretsOf(folder, {}, (secrets) =>
      Effect.gen(function* () {
        expect(yield* valueOf(secrets, "MOUNTED")).toBe("mounted")
        const what = "in the folder of secrets"
        expect(yield* valueOf(secrets, "LINKED")).toBe(
          `refused: node: the secret LINKED ${what} is a link that leads out of its folder`
        )
        expect(yield* valueOf(secrets, "FOLDER")).toBe(`refused: node: the secret FOLDER ${what} is a folder`)
        expect(yield* valueOf(secrets, "EMPTY")).toBe(`refused: node: the secret EMPTY ${what} is empty`)
        expect(yield* valueOf(secrets, "BINARY")).toBe(`refused: node: the secret BINARY ${what} is not text in UTF-8`)
        expect((yield* valueOf(secrets, "MOST"))?.length).toBe(65_536)
        expect(yield* valueOf(secrets, "MORE")).toBe(`refused: node: the secret MORE ${what} has more than 65536 bytes`)
        writeFileSync(join(own, "MORE"), "x".repeat(65_539))
        expect(yield* valueOf(secrets, "MORE")).toBe(`refused: node: the secret MORE ${what} has more than 65536 bytes`)
        for (const name of ["A", "B", "C", "D"]) writeFileSync(join(own, name), "y".repeat(65_536))
        const together = secrets.values(tenant, new Map(["A", "B", "C", "D", "MOUNTED"].map((name) => [name, "node"])))
        expect(yield* together).toMatchObject({
          failure: "the secrets of the flowline have more than 262144 bytes together"
        })
      })
    )
  })
)

it.live("are refused over HTTP when they are no values, without being repeated", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* secretsOf(folder, {}, (secrets) =>
      Effect.gen(function* () {
        const bodies = [
          null,
          [],
          "a-secret",
          1,
          {},
          { value: 1 },
          { value: "" },
          { value: ["a-secret"] },
          { value: "a-secret\ud800" },
          { value: "x", valu: "a-secret" }
        ]
        for (const body of bodies) {
          const error = yield* Effect.flip(secrets.put(tenant, "A", body))
          expect([body, error._tag]).toEqual([body, "BadRequest"])
          expect(JSON.stringify(error)).not.toContain("a-secret")
        }
        expect(yield* Effect.flip(secrets.put(tenant, "A", { value: "ü".repeat(32_769) }))).toMatchObject({
          _tag: "TooLarge",
          limit: "secret",
          value: 65_536
        })
        expect(yield* secrets.list(tenant)).toEqual([])
        yield* secrets.put(tenant, "A", { value: "ü".repeat(32_768) })
        expect((yield* valueOf(secrets, "A"))?.length).toBe(32_768)
      })
    )
  })
)
