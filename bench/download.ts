import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { createReadStream, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { Blobs } from "../src/drivers/blobs/Blobs.ts"
import { blockSize, sumOf } from "../src/drivers/blobs/BlockSums.ts"
import * as Disk from "../src/drivers/blobs/DiskBlobs.ts"
import * as Anonymous from "../src/layers/access/Anonymous.ts"
import * as Answers from "../src/layers/http/Answers.ts"
import * as KnownTenant from "../src/layers/http/KnownTenant.ts"
import { routeTable } from "../src/layers/http/RouteTable.ts"
import { ArchivesApi } from "../src/services/archives/Api.ts"
import { ArchiveId } from "../src/services/archives/Archive.ts"
import { Archives } from "../src/services/archives/Archives.ts"
import { ArchivesHttp } from "../src/services/archives/Http.ts"
import { BlobSweep } from "../src/services/blobs/BlobSweep.ts"
import { EqualReads } from "../src/services/shared/EqualReads.ts"
import * as RequestIssues from "../src/services/shared/RequestIssues.ts"
import { RequestMemory } from "../src/services/shared/RequestMemory.ts"
import { TenantId, Tenants } from "../src/services/shared/Tenant.ts"
import * as MemoryStore from "../test/memory/ArchiveStore.ts"
import { auditing } from "../test/memory/Audit.ts"
import * as MemoryLedger from "../test/memory/BlobLedger.ts"
import { testSettings } from "../test/support/gateway.ts"
import { open } from "../test/support/open.ts"

// Download of an archive of 512 MiB, whole and its second half, against a bare node:http that pipes the same file in
// chunks of 512 KiB, and against one that does not verify what it reads. Each server is a process of its own; the rounds alternate, the medians of
// rates and of their ratios count, and the processor time of the servers, which other load does not change.

const size = Number(process.env["BENCH_MIB"] ?? 512) * 1024 * 1024
const rounds = 9

const content = async function* () {
  const piece = Buffer.alloc(1024 * 1024)
  for (let at = 0; at < size; at += piece.length) {
    piece.writeUInt32LE(at / piece.length, 0)
    yield Buffer.from(piece)
  }
}

class ArchivesOnly extends HttpApi.make("flow-gateway").add(ArchivesApi) {}

/** Without sums, parts of a large blob are not verified. */
const serveOurs = (root: string, withSums: boolean) => {
  const tenants = Tenants.of({ exists: () => Effect.succeed(true), names: Effect.succeed([TenantId("one")]) })
  const routes = Layer.mergeAll(
    HttpApiBuilder.layer(ArchivesOnly).pipe(
      Layer.provide(ArchivesHttp),
      Layer.provide([KnownTenant.layer, RequestIssues.layer, open])
    ),
    Layer.provide(Answers.layer(routeTable(ArchivesOnly, [])), Anonymous.layer)
  )
  const ready = Layer.effectDiscard(
    Effect.gen(function* () {
      const blob = yield* Effect.flatMap(Blobs, (blobs) => blobs.write("one", content()))
      const addArchive = yield* MemoryStore.AddArchive
      yield* addArchive(TenantId("one"), { ...blob, id: ArchiveId("x-1"), flowlineId: "x", entries: 1 })
      const { address } = yield* HttpServer.HttpServer
      const { sha256 } = blob
      const fileOf = (kind: string) => join(root, "one", kind, sha256.slice(0, 2), sha256)
      const file = fileOf("blobs")
      if (!withSums) rmSync(fileOf("sums"))
      process.send?.({ port: address._tag === "InetAddressV4" ? address.port : 0, path: "/v1/one/archives/x-1", file })
    })
  )
  return Layer.merge(HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }), ready).pipe(
    Layer.provide(Archives.layer),
    Layer.provide([BlobSweep.layer(), EqualReads.layer, RequestMemory.layer]),
    Layer.provide([MemoryLedger.layer, auditing]),
    Layer.provide([
      MemoryStore.layer,
      Disk.layer.pipe(Layer.provide(Disk.DiskConfig.layer(root))),
      Layer.succeed(Tenants, tenants)
    ]),
    Layer.provide(testSettings({ databaseUrl: "postgres://unused" })),
    Layer.provide(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })),
    Layer.launch,
    NodeRuntime.runMain
  )
}

const serveReference = (file: string) => {
  const server = createServer((request, response) => {
    const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0)
    response.writeHead(start === 0 ? 200 : 206, { "content-length": size - start, "content-type": "application/zip" })
    createReadStream(file, { start, highWaterMark: 512 * 1024 }).pipe(response)
  })
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    process.send?.({ port: typeof address === "object" ? address?.port : 0, path: "/", file })
  })
}

interface Server {
  readonly child: ChildProcess
  readonly port: number
  readonly path: string
  readonly file: string
}

const start = async (...args: ReadonlyArray<string>): Promise<Server> => {
  const child = fork(import.meta.filename, args)
  const [said] = await once(child, "message")
  return { child, ...said }
}

/** MB/s of one download; the answer is counted, not kept. */
const measure = ({ port, path }: Server, from: number) =>
  new Promise<number>((resolve, reject) => {
    const started = performance.now()
    let received = 0
    let body = -1
    const buffer = Buffer.allocUnsafe(1024 * 1024)
    const socket = connect({
      port,
      host: "127.0.0.1",
      onread: {
        buffer,
        callback: (length) => {
          if (body < 0) {
            const end = buffer.subarray(0, length).indexOf("\r\n\r\n")
            body = end + 4
          }
          received += length
          if (received < body + size - from) return true
          socket.destroy()
          resolve((size - from) / 1e6 / ((performance.now() - started) / 1000))
          return true
        }
      }
    })
    socket.on("error", reject)
    socket.on("end", () => reject(new Error(`only ${received} bytes came`)))
    const range = from === 0 ? "" : `Range: bytes=${from}-\r\n`
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${range}\r\n`)
  })

const median = (values: ReadonlyArray<number>) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

/** Milliseconds that a process has computed so far; clock ticks are 10 ms. */
const computed = (pid: number | undefined): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Milliseconds of processor time that verification takes for a megabyte: the best of some, as other load adds to it. */
const verification = (): number => {
  const blocks = Array.from({ length: 64 }, (_, n) => Buffer.alloc(blockSize, n))
  const costs = Array.from({ length: 20 }, () => {
    const before = process.cpuUsage()
    for (const block of blocks) sumOf(block)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000 / ((blocks.length * blockSize) / 1e6)
  })
  return Math.min(...costs)
}

const compare = async () => {
  const root = mkdtempSync(join(tmpdir(), "flow-bench-"))
  const ours = await start("ours", join(root, "blobs"))
  const reference = await start("reference", ours.file)
  const unverified = await start("unverified", join(root, "unverified"))
  try {
    console.log("what | ours | reference (node:http pipe of 512 KiB; or ours) | ratio | target")
    for (const [what, from, other, target] of [
      ["download whole", 0, reference, "0.9"],
      ["download Range, second half", size / 2, reference, "0.9"],
      // All but a byte: a whole blob is always verified.
      ["the same bytes, not verified", 1, unverified, "0.9"]
    ] as const) {
      const pairs: Array<readonly [number, number]> = []
      await measure(ours, from)
      await measure(other, from)
      const before = [ours, other].map(({ child }) => computed(child.pid))
      for (let round = 0; round < rounds; round++) {
        // Who comes first changes, so that neither always runs on a machine that the other has warmed.
        if (round % 2 === 0) pairs.push([await measure(ours, from), await measure(other, from)])
        else {
          const theirs = await measure(other, from)
          pairs.push([await measure(ours, from), theirs])
        }
      }
      const cost = [ours, other].map(
        ({ child }, n) => (computed(child.pid) - before[n]!) / rounds / ((size - from) / 1e6)
      )
      const costs = cost.map((one) => `${one.toFixed(2)} ms CPU/MB`)
      const rates = [0, 1].map((n) => `${median(pairs.map((pair) => pair[n]!)).toFixed(0)} MB/s`)
      const ratio = median(pairs.map(([mine, theirs]) => mine / theirs)).toFixed(2)
      const added = `${((cost[0]! / cost[1]! - 1) * 100).toFixed(0)} % more CPU`
      if (from === 0) {
        const sums = verification()
        const part = ((sums / cost[0]!) * 100).toFixed(0)
        console.log(`of that, verification | ${sums.toFixed(2)} ms CPU/MB | | ${part} % | 10 %`)
      }
      console.log(`${what} | ${rates[0]}, ${costs[0]} | ${rates[1]}, ${costs[1]} | ${ratio}, ${added} | ${target}`)
    }
  } finally {
    for (const { child } of [ours, reference, unverified]) {
      child.kill("SIGKILL")
      await once(child, "exit")
    }
    rmSync(root, { recursive: true, force: true })
  }
}

const [role, argument = ""] = process.argv.slice(2)
if (role === "ours" || role === "unverified") serveOurs(argument, role === "ours")
else if (role === "reference") serveReference(argument)
else await compare()
