import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, unlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { fillFile, uploads } from "./byteClient.ts"
import { compareSides, heading } from "./byteRows.ts"
import { costOf, onCores } from "./measure.ts"
import { startServers } from "./servers.ts"

// Uploads of 512 MiB to a whole gateway (multipart, hashed, durable), compared with a bare node:http that hashes,
// writes and syncs a raw body, with `cat file | tee copy | openssl dgst -sha256`, which neither parses a form nor
// syncs, and with the same followed by `sync copy`. Then 200 uploads of 1 MiB, eight at once. Bytes are random, the
// boundary is like curl's, and no two files are equal: replacing one of 512 MiB takes the kernel 0.2 s. The rounds
// alternate, also in which side starts; the result is the median. Processor time and memory are those of the gateway
// with its PostgreSQL. The client is this process, which is not counted.

const mib = 1024 * 1024
const size = Number(process.env["BENCH_MIB"] ?? 512) * mib
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5)
/** Uploads per measured section, so that it takes a second or more of processor time. */
const larges = 2
const smalls = 200
const at = 8
const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))

const boundary = "------------------------9bK3xQ0aZr7TnWc5LpVdYe"
const headers = `content-type: multipart/form-data; boundary=${boundary}\r\n`
const tail = `\r\n--${boundary}--\r\n`
let version = 0
const headOf = () => {
  const manifest = `{"group":"bench","artifact":"upload","version":"${process.pid}.${++version}","type":"FILE"}`
  const part = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="f"\r\n\r\n`
  return `${part("manifest")}${manifest}\r\n${part("input")}`
}

type Content = { readonly file: string; readonly size: number; readonly number: number } | Buffer
const asForm = (content: Content) => ({
  ...{ path: "/v1/mytenant/resources/upload", head: headOf(), tail, headers, content }
})
const asBody = (content: Content) => ({ path: "/", head: "", tail: "", headers: "", content })

const program = async () => {
  const folder = mkdtempSync(join(tmpdir(), "flow-bench-"))
  const source = join(folder, "source")
  const servers = startServers(folder)
  // Removes the files of both sides, then writes and removes a file as large as all that follow: a virtual machine
  // takes some 2 ms to provide a MiB that no file had before, and its host takes the memory back soon after.
  const prepare = () => {
    for (const kept of ["raw", "data/blobs/mytenant/blobs"].map((name) => join(folder, name)))
      for (const entry of existsSync(kept) ? readdirSync(kept, { recursive: true, withFileTypes: true }) : [])
        if (entry.isFile()) unlinkSync(join(entry.parentPath, entry.name))
    spawnSync("sync", ["-f", folder])
    fillFile(join(folder, "room"), larges * size)
    unlinkSync(join(folder, "room"))
  }
  const tee = async (isDurable: boolean) => {
    const sync = isDurable ? ` && sync "${folder}/copy"` : ""
    const began = performance.now()
    const { status } = spawnSync("sh", ["-c", `cat "${source}" | tee "${folder}/copy" | openssl dgst -sha256${sync}`])
    if (status !== 0) throw new Error("tee or openssl failed")
    const seconds = (performance.now() - began) / 1000
    rmSync(join(folder, "copy"))
    return { seconds: seconds * larges, cpuSeconds: Number.NaN, peakMiB: Number.NaN }
  }
  try {
    fillFile(source, size)
    mkdirSync(join(folder, "raw"))
    const raw = await servers.start([file("byteReferences.ts"), "raw", join(folder, "raw")])
    const ours = await servers.start([file("../bin/flow-gateway.js")], {
      env: { FLOW_DATA: join(folder, "data"), FLOW_PORT: "0" }
    })
    const portOf = ({ url }: { readonly url: string }) => Number(new URL(url).port)
    const large = async (port: number, make: typeof asForm | typeof asBody) => {
      const client = uploads(port)
      for (let sent = 0; sent < larges; sent++) await client.send(make({ file: source, size, number: ++version }))
      client.close()
    }
    const many = async (port: number, make: typeof asForm | typeof asBody) => {
      let left = smalls
      const worker = async () => {
        const client = uploads(port)
        const bytes = Buffer.alloc(mib, process.pid % 251)
        while (left-- > 0) {
          // No two of them are equal.
          bytes.writeUInt32LE(++version, 0)
          bytes.writeUInt32LE(process.pid, 4)
          await client.send(make(bytes))
        }
        client.close()
      }
      await Promise.all(Array.from({ length: at }, worker))
    }
    console.log(heading)
    await compareSides(
      `${size / mib} MiB`,
      (larges * size) / 1e6,
      rounds,
      {
        gateway: () => costOf([ours.pid], () => large(portOf(ours), asForm)),
        "raw body": () => costOf([raw.pid], () => large(portOf(raw), asBody)),
        "tee, openssl": () => tee(false),
        "tee, openssl, sync": () => tee(true)
      },
      prepare
    )
    const small = (what: string) =>
      compareSides(
        what,
        (smalls * mib) / 1e6,
        rounds,
        {
          gateway: () => costOf([ours.pid], () => many(portOf(ours), asForm)),
          "raw body": () => costOf([raw.pid], () => many(portOf(raw), asBody))
        },
        prepare
      )
    await small(`${smalls} x 1 MiB, ${at} at once`)
    // V8 compiles a server's code while it serves, so these rounds come after some 1,000 uploads of either side.
    await small("the same, warm")
  } finally {
    await servers.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

onCores(import.meta.filename, program)
