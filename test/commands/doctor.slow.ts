import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { program } from "../../src/drivers/Programs.ts"
import type { Finding } from "../../src/layers/doctor/Finding.ts"
import { isolationParts, runParts } from "../../src/protocol/Isolation.ts"
import { hasPython, isRoot } from "../isolation/victim.ts"
import { configuration } from "../support/conf.ts"
import { freshDatabase } from "../support/postgres.ts"
import { runFile } from "../support/process.ts"
import { site, temporary } from "../support/process-gateway.ts"

/** Runs the command with these variables and no others of the gateway's. */
const doctor = async (variables: Readonly<Record<string, string>>, before: ReadonlyArray<string> = []) => {
  const through = [
    ...before,
    "env",
    "-i",
    `PATH=${process.env["PATH"]}`,
    ...Object.entries(variables).map((it) => it.join("="))
  ]
  const running = runFile(new URL(program("command")), ["doctor", "--json"], { through })
  const { code } = await running.exit
  const found = JSON.parse(running.lines.join("\n")) as ReadonlyArray<Finding>
  return { code, found, of: (name: string) => found.find((finding) => finding.name === name) }
}

/** As a user whom the system does not know. */
const asNobodyKnown = ["unshare", "--user", "--map-user=54321", "--map-group=54321", "--"]
const [unshare = "", ...known] = asNobodyKnown
const mayBeUnknown = spawnSync(unshare, [...known, "true"]).status === 0

describe("flow-gateway doctor", () => {
  it.live.skipIf(!mayBeUnknown)("names a user without an entry in /etc/passwd", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const { root } = yield* configuration
      const variables = { FLOW_CONF: root, FLOW_DATA: join(folder, "data") }
      const { of } = yield* Effect.promise(() => doctor(variables, asNobodyKnown))
      expect(of("user")).toMatchObject({
        state: "missing",
        detail: expect.stringMatching(/^54321 on .* without an entry/)
      })
    })
  )

  it.live("finds nothing that would stop the gateway, and changes nothing", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const { root } = yield* configuration
      const data = join(folder, "deep/data")
      const { code, found, of } = yield* Effect.promise(() => doctor({ FLOW_CONF: root, FLOW_DATA: data }))
      expect([code, found.filter(({ state }) => state === "fault")]).toEqual([0, []])
      expect(of("settings")?.state).toBe("ok")
      expect(of("data")?.detail).toContain(`${data}, `)
      expect(of("configuration")?.detail).toContain("mytenant, othertenant")
      expect(of("database")?.detail).toContain("embedded PostgreSQL")
      expect(existsSync(join(folder, "deep"))).toBe(false)
      if (hasPython && isRoot && process.platform === "linux") {
        for (const part of isolationParts) expect(of(`isolation: ${part}`)?.state).toBe("ok")
        for (const part of runParts.filter((part) => part !== "network")) expect(of(`runs: ${part}`)?.state).toBe("ok")
      }
    })
  )

  it.live("names each thing that would stop it, and its cure, without what is secret", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      writeFileSync(join(folder, "file"), "")
      const { code, found, of } = yield* Effect.promise(() =>
        doctor({
          FLOW_CONF: join(folder, "nowhere"),
          FLOW_DATA: join(folder, "file/data"),
          FLOW_DATABASE_URL: "postgres://user:secret-word@127.0.0.1:1/flow",
          FLOW_AUTH: join(folder, "access.yaml"),
          FLOW_TLS_CERT: join(folder, "file"),
          FLOW_TLS_KEY: join(folder, "file")
        })
      )
      expect(code).toBe(1)
      const faults = found.filter(({ state }) => state === "fault")
      expect(faults.map(({ name }) => name).toSorted()).toEqual(
        ["access file", "blobs", "configuration", "data", "database", "tls"].toSorted()
      )
      for (const { cure } of faults) expect(cure).not.toBe("")
      expect(of("data")?.detail).toBe(`${join(folder, "file")} is not a folder: choose another one`)
      expect(of("database")?.detail).toContain("ECONNREFUSED")
      expect(JSON.stringify(found)).not.toContain("secret-word")
    })
  )

  it.live("reads the files and folders that a start reads", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const { root } = yield* configuration
      const base = { FLOW_CONF: root, FLOW_DATA: join(folder, "data") }
      const [access, keys] = ["access.yaml", "keys"].map((name) => join(folder, name)) as [string, string]
      writeFileSync(access, "users:\n  a: { password: secret-word, roles: {} }\n")
      writeFileSync(keys, "secret-word\n")
      const faulty = yield* Effect.promise(() =>
        doctor({
          ...base,
          FLOW_AUTH: access,
          FLOW_SECRETS_KEY_FILE: keys,
          FLOW_SECRETS: join(folder, "nowhere"),
          FLOW_ROOTS: `logs=${join(folder, "nowhere")}`
        })
      )
      expect(faulty.code).toBe(1)
      const faults = faulty.found.filter(({ state }) => state === "fault")
      expect(faults.map(({ name }) => name).toSorted()).toEqual(["access file", "key file", "root logs", "secrets"])
      expect(faulty.of("access file")?.detail).toContain("2:18 users.a.password")
      expect(faulty.of("key file")?.detail).toContain("line 1: expected <key id>")
      expect(JSON.stringify(faulty.found)).not.toContain("secret-word")
      writeFileSync(access, "tenants: { mytenant: {} }\n")
      writeFileSync(keys, `k1:${Buffer.alloc(32, 7).toString("base64")}\n`)
      const sound = {
        FLOW_AUTH: access,
        FLOW_SECRETS_KEY_FILE: keys,
        FLOW_SECRETS: root,
        FLOW_ROOTS: `logs=${folder}/logs`
      }
      mkdirSync(join(folder, "logs"))
      const { code, of } = yield* Effect.promise(() => doctor({ ...base, ...sound }))
      expect([code, of("key file")?.detail]).toEqual([0, `${keys}, keys: k1`])
      expect([of("access file"), of("root logs"), of("secrets")].map((one) => one?.state)).toEqual(["ok", "ok", "ok"])
    })
  )

  it.live("names a database of a newer gateway", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const url = yield* freshDatabase
      const sql = yield* PgClient.makeClient({ url }).pipe(Effect.provide(Reactivity.layer))
      yield* sql`insert into flow_migrations (migration_id, name) values (9000, 'later')`
      const given = { FLOW_DATA: join(folder, "data"), FLOW_DATABASE_URL: Redacted.value(url) }
      const { code, of } = yield* Effect.promise(() => doctor(given))
      expect(code).toBe(1)
      expect(of("database")).toMatchObject({ state: "fault", detail: expect.stringContaining("migration 9000 later") })
    })
  )

  it.live("names an unknown setting, and still tells of the machine", () =>
    Effect.gen(function* () {
      const { code, of } = yield* Effect.promise(() => doctor({ FLOW_PROT: "1" }))
      expect(code).toBe(1)
      expect(of("settings")).toMatchObject({ state: "fault", detail: expect.stringContaining("FLOW_PORT") })
      expect(of("node")?.state).toBe("ok")
    })
  )

  it.live("sees the gateway that runs, its database, and a certificate that ends", () =>
    Effect.gen(function* () {
      const here = yield* site({ embedded: true })
      const gateway = yield* Effect.promise(() => here.start())
      const before = readdirSync(here.data).toSorted()
      const url = Redacted.value(yield* freshDatabase)
      const [cert, key] = ["cert.pem", "key.pem"].map((name) => join(here.data, name)) as [string, string]
      const made = yield* Effect.exit(
        Effect.try(() =>
          execFileSync(
            "openssl",
            [
              "req",
              "-x509",
              "-newkey",
              "rsa:2048",
              "-nodes",
              "-days",
              "3",
              "-subj",
              "/CN=a",
              "-keyout",
              key,
              "-out",
              cert
            ],
            { stdio: "pipe" }
          )
        )
      )
      const tls = made._tag === "Success" ? { FLOW_TLS_CERT: cert, FLOW_TLS_KEY: key } : {}
      const { code, of } = yield* Effect.promise(() => doctor({ FLOW_DATA: here.data, FLOW_DATABASE_URL: url, ...tls }))
      expect(code).toBe(0)
      expect(of("gateway")?.detail).toContain(`process ${gateway.pid}, running since`)
      expect(of("database")).toMatchObject({ state: "ok", detail: expect.stringMatching(/^PostgreSQL \d+.* answers$/) })
      if (made._tag === "Success") {
        expect(of("tls")).toMatchObject({ state: "missing", cure: "renew the certificate" })
      }
      expect(
        readdirSync(here.data)
          .filter((name) => !name.endsWith(".pem"))
          .toSorted()
      ).toEqual(before)
    })
  )
})
