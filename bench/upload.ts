import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  closeSync,
  createReadStream,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

// Uploads of 512 MiB to a whole gateway (multipart, hashed, durable) against `tee file | openssl dgst -sha256`, which
// neither parses a form nor syncs, and against the same with `sync file` behind it, which is durable as well. The
// rounds alternate; medians count. What one side has removed is given back to the disk before the other begins. Memory
// is the gateway's peak above its state before the round. Then 200 uploads of 1 MiB, eight at once.

const mib = Number(process.env["BENCH_MIB"] ?? 512)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5)
const folder = mkdtempSync(join(tmpdir(), "flow-bench-"))
const source = join(folder, "source")
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

const fill = (path: string, size: number) => {
  const file = openSync(path, "w")
  const piece = Buffer.alloc(1024 * 1024)
  for (let at = 0; at < size; at++) {
    piece.writeUInt32LE(at, 0)
    writeSync(file, piece)
  }
  closeSync(file)
}

const median = (values: ReadonlyArray<number>) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
const status = (pid: number, field: string) =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

const settle = () => spawnSync("sync", ["-f", folder])

let version = 0
/** Sends the file as an artifact; MB/s. */
const upload = (port: number, path: string) =>
  new Promise<number>((resolve, reject) => {
    const size = statSync(path).size
    const manifest = `{"group":"bench","artifact":"upload","version":"${process.pid}.${++version}","type":"FILE"}`
    const head = `--x\r\nContent-Disposition: form-data; name="manifest"; filename="m"\r\n\r\n${manifest}\r\n--x\r\nContent-Disposition: form-data; name="input"; filename="f"\r\n\r\n`
    const tail = "\r\n--x--\r\n"
    const started = performance.now()
    const sent = request(
      {
        port,
        host: "127.0.0.1",
        method: "PUT",
        path: "/v1/mytenant/resources/upload",
        headers: {
          "content-type": "multipart/form-data; boundary=x",
          "content-length": head.length + size + tail.length
        }
      },
      (answer) => {
        answer.resume().on("end", () => {
          if (answer.statusCode !== 201) reject(new Error(`answered ${answer.statusCode}`))
          else resolve(size / 1e6 / ((performance.now() - started) / 1000))
        })
      }
    )
    sent.on("error", reject)
    sent.write(head)
    const read = createReadStream(path, { highWaterMark: 1024 * 1024 })
    read.pipe(sent, { end: false })
    read.on("end", () => sent.end(tail))
  })

/** The same bytes through the shell; MB/s. */
const reference = (path: string, isDurable: boolean) => {
  const started = performance.now()
  const { status: code } = spawnSync(
    "sh",
    [
      "-c",
      `cat "${path}" | tee "${folder}/copy" | openssl dgst -sha256${isDurable ? ` && sync "${folder}/copy"` : ""}`
    ],
    {
      stdio: "ignore"
    }
  )
  if (code !== 0) throw new Error("tee or openssl failed")
  const rate = statSync(path).size / 1e6 / ((performance.now() - started) / 1000)
  rmSync(`${folder}/copy`)
  settle()
  return rate
}

const gateway = spawn(process.execPath, [main], {
  env: { ...process.env, FLOW_DATA: join(folder, "data"), FLOW_PORT: "0" },
  stdio: ["ignore", "pipe", "ignore"]
})
try {
  fill(source, mib)
  writeFileSync(join(folder, "small"), Buffer.alloc(1024 * 1024, 7))
  const [ready] = await once(gateway.stdout, "data")
  const port = Number(/:(\d+)\n/.exec(String(ready))?.[1])
  const pid = gateway.pid!
  await upload(port, source)
  reference(source, false)
  const triples: Array<readonly [ours: number, tee: number, durable: number]> = []
  const growth: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    const first = round % 2 === 0 ? [reference(source, false), reference(source, true)] : undefined
    writeFileSync(`/proc/${pid}/clear_refs`, "5")
    const before = status(pid, "VmRSS")
    const ours = await upload(port, source)
    settle()
    growth.push(status(pid, "VmHWM") - before)
    const [tee = 0, durable = 0] = first ?? [reference(source, false), reference(source, true)]
    triples.push([ours, tee, durable])
  }
  const rate = (n: 0 | 1 | 2) => `${median(triples.map((triple) => triple[n])).toFixed(0)} MB/s`
  const ratio = (n: 1 | 2) => median(triples.map((triple) => triple[0] / triple[n])).toFixed(2)
  console.log("what | ours | reference | ratio | target")
  console.log(`upload ${mib} MiB, against tee and openssl | ${rate(0)} | ${rate(1)} | ${ratio(1)} | 0.9`)
  console.log(`the same, against tee, openssl and sync | ${rate(0)} | ${rate(2)} | ${ratio(2)} |`)
  console.log(
    `memory growth | ${Math.max(...growth).toFixed(0)} MiB at most, ${median(growth).toFixed(0)} at the median | | | 64`
  )
  const started = performance.now()
  let left = 200
  const worker = async () => {
    while (left-- > 0) await upload(port, join(folder, "small"))
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  console.log(
    `200 x 1 MiB, 8 at once | ${((200 * 1.048576) / ((performance.now() - started) / 1000)).toFixed(0)} MB/s | | |`
  )
} finally {
  gateway.kill("SIGTERM")
  await once(gateway, "exit")
  rmSync(folder, { recursive: true, force: true })
}
