import { randomBytes } from "node:crypto"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from "node:zlib"
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand
} from "@aws-sdk/client-s3"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { program } from "../../src/drivers/Programs.ts"
import type { DagNode, Flowline } from "../../src/protocol/Flowline.ts"
import { running } from "../engine/running.ts"
import { ended, engine, flowline, follow, isAlive, node, places, printed, settings, spec } from "../engine/support.ts"
import { eventually } from "../support/process.ts"
import { residentMib } from "../support/process-gateway.ts"
import { s3 } from "./bucket.ts"
import { accessKeyId, secretAccessKey } from "./ceph.ts"

const { endpoint } = inject("ceph")
const access = { endpoint, access_key_id: accessKeyId, secret_access_key: secretAccessKey }
const entry = program("run")

const freshBucket = Effect.promise(async () => {
  const bucket = `flow-${randomBytes(6).toString("hex")}`
  await s3.send(new CreateBucketCommand({ Bucket: bucket }))
  return {
    bucket,
    at: (key: string) => `s3://${bucket}/${key}`,
    put: (key: string, body: string | Buffer) =>
      s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body })),
    get: async (key: string) => {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
      return Buffer.from((await Body?.transformToByteArray()) ?? [])
    },
    isThere: (key: string) =>
      s3.send(new GetObjectCommand({ Bucket: bucket, Key: key })).then(
        () => true,
        () => false
      ),
    uploads: async () => (await s3.send(new ListMultipartUploadsCommand({ Bucket: bucket }))).Uploads?.length ?? 0
  }
})

const allowed = { entry, outbound: [new URL(endpoint).host] }

/** Runs the flowline in a separate process. */
const said = (root: string, run: Flowline, given = allowed) =>
  Effect.map(follow(spec(run)).pipe(Effect.provide(engine(settings(root, given)))), (messages) => ({
    error: ended(messages).error,
    lines: printed(messages)
  }))

const input = (path: string, given: DagNode["settings"] = {}) => node("file_input", { path, s3: access, ...given })
const shown = node("show", { format: "json" }, "file_input")
const messages = (lines: ReadonlyArray<string>) => lines.map((line) => JSON.parse(line).message)

/** Lines of this many MiB, each with its number. */
const numbered = (mebibytes: number): Buffer => {
  const line = (at: number) => `${String(at).padStart(12, "0")} ${"x".repeat(114)}\n`
  return Buffer.from(Array.from({ length: mebibytes * 8192 }, (_, at) => line(at)).join(""))
}

describe("objects of an S3 storage", () => {
  it.live("are read by key and by glob, compressed or not, and by analytics", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const { at, put } = yield* freshBucket
      yield* Effect.promise(async () => {
        await put("logs/a.log", "a\n")
        await put("logs/2026/b.log.gz", gzipSync("b\n"))
        await put("logs/2026/c.log.zst", zstdCompressSync("c\n"))
        await put("logs/empty.log", "")
        await put("logs/folder/", "")
        await put("other.csv", "name,n\nx,1\ny,2\n")
      })
      const read = (path: string) => said(root, flowline([input(path), shown]))
      expect(messages((yield* read(at("logs/**/*.log*"))).lines)).toEqual(["b", "c", "a"])
      expect(messages((yield* read(at("logs/a.log"))).lines)).toEqual(["a"])
      expect(yield* read(at("logs/empty.log"))).toEqual({ error: undefined, lines: [] })
      expect(yield* read(at("none/*.log"))).toEqual({ error: undefined, lines: [] })
      const missing = yield* read(at("logs/b.log"))
      expect(missing.error).toMatch(
        /^file_input: The object "logs\/b\.log" does not exist in .*; did you mean "logs\/a\.log"/
      )
      const sums = {
        ...flowline([
          input(at("*.csv")),
          { ...node("sql", { statement: "SELECT sum(n) AS n FROM file_input" }, "file_input") },
          node("show", { format: "json" }, "sql")
        ]),
        runtime: "analytics" as const
      }
      expect(yield* said(root, sums)).toEqual({ error: undefined, lines: ['{"n":3}'] })
    })
  )

  it.live("are written and read again by the same name, by stream and analytics", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const { at, get } = yield* freshBucket
      const words = node("generator_input", { messages: ["one", "two"], count: 2 })
      const written = { "out/a.ndjson": String, "out/b.ndjson.gz": gunzipSync, "out/c.ndjson.zst": zstdDecompressSync }
      for (const [key, decoded] of Object.entries(written)) {
        const output = node("file_output", { path: at(key), s3: access }, "generator_input")
        expect((yield* said(root, flowline([words, output]))).error).toBeUndefined()
        expect(String(decoded(yield* Effect.promise(() => get(key))))).toBe('{"message":"one"}\n{"message":"two"}\n')
        expect(messages((yield* said(root, flowline([input(at(key)), shown]))).lines)).toEqual(["one", "two"])
      }
      const copy = node("file_output", { path: at("out/d.parquet"), s3: access }, "file_input")
      const analytics = { ...flowline([input(at("out/a.ndjson")), copy]), runtime: "analytics" as const }
      expect((yield* said(root, analytics)).error).toBeUndefined()
      expect(messages((yield* said(root, flowline([input(at("out/d.parquet")), shown]))).lines)).toEqual(["one", "two"])
    })
  )

  it.live("that are large are read in ranges and written in parts, in order and in bounded memory", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const { at, put, get } = yield* freshBucket
      const content = numbered(96)
      yield* Effect.promise(() => put("large.log", content))
      const output = node("file_output", { path: at("copy.log"), s3: access, format: "lines" }, "file_input")
      const run = yield* running(settings(root, allowed), spec(flowline([input(at("large.log")), output])))
      let most = 0
      const measure = setInterval(() => {
        const now = run.pid() > 0 && isAlive(run.pid()) ? residentMib(run.pid()) : 0
        if (now > most) most = now
      }, 20)
      yield* run.over
      clearInterval(measure)
      expect(ended(run.messages).error).toBeUndefined()
      expect((yield* Effect.promise(() => get("copy.log"))).equals(content)).toBe(true)
      // Twice the content would not fit into memory with the base usage of a run.
      expect(most).toBeGreaterThan(50)
      expect(most).toBeLessThan(330)
    })
  )

  it.live("are visible only when the run has succeeded, and leave no parts when it fails or is stopped", () =>
    Effect.gen(function* () {
      const { root, data } = yield* places
      const { at, put, isThere, uploads } = yield* freshBucket
      yield* Effect.promise(() => put("large.log", numbered(24)))
      // It ends after the object has got all its bytes, and cannot put its file in place.
      const copy = { ...node("file_output", { path: at("copy.log"), s3: access }, "file_input"), component: "copy" }
      const broken = { ...node("file_output", { path: "taken" }, "file_input"), component: "broken" }
      mkdirSync(join(data, "taken", "by a folder"), { recursive: true })
      const failed = yield* said(root, flowline([input(at("large.log")), copy, broken]))
      expect(failed.error).toMatch(/^broken: .* a folder and a file have the same path/)
      expect(yield* Effect.promise(() => Promise.all([isThere("copy.log"), uploads()]))).toEqual([false, 0])

      const endless = node("generator_input", { messages: [randomBytes(60_000).toString("hex")] })
      const forever = node("file_output", { path: at("endless.log"), s3: access }, "generator_input")
      // The run has the time that it needs to remove its parts.
      const given = { ...allowed, graceMillis: 60_000 }
      const run = yield* running(settings(root, given), spec(flowline([endless, forever])))
      yield* Effect.promise(() => eventually("an upload has begun", async () => (await uploads()) > 0))
      expect(yield* Effect.promise(() => isThere("endless.log"))).toBe(false)
      yield* run.stop
      expect(yield* Effect.promise(() => Promise.all([isThere("endless.log"), uploads()]))).toEqual([false, 0])
    })
  )

  it.live("are reached only where the operator allows it, and no message has a credential", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const { at, put } = yield* freshBucket
      yield* Effect.promise(() => put("a.log", "a\n"))
      const attempt = (given: DagNode["settings"], outbound: ReadonlyArray<string>, path = at("a.log")) =>
        Effect.map(
          said(root, flowline([input(path, { s3: { ...access, ...given } }), shown]), {
            entry,
            outbound: [...outbound]
          }),
          ({ error = "" }) => {
            expect(error).not.toContain(secretAccessKey)
            expect(error).not.toContain("wrong-word")
            return error
          }
        )
      const port = new URL(endpoint).port
      expect(yield* attempt({}, [])).toMatch(/may not connect to 127\.0\.0\.1.*FLOW_OUTBOUND_ALLOW can allow it/)
      expect(yield* attempt({ endpoint: `http://localhost:${port}` }, [])).toMatch(
        /may not connect to .*FLOW_OUTBOUND_ALLOW/
      )
      expect(yield* attempt({ secret_access_key: "wrong-word" }, allowed.outbound, at("*.log"))).toMatch(
        /the secret key does not match the access key/
      )
      expect(yield* attempt({ access_key_id: "nobody" }, allowed.outbound, at("*.log"))).toMatch(
        /the server does not know the access key/
      )
      expect(yield* attempt({}, allowed.outbound, "s3://no-such-bucket-here/a.log")).toMatch(/there is no such bucket/)
    })
  )
})
