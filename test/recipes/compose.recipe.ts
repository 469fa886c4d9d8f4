import { createHash, randomBytes } from "node:crypto"
import { readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { root } from "../support/documents.ts"
import { eventually } from "../support/process.ts"
import { childrenOf, commandOf, openBelow } from "../support/process-gateway.ts"
import { generator } from "../support/runs.ts"
import { composeUp, type Project } from "./Compose.ts"
import { blocks, folderOf, multipart, publicClient, shell } from "./support.ts"

const base = "/v1/mytenant"
const gateways = ["api", "runner1", "runner2"]

/** The project of the cluster page, in the folder that the page describes. */
class Recipe extends Context.Service<
  Recipe,
  { readonly project: Project; readonly folder: string } & ReturnType<typeof publicClient>
>()("test/recipes/Compose") {
  static readonly layer = Layer.effect(
    Recipe,
    Effect.gen(function* () {
      const folder = folderOf("compose")
      const [compose = ""] = blocks("docs/cluster.md", "## Compose", "yaml")
      const [certificate = ""] = blocks("docs/cluster.md", "## Compose", "sh")
      const [nginx = ""] = blocks("docs/reverse-proxy.md", "## nginx", "nginx")
      writeFileSync(join(folder, "compose.yaml"), compose)
      writeFileSync(join(folder, "nginx.conf"), nginx)
      symlinkSync(root, join(folder, "flow-gateway"))
      yield* Effect.promise(() => shell(folder, `cp -r flow-gateway/examples/conf conf\n${certificate}`))
      const project = yield* composeUp(compose, folder)
      const client = publicClient(readFileSync(join(folder, "proxy/cert.pem")))
      const isUp = async () => (await client.ask("GET", "/v1/platform/tenant").catch(() => undefined))?.status === 200
      yield* Effect.promise(() =>
        eventually("the published port answers", isUp).catch((error) => {
          const said = ["postgres", "proxy", ...gateways].map(
            (name) => `${name}: ${project.container(name).output().slice(-2000)}`
          )
          throw new Error([error.message, ...said].join("\n"))
        })
      )
      yield* Effect.promise(() =>
        eventually("all gateways are ready", () =>
          gateways.every((name) => project.container(name).output().includes("flow-gateway ready"))
        )
      )
      return Recipe.of({ project, folder, ...client })
    })
  )
}

interface Detail {
  readonly state: string
  readonly jobId?: string
  readonly nodes?: ReadonlyArray<{ readonly recordsOut: number }>
}

const execution = Effect.map(Recipe, ({ ask }) => {
  const post = async (path: string, text: string) => {
    const answer = await ask("POST", `${base}/${path}`, multipart({}, { name: "flowline.yaml", bytes: text }))
    expect([answer.status, answer.text]).toEqual([200, answer.text])
    return JSON.parse(answer.text) as { readonly id: string }
  }
  const detail = async (id: string) =>
    JSON.parse((await ask("GET", `${base}/flowline/${id.slice(0, 20)}/executions/${id}`)).text) as Detail
  const until = async (id: string, holds: (detail: Detail) => boolean) => {
    let last: Detail | undefined
    await eventually(`what ${id} should be`, async () => {
      last = await detail(id)
      return holds(last)
    }).catch((error) => {
      throw new Error(`${error.message}: ${JSON.stringify(last)}`)
    })
    return last!
  }
  return {
    run: (text: string) => Effect.promise(() => post("flowline", text)),
    until: (id: string, holds: (detail: Detail) => boolean) => Effect.promise(() => until(id, holds)),
    cancel: (id: string) => Effect.promise(() => ask("DELETE", `${base}/flowline/${id.slice(0, 20)}/executions/${id}`))
  }
})

const hostOf = ({ jobId = "" }: Detail): string => jobId.split(":")[0]!

const recordsOf = ({ nodes = [] }: Detail): number => nodes.reduce((sum, { recordsOut }) => sum + recordsOut, 0)

/** The gateway in a container, below the process that hands signals to it. */
const gatewayIn = (project: Project, name: string): number => {
  const [pid] = childrenOf(project.container(name).pid)
  expect(commandOf(pid!)).toMatch(/^node bin\/flow-gateway\.js/)
  return pid!
}

layer(Recipe.layer, { excludeTestServices: true })("the compose file of the cluster page", (it) => {
  it.effect("answers on its published port, to its operator, with the documented command", () =>
    Effect.gen(function* () {
      const { folder, send, ask } = yield* Recipe
      const [, curl = ""] = blocks("docs/cluster.md", "## Compose", "sh")
      expect(yield* Effect.promise(() => shell(folder, curl))).toBe('{"tenant":"mytenant"}')
      const statusOf = (path: string, headers: Record<string, string> = {}) =>
        Effect.promise(async () => {
          const answer = await send("GET", path, headers)
          answer.resume()
          return answer.statusCode
        })
      expect(yield* statusOf("/v1/platform/tenant", { authorization: "" })).toBe(401)
      expect(yield* statusOf("/v1/platform/tenant", { host: "evil.example.com" })).toBe(421)
      const operators = [
        "/metrics",
        "/metrics/",
        "//metrics",
        "/%6detrics",
        "/x/../metrics",
        "/health/ready",
        "/health"
      ]
      for (const path of operators) expect([path, yield* statusOf(path)]).toEqual([path, 403])
      for (const path of ["/METRICS", "/metrics;a", "/metrics%2f", "/v1/..%2fmetrics"]) {
        expect([path, [403, 404, 400].includes((yield* statusOf(path)) ?? 0)]).toEqual([path, true])
      }
      // A path arrives as it was sent.
      expect(JSON.parse((yield* Effect.promise(() => ask("GET", `${base}/conf/no%2Fsuch//file`))).text)).toMatchObject({
        type: expect.stringContaining("/problems/")
      })
    })
  )

  it.effect("has room in its database for all its connections", () =>
    Effect.gen(function* () {
      const { project } = yield* Recipe
      const [server = 0] = childrenOf(project.container("postgres").pid)
      const command = commandOf(project.container("postgres").pid) || commandOf(server)
      const most = Number(/max_connections=(\d+)/.exec(command)?.[1])
      // As documented: connections of each gateway and of each gateway's runs, and those reserved for superusers.
      expect(most).toBeGreaterThanOrEqual(gateways.length * 39 + 2 * 48 + 3)
    })
  )

  it.effect("takes and gives large bodies, without keeping them first", () =>
    Effect.gen(function* () {
      const { ask, send, project } = yield* Recipe
      const bytes = randomBytes(96 * 1024 * 1024)
      const sent = yield* Effect.promise(() =>
        ask("POST", `${base}/registry`, multipart({ path: "large.bin" }, { name: "large.bin", bytes }))
      )
      expect([sent.status, sent.text]).toEqual([200, sent.text])
      const received = yield* Effect.promise(async () => {
        const answer = await send("GET", `${base}/registry/download/large.bin`)
        const hash = createHash("sha256")
        for await (const chunk of answer) hash.update(chunk)
        return hash.digest("hex")
      })
      expect(received).toBe(createHash("sha256").update(bytes).digest("hex"))
      // Nor does the proxy buffer what its client does not read yet.
      const slow = yield* Effect.promise(() => send("GET", `${base}/registry/download/large.bin`))
      yield* Effect.promise(() => new Promise((done) => slow.once("readable", done)))
      for (let n = 0; n < 5; n++) yield* Effect.promise(() => ask("GET", "/v1/platform/tenant"))
      const workers = childrenOf(project.container("proxy").pid)
      expect(workers.length).toBeGreaterThan(0)
      expect(workers.flatMap((pid) => openBelow(pid, "/").filter((file) => file.includes("/nginx/proxy/")))).toEqual([])
      slow.destroy()
      // An answer that needs no body arrives before the body has been sent.
      const early = yield* Effect.promise(() =>
        send(
          "POST",
          "/v1/nobody/registry",
          { "content-type": "multipart/form-data; boundary=x", "content-length": "9000000" },
          (sending) => sending.write(bytes.subarray(0, 100_000))
        )
      )
      expect(early.statusCode).toBe(404)
      early.destroy()
    })
  )

  it.effect("passes event streams on line by line, from a run that a runner executes", () =>
    Effect.gen(function* () {
      const { send } = yield* Recipe
      const { run, until, cancel } = yield* execution
      const { id } = yield* run(generator(undefined, 2))
      const detail = yield* until(id, ({ state }) => state === "RUNNING")
      expect(hostOf(detail)).toMatch(/^runner[12]$/)
      const seen = yield* Effect.promise(async () => {
        const answer = await send("GET", `${base}/flowline/executions/${id}/output`, { accept: "text/event-stream" })
        expect(answer.headers["content-type"]).toContain("text/event-stream")
        let text = ""
        for await (const chunk of answer.setEncoding("utf8")) {
          text += chunk
          if ((text.match(/^data:/gm) ?? []).length >= 3) break
        }
        return text
      })
      // A proxy that buffers would have kept these few bytes until the run ends, which it never does.
      expect(seen.length).toBeLessThan(4096)
      expect((yield* until(id, () => true)).state).toBe("RUNNING")
      yield* cancel(id)
      yield* until(id, ({ state }) => state === "CANCELLED")
    })
  )

  it.effect("takes over the run of a runner that was killed, and starts that one again", () =>
    Effect.gen(function* () {
      const { project } = yield* Recipe
      const { run, until, cancel } = yield* execution
      const { id } = yield* run(generator(undefined, 2))
      const dead = hostOf(yield* until(id, ({ state }) => state === "RUNNING"))
      process.kill(gatewayIn(project, dead), "SIGKILL")
      yield* Effect.promise(() => eventually(`${dead} starts again`, () => project.starts(dead) === 2))
      // All processes of the dead container are gone, so from here on another one counts. It may have the same ids,
      // because each container numbers its processes from the start.
      const counted = recordsOf(yield* until(id, () => true))
      yield* until(id, (detail) => detail.state === "RUNNING" && recordsOf(detail) !== counted)
      yield* Effect.promise(() =>
        eventually(`${dead} is back`, () => project.container(dead).output().includes("flow-gateway ready"))
      )
      yield* cancel(id)
      yield* until(id, ({ state }) => state === "CANCELLED")
    })
  )

  it.effect("answers again on its port after the gateway behind it was killed", () =>
    Effect.gen(function* () {
      const { project, ask } = yield* Recipe
      process.kill(gatewayIn(project, "api"), "SIGKILL")
      yield* Effect.promise(() => eventually("a second start", () => project.starts("api") === 2))
      yield* Effect.promise(() =>
        eventually("an answer", async () => {
          const answer = await ask("GET", `${base}/flowline`).catch(() => undefined)
          return answer?.status === 200
        })
      )
    })
  )

  it.effect("stops each service with code 0, without killing it", () =>
    Effect.gen(function* () {
      const { project } = yield* Recipe
      const { run, until } = yield* execution
      const { id } = yield* run(generator(undefined, 2))
      yield* until(id, ({ state }) => state === "RUNNING")
      for (const name of ["runner2", "runner1", "api", "proxy", "postgres"]) {
        const ended = yield* Effect.promise(() => project.stop(name))
        expect([name, ended]).toEqual([name, { code: 0, killed: false }])
      }
    })
  )
})
