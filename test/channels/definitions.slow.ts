import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { expect, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { ChannelFiles } from "../../src/services/channels/ChannelFiles.ts"
import { configuration } from "../support/conf.ts"
import { gateway, raw, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { equalFiles, filesOnDisk, replaced } from "./replacing.ts"

const tenant = "mytenant"
const path = (channel: string) => `/v1/${tenant}/channels/${channel}`

const structure = "applications:\n  - { name: ticks, runtime: stream }\n"
const ticks = (text: string) => `
runtime: stream
# Ticks for ever.
dag:
  - { type: generator_input, settings: { messages: ["${text}"], rate: 10 }, publish: [ { stream: out } ] }
  - { type: show, subscribe: [ { component: generator_input, stream: out } ] }
`
const files = (text = "tick") => ({ "channel_structure.yaml": structure, "ticks.yaml": ticks(text) })

const ask = (method: string, url: string, body?: unknown, headers: Record<string, string> = {}) =>
  Effect.flatMap(
    raw(url, {
      method,
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) })
    }),
    (response) =>
      Effect.promise(async () => {
        const text = await response.text()
        return { status: response.status, etag: response.headers.get("etag") ?? "", json: text && JSON.parse(text) }
      })
  )
const save = (channel: string, given: object, headers: Record<string, string> = {}) =>
  ask("PUT", path(channel), { files: given }, headers)

const writable = Layer.unwrap(Effect.map(configuration, ({ root }) => gateway({ conf: root })))
const channelsFolder = Effect.map(TestGateway, ({ settings }) => join(settings.conf, "tenants", tenant, "channels"))

layer(writable, { excludeTestServices: true })("channels over HTTP", (it) => {
  it.effect("are created, run, changed and deleted", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const params = { tenant, channel: "made" }
      const saved = yield* client.channels.save({ params, payload: { files: files() } })
      expect(saved).toEqual({
        ...{ channel: "made", jobs: ["local/ticks"], restart: [] },
        digest: expect.stringMatching(/^[0-9a-f]{64}$/)
      })
      const { digest } = saved
      expect(yield* client.channels.files({ params })).toEqual({
        ...{ channel: "made", files: files(), writable: true },
        digest
      })
      const status = client.channels.status({ params })
      expect((yield* status).status).toBe("STOPPED")
      expect((yield* ask("POST", `${path("made")}/start`)).status).toBe(201)
      yield* until(status, (now) => now.status === "ACTIVE")

      const changed = yield* client.channels.save({ params, payload: { files: files("tock") } })
      expect(changed.restart).toEqual(["local/ticks"])
      expect((yield* ask("POST", `${path("made")}/restart`)).status).toBe(201)
      const output = client.channels.output({ params: { ...params, cluster: "local", job: "ticks" }, query: {} })
      yield* until(output, ({ lines }) => lines.some(({ text }) => text.includes("tock")))

      const refused = yield* ask("DELETE", path("made"))
      expect([refused.status, refused.json.detail]).toEqual([
        409,
        "The job local/ticks is started: stop the channel first"
      ])
      expect((yield* ask("POST", `${path("made")}/stop`)).status).toBe(204)
      expect((yield* ask("DELETE", path("made"))).status).toBe(204)
      expect((yield* ask("DELETE", path("made"))).status).toBe(404)
      expect((yield* client.channels.list({ params: { tenant } })).children).toEqual([])
      expect(readdirSync(yield* channelsFolder)).toEqual([])
      const history = yield* client.audit.list({ params: { tenant }, query: {} })
      expect(
        history
          .filter(({ action }) => /^channels\.(save|remove)$/.test(action))
          .map(({ action, target }) => [action, target])
      ).toEqual([
        ["channels.save", "made"],
        ["channels.save", "made"],
        ["channels.remove", "made"]
      ])
      const digests = history.filter(({ action }) => /^channels\.(save|remove)$/.test(action))
      expect(digests[0]?.before).toBeNull()
      expect(digests[1]?.before).toBe(digests[0]?.after)
      expect(digests[2]?.before).toBe(digests[1]?.after)
    })
  )

  it.effect("change only the version that If-Match names: of ten at once, one", () =>
    Effect.gen(function* () {
      const { etag } = yield* save("one", files("0"), { "if-none-match": "*" })
      const read = yield* ask("GET", `${path("one")}/files`)
      expect([read.etag, `"${read.json.digest}"`]).toEqual([etag, etag])
      expect((yield* save("one", files("1"), { "if-none-match": "*" })).status).toBe(412)
      const all = yield* Effect.forEach(
        Array.from({ length: 10 }, (_, index) => index),
        (index) => save("one", files(`at once ${index}`), { "if-match": etag }),
        { concurrency: 10 }
      )
      expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)])
      const winner = all.findIndex(({ status }) => status === 200)
      const now = yield* ask("GET", `${path("one")}/files`)
      expect(now.json.files).toEqual(files(`at once ${winner}`))
      expect(now.etag).toBe(all[winner]!.etag)
      expect((yield* ask("DELETE", path("one"), undefined, { "if-match": etag })).status).toBe(412)
      expect((yield* ask("DELETE", path("one"), undefined, { "if-match": now.etag })).status).toBe(204)
    })
  )

  it.effect("are refused with every fault of every file, and nothing is written", () =>
    Effect.gen(function* () {
      const faulty = yield* save("faulty", {
        "channel_structure.yaml":
          "applications:\n  - { name: ticks, runtime: stream }\n  - { name: none, runtime: stream }\n" +
          "  - { name: other, runtime: analytics, flowline: other.yaml }\n",
        "ticks.yaml": ticks("a").replace("generator_input, s", "generatr_input, s"),
        "other.yaml": ticks("b")
      })
      expect(faulty.status).toBe(422)
      expect(faulty.json.issues).toMatchObject([
        { file: "channels/faulty/ticks.yaml", line: 5, column: 13, detail: expect.stringContaining("generator_input") },
        { file: "channels/faulty/ticks.yaml", line: 6, column: 45 },
        { file: "channels/faulty/none.yaml", detail: "There is no such file, or it cannot be read" },
        { file: "channels/faulty/other.yaml", pointer: "/runtime" }
      ])
      expect(faulty.json.detail).toMatch(/^channels\/faulty\/ticks\.yaml: line 5, column 13: .* \(and 3 more\)$/)
      const structured = yield* save("faulty", { "channel_structure.yaml": "applications:\n  - { runtime: streem }\n" })
      expect(structured.status).toBe(422)
      expect(structured.json.issues[0]).toMatchObject({ file: "channels/faulty/channel_structure.yaml", line: 2 })
      const names = [
        "../out.yaml",
        "/etc/x",
        "a/../b",
        "a//b",
        ".hidden",
        "a/.git/config",
        "",
        "a\\b",
        `${"x".repeat(300)}`
      ]
      for (const name of names) {
        const answer = yield* save("faulty", { ...files(), [name]: "text" })
        expect([name, answer.status, answer.json.issues?.[0]?.part]).toEqual([name, 400, "body"])
      }
      const both = yield* save("faulty", { ...files(), a: "file", "a/b": "file below a file" })
      expect([both.status, both.json.issues[0].pointer]).toEqual([400, "/files/a~1b"])
      for (const body of [{}, { files: {} }, { files: { a: 1 } }, { files: [], more: 1 }, "text", null]) {
        expect((yield* ask("PUT", path("faulty"), body)).status).toBe(400)
      }
      for (const name of ["..%2fout", ".hidden", "a%2fb", "%00"]) {
        expect([name, (yield* save(name, files())).status]).toEqual([name, name === "%00" ? 404 : 400])
      }
      expect((yield* ask("GET", `${path("faulty")}/files`)).status).toBe(404)
      expect(existsSync(join(yield* channelsFolder, "faulty"))).toBe(false)
    })
  )

  it.effect("are there while their folder is replaced, and the next change ends one that was cut off", () =>
    Effect.gen(function* () {
      const folder = yield* channelsFolder
      yield* save("cut", files("former"))
      renameSync(join(folder, "cut"), join(folder, ".cut.former"))
      mkdirSync(join(folder, ".cut.next"))
      const { client } = yield* TestGateway
      const params = { tenant, channel: "cut" }
      expect((yield* client.channels.list({ params: { tenant } })).children).toEqual([
        { name: "cut", status: "STOPPED" }
      ])
      expect((yield* client.channels.files({ params })).files).toEqual(files("former"))
      expect((yield* client.channels.status({ params })).jobs).toMatchObject([{ task: "channels/cut/ticks.yaml" }])
      expect((yield* save("cut", files("next"))).status).toBe(200)
      expect(readdirSync(folder)).toEqual(["cut"])
      yield* ask("DELETE", path("cut"))
    })
  )

  it.effect("belong to git where the configuration is a checkout: the problem says who may change them", () =>
    Effect.gen(function* () {
      const { settings } = yield* TestGateway
      yield* save("kept", files())
      const git = join(settings.conf, ".git")
      mkdirSync(git)
      for (const answer of [yield* save("kept", files("other")), yield* ask("DELETE", path("kept"))]) {
        expect(answer.status).toBe(403)
        expect(answer.json).toMatchObject({
          type: "/problems/read-only-configuration",
          tenant,
          detail: expect.stringContaining("whoever may push to its repository")
        })
      }
      const read = yield* ask("GET", `${path("kept")}/files`)
      expect(read.json).toMatchObject({ writable: false, reason: expect.stringContaining("checkout of git") })
      rmSync(git, { recursive: true })
      expect((yield* ask("DELETE", path("kept"))).status).toBe(204)
    })
  )
})

// What the killed ones leave, and who removes it, is in cut-off.slow.ts.
it.live("a channel is the former or the next one, whole, whenever a gateway that replaces it is killed", () =>
  Effect.gen(function* () {
    const { root, folderOf } = yield* configuration
    mkdirSync(join(folderOf(tenant), "channels"))
    const { read, replace } = yield* Effect.map(Layer.build(filesOnDisk(root)), (found) =>
      Context.get(found, ChannelFiles)
    )
    for (let kill = 0; kill < 8; kill++) {
      yield* Effect.promise(async () => {
        const child = spawn(process.execPath, [fileURLToPath(new URL("replacing.ts", import.meta.url)), root], {
          stdio: ["ignore", "pipe", "inherit"]
        })
        await once(child.stdout, "data")
        await sleep(kill * 7)
        child.kill("SIGKILL")
        await once(child, "exit")
      })
      const found = yield* read(replaced.tenant, replaced.channel)
      expect([equalFiles("a"), equalFiles("b")]).toContainEqual(found?.files)
    }
    yield* replace(replaced.tenant, replaced.channel, equalFiles("c"), () => Effect.void)
    expect(yield* read(replaced.tenant, replaced.channel)).toMatchObject({ files: equalFiles("c") })
  }).pipe(Effect.scoped)
)

/** Root may write everything, so the work is done as another user. */
const asOrdinaryUser = <A, E>(work: Effect.Effect<A, E>) =>
  process.getuid?.() === 0
    ? Effect.acquireUseRelease(
        Effect.sync(() => process.seteuid?.(65534)),
        () => work,
        () => Effect.sync(() => process.seteuid?.(0))
      )
    : work

it.live("a folder that the gateway's user may not write says who may", () =>
  Effect.gen(function* () {
    const { root, folderOf } = yield* configuration
    const folder = folderOf(tenant)
    chmodSync(folder, 0o555)
    const store = yield* Effect.map(Layer.build(filesOnDisk(root)), (found) => Context.get(found, ChannelFiles))
    const refused = yield* Effect.flip(store.writable(replaced.tenant)).pipe(asOrdinaryUser)
    expect(refused).toMatchObject({
      _tag: "ReadOnlyConfiguration",
      detail: expect.stringContaining("whoever manages that folder can change the channel")
    })
    chmodSync(folder, 0o755)
  }).pipe(Effect.scoped)
)
