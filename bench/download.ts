import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { fetched, fillFile, uploads } from "./byteClient.ts"
import { compareSides, heading } from "./byteRows.ts"
import { costOf, onCores } from "./measure.ts"
import { startServers } from "./servers.ts"

// Downloads of a build of 512 MiB from a whole gateway: one, four at once, and the second half, compared with a bare
// node:http that pipes the same file in chunks of 512 KiB without verifying it. The rounds alternate, also in which
// side starts; the result is the median. Processor time and memory are those of the gateway with its PostgreSQL. The
// client is this process, which is not counted.

const size = Number(process.env["BENCH_MIB"] ?? 512) * 1024 * 1024
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5)
const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))

const boundary = "------------------------9bK3xQ0aZr7TnWc5LpVdYe"
const part = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="f"\r\n\r\n`
const manifest = `{"group":"bench","artifact":"download","version":"1","type":"FILE"}`

const program = async () => {
  const folder = mkdtempSync(join(tmpdir(), "flow-bench-"))
  const servers = startServers(folder)
  try {
    const source = join(folder, "source")
    fillFile(source, size)
    const gateway = await servers.start([file("../bin/flow-gateway.js")], {
      env: { FLOW_DATA: join(folder, "data"), FLOW_PORT: "0" }
    })
    const client = uploads(Number(new URL(gateway.url).port))
    await client.send({
      path: "/v1/mytenant/resources/upload",
      head: `${part("manifest")}${manifest}\r\n${part("input")}`,
      tail: `\r\n--${boundary}--\r\n`,
      headers: `content-type: multipart/form-data; boundary=${boundary}\r\n`,
      content: { file: source, size, number: 1 }
    })
    client.close()
    // Both read the same file.
    const blobs = join(folder, "data/blobs/mytenant/blobs")
    const [fan = ""] = readdirSync(blobs)
    const [name = ""] = readdirSync(join(blobs, fan))
    const pipe = await servers.start([file("byteReferences.ts"), "pipe", join(blobs, fan, name), String(size)])
    const at = (url: string, path: string) => ({ port: Number(new URL(url).port), path })
    const ours = at(gateway.url, "/v1/mytenant/resources/download?group=bench&artifact=download&version=1")
    const theirs = at(pipe.url, "/")
    const times = async (count: number, work: () => Promise<unknown>) => {
      for (let done = 0; done < count; done++) await work()
    }
    console.log(heading)
    for (const [what, megabytes, work] of [
      [`${size / 1024 ** 2} MiB, one`, (4 * size) / 1e6, (of: typeof ours) => times(4, () => fetched(of, size))],
      [
        "four at once",
        (4 * size) / 1e6,
        (of: typeof ours) => Promise.all(Array.from({ length: 4 }, () => fetched(of, size)))
      ],
      ["second half", (4 * size) / 1e6, (of: typeof ours) => times(8, () => fetched(of, size, size / 2))]
    ] as const) {
      await compareSides(what, megabytes, rounds, {
        gateway: () => costOf([gateway.pid], () => work(ours)),
        "node:http pipe": () => costOf([pipe.pid], () => work(theirs))
      })
    }
  } finally {
    await servers.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

onCores(import.meta.filename, program)
