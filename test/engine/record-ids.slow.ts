import { appendFileSync, mkdirSync, writeFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { DagNode } from "../../src/protocol/Flowline.ts"
import type { RunSpec } from "../../src/protocol/RunProtocol.ts"
import { freePort } from "../cluster/members.ts"
import { eventually } from "../support/process.ts"
import { running } from "./running.ts"
import { flowline, node, places, settings, spec } from "./support.ts"

interface Sent {
  readonly path: string
  readonly id: string
  readonly text: string
}

/** A server that records each request. It answers until `holds` selects a request, which stays unanswered. */
const receiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const sent: Array<Sent> = []
    const held: Array<ServerResponse> = []
    const keys: Array<string> = []
    const state = { sent, held, keys, holds: (_: number) => false, url: "" }
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (chunk: Buffer) => (body += chunk.toString()))
      request.on("end", () => {
        keys.push(String(request.headers["idempotency-key"]))
        for (const line of body.trim().split("\n")) {
          const { rid, ...record } = JSON.parse(line)
          sent.push({ path: request.url ?? "", id: rid, text: JSON.stringify(record) })
        }
        if (state.holds(sent.length)) held.push(response)
        else response.end()
      })
    })
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    return { state, server }
  }),
  ({ server }) => Effect.sync(() => server.closeAllConnections())
).pipe(Effect.map(({ state }) => state))

const output = (
  url: string,
  path: string,
  from: ReadonlyArray<readonly [component: string, stream: string]>
): DagNode => ({
  ...node("http_output", { url: url + path, id_field: "rid", batch_records: 7 }),
  component: path,
  subscribe: from.map(([component, stream]) => ({ component, stream })) as DagNode["subscribe"],
  publish: []
})

/** The texts that a server has which keeps one record for each id, sorted. */
const keptOf = (sent: ReadonlyArray<Sent>, path: string) =>
  [...new Map(sent.filter((one) => one.path === path).map(({ id, text }) => [id, text])).values()].sort()

const lines = (name: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => {
    const n = from + at
    // Equal lines within a file and in different ones, and lines that fail.
    return n % 5 === 0 ? '{"same":1}\n' : n % 7 === 0 ? `not JSON ${name} ${n}\n` : `{"file":"${name}","n":${n}}\n`
  }).join("")

const twice = { code: "function process(event) { return event.n % 3 === 0 ? [event, event] : event }" }

/** The lines of one output: from the program, and those with an even number by a second way as well. */
const textsOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => {
      if (line.startsWith("not")) {
        const error = { node: "in", reason: "the line is not JSON" }
        return [JSON.stringify({ message: line, error })]
      }
      const { n } = JSON.parse(line)
      return [...(n % 3 === 0 ? [line, line] : [line]), ...(n % 2 === 0 ? [line] : [])]
    })

const followed = (url: string, more: ReadonlyArray<DagNode> = []) =>
  flowline([
    {
      ...node("file_input", { path: "logs/*.ndjson", follow: true }),
      component: "in",
      publish: [{ stream: "out" }, { stream: "errors" }]
    },
    { ...node("flowlet", twice, "in"), component: "twice" },
    { ...node("filter", { where: "n % 2 == 0" }, "in"), component: "even" },
    output(url, "all", [
      ["in", "errors"],
      ["twice", "out"],
      ["even", "out"]
    ]),
    output(url, "other", [["twice", "out"]]),
    ...more
  ])

const kill = (pid: number) => Effect.sync(() => process.kill(pid, "SIGKILL"))

/** One attempt, which is killed when `until` holds. Returns the input of the next one. */
const attempt = (root: string, run: RunSpec, what: string, until: (positions: unknown) => boolean) =>
  Effect.gen(function* () {
    const it = yield* running(settings(root, { outbound: ["127.0.0.1"] }), run)
    yield* Effect.promise(() => eventually(what, () => until(it.positions())))
    const positions = it.positions()
    yield* kill(it.pid())
    yield* it.over
    return positions as NonNullable<RunSpec["positions"]>
  })

describe("the ids of http_output", () => {
  it.live("are the same in every attempt for files that are read in another order, in other batches", () =>
    Effect.gen(function* () {
      const { root, conf } = yield* places
      const server = yield* receiver
      const logs = join(conf, "logs")
      mkdirSync(logs)
      const write = (name: string, from: number, to: number) =>
        appendFileSync(join(logs, `${name}.ndjson`), lines(name, from, to))
      const run = { ...spec(followed(server.url)), scope: "job", work: "job@1", origin: "job@1" }
      // The second file comes first, and in two pieces.
      write("b", 0, 10)
      let isSecondThere = false
      yield* attempt(root, run, "some records came", () => {
        if (!isSecondThere && server.sent.length > 10) {
          isSecondThere = true
          write("a", 0, 30)
        }
        return server.sent.some(({ text }) => text.includes('"a","n":29'))
      })
      const first = server.sent.length
      write("b", 10, 40)
      const expected = [...textsOf(lines("a", 0, 30)), ...textsOf(lines("b", 0, 40))].sort()
      // No position was kept. The server does not answer in the middle of a batch.
      server.holds = (count) => count >= first + 40
      yield* attempt(root, run, "a request is held", () => server.held.length > 0)
      server.holds = () => false
      const positions = yield* attempt(root, run, "the positions cover all", (found) => {
        const { files } = (found as { in?: { files?: ReadonlyArray<{ offset: number }> } }).in ?? {}
        const read = files?.reduce((sum, { offset }) => sum + offset, 0)
        return read === Buffer.byteLength(lines("a", 0, 30) + lines("b", 0, 40))
      })
      assert.deepStrictEqual(keptOf(server.sent, "/all"), expected)
      assert.isAbove(server.sent.filter(({ path }) => path === "/all").length, expected.length)
      // Records after a saved position are repeated, because their own position was lost.
      write("a", 30, 50)
      const more = [...expected, ...textsOf(lines("a", 30, 50))].sort()
      const isThere = () => keptOf(server.sent, "/all").length >= more.length
      yield* attempt(root, { ...run, epoch: 2, positions }, "the rest came", isThere)
      write("b", 40, 45)
      const last = [...more, ...textsOf(lines("b", 40, 45))].sort()
      const isAll = () => keptOf(server.sent, "/all").length >= last.length
      yield* attempt(root, { ...run, epoch: 3, positions }, "the rest came again", isAll)
      assert.deepStrictEqual(keptOf(server.sent, "/all"), last)
      const ids = (path: string) => new Set(server.sent.filter((one) => one.path === path).map(({ id }) => id))
      assert.isTrue(ids("/all").isDisjointFrom(ids("/other")))
      // A file that starts anew with the same lines has other records.
      writeFileSync(join(logs, "b.ndjson"), '{"file":"b","n":1}\n')
      const anew = [...last, '{"file":"b","n":1}'].sort()
      const isAnew = () => keptOf(server.sent, "/all").length >= anew.length
      for (const epoch of [4, 5]) yield* attempt(root, { ...run, epoch, positions }, "the new line came", isAnew)
      assert.deepStrictEqual(keptOf(server.sent, "/all"), anew)
    }).pipe(Effect.scoped)
  )

  it.live("are the same for inputs that are read again, whichever is faster, until a new piece of work begins", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const server = yield* receiver
      const rows = Array.from({ length: 1200 }, (_, n) => ({ row: n % 400 }))
      const inputs = [
        { ...node("dataset_generator", { rows }), component: "rows" },
        { ...node("generator_input", { messages: ["x", "y"], count: 60, rate: 200 }), component: "made" }
      ] as const
      const to = output(server.url, "all", [
        ["rows", "out"],
        ["made", "out"]
      ])
      const run = { ...spec(flowline([...inputs, to])), work: "job@1", origin: "job@1" }
      // Which input is first depends on the machine; here it is fixed.
      const turned = { ...run, epoch: 2, flowline: flowline([inputs[1], inputs[0], to]) }
      const all = rows.length + 60
      yield* attempt(root, run, "some came", () => server.sent.length > 300)
      const whole = (given: RunSpec) =>
        Effect.flatMap(running(settings(root, { outbound: ["127.0.0.1"] }), given), (it) => it.over)
      yield* whole(run)
      yield* whole(turned)
      assert.isAbove(server.sent.length, 2 * all)
      assert.lengthOf(keptOf(server.sent, "/all"), all)
      yield* whole({ ...run, epoch: 3, work: "job@2", origin: "job@2" })
      assert.lengthOf(keptOf(server.sent, "/all"), 2 * all)
    }).pipe(Effect.scoped)
  )

  it.live("stay the same for a file beside an input whose records come only once", () =>
    Effect.gen(function* () {
      const { root, conf } = yield* places
      const server = yield* receiver
      mkdirSync(join(conf, "logs"))
      writeFileSync(join(conf, "logs", "a.ndjson"), lines("a", 0, 20))
      const port = yield* Effect.promise(freePort)
      const live = { ...node("http_input", { port }), component: "posts" }
      const dag = followed(server.url, [live, output(server.url, "live", [["posts", "out"]])])
      const run = { ...spec(dag), scope: "job", work: "job@1" }
      const expected = textsOf(lines("a", 0, 20)).length
      const both = (times: number) => {
        let isPosted = false
        const post = () => {
          isPosted = true
          fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: '{"live":1}' }).then(
            ({ status }) => {
              isPosted = status === 202
            },
            () => {
              isPosted = false
            }
          )
        }
        return () => {
          if (!isPosted) post()
          const came = (path: string) => server.sent.filter((one) => one.path === path).length
          return came("/live") >= times && came("/all") >= times * expected
        }
      }
      yield* attempt(root, run, "all came", both(1))
      yield* attempt(root, { ...run, epoch: 2 }, "all came again", both(2))
      assert.lengthOf(keptOf(server.sent, "/all"), expected)
      assert.strictEqual(keptOf(server.sent, "/live").length, server.sent.filter(({ path }) => path === "/live").length)
    }).pipe(Effect.scoped)
  )
})
