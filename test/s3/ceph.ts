import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  S3Client
} from "@aws-sdk/client-s3"
import { eventually } from "../support/process.ts"

const run = promisify(execFile)

export const accessKeyId = "flow-test"
export const secretAccessKey = "flow-test-secret"

/** What a test needs to know of the running cluster. */
export interface Ceph {
  /** Where its configuration and its logs are. */
  readonly folder: string
  /** Address of a gateway that all tests share. */
  readonly endpoint: string
  readonly osdPid: number
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (address === null || typeof address === "string") throw new Error("no port")
  return address.port
}

// One monitor, one in-memory object store, no replicas, no keys, and no port that is reachable from other machines.
const configuration = (folder: string, fsid: string) => `
[global]
fsid = ${fsid}
public network = 127.0.0.0/8
public addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
auth supported = none
ms bind msgr2 = false
ms bind msgr1 = true
mon initial members = a
mon allow pool size one = true
paxos propose interval = 0.05
mon warn on pool no redundancy = false
mon data avail crit = 1
mon data avail warn = 1
mon max pg per osd = 1000
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 8589934592
# An object store that asks the monitor for its place before it knows the cluster's id is refused, and ends.
osd class update on start = false
osd crush update on start = false
osd class load list = *
osd class default list = *
run dir = ${folder}/run
pid file = ${folder}/run/$name.pid
admin socket = ${folder}/run/$name.$pid.asok
log file = ${folder}/log/$name.log
crash dir = ${folder}/log
mon data = ${folder}/mon
osd data = ${folder}/osd
rgw data = ${folder}/rgw
keyring = ${folder}/keyring
heartbeat file = ${folder}/run/$name.heartbeat
debug rgw = 1
# A radosgw that was killed would be waited for by the others whenever they change what all of them cache.
rgw cache enabled = false
osd client watch timeout = 3
`

/** Ceph's processes in the foreground, as children that can receive signals and that end with the test. */
const daemon = (folder: string, program: string, args: ReadonlyArray<string>): ChildProcess => {
  const log = openSync(join(folder, "log", `${program}.out`), "a")
  const child = spawn(program, ["-c", join(folder, "ceph.conf"), "-f", ...args], { stdio: ["ignore", log, log] })
  closeSync(log)
  return child
}

export const killed = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, "exit")
  child.kill("SIGKILL")
  await exit
}

/**
 * A radosgw on the cluster: the S3 server. It starts in a quarter of a second, so a test may start one to disturb it.
 */
export const startRadosgw = async (folder: string, port?: number) => {
  const at = port ?? (await freePort())
  const child = daemon(folder, "radosgw", [
    "--name",
    "client.rgw",
    `--rgw-frontends=beast endpoint=127.0.0.1:${at} tcp_nodelay=1`,
    "--rgw-enable-usage-log=false"
  ])
  const endpoint = `http://127.0.0.1:${at}`
  await eventually(
    "radosgw answers",
    () => {
      if (child.exitCode !== null)
        throw new Error(`radosgw has ended: ${readFileSync(join(folder, "log/radosgw.out"))}`)
      return fetch(endpoint).then(
        (answer) => answer.status < 500,
        () => false
      )
    },
    60_000
  ).catch(async (error) => {
    await killed(child)
    throw error
  })
  return { child, endpoint, port: at }
}

/** The first object and the first upload wait for their pools to be made. */
const warmUp = async (endpoint: string) => {
  const credentials = { accessKeyId, secretAccessKey }
  const s3 = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true, credentials })
  const target = { Bucket: "warm-up", Key: "key" }
  await s3.send(new CreateBucketCommand(target))
  await s3.send(new PutObjectCommand({ ...target, Body: "x" }))
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(target))
  await s3.send(new AbortMultipartUploadCommand({ ...target, UploadId }))
  s3.destroy()
}

/** Starts a cluster in a temporary folder, which takes a few seconds. Needs Ceph's programs in the path. */
export const startCeph = async (): Promise<Ceph & { readonly stop: () => Promise<void> }> => {
  const folder = mkdtempSync(join(tmpdir(), "flow-ceph-"))
  const children: Array<ChildProcess> = []
  const stop = async () => {
    await Promise.all(children.map(killed))
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
  try {
    for (const name of ["run", "log", "mon", "osd", "rgw"]) mkdirSync(join(folder, name))
    const fsid = crypto.randomUUID()
    const conf = join(folder, "ceph.conf")
    writeFileSync(join(folder, "keyring"), "")
    writeFileSync(conf, configuration(folder, fsid))
    const monitor = `127.0.0.1:${await freePort()}`
    const map = join(folder, "monmap")
    await run("monmaptool", ["--create", "--addv", "a", `[v1:${monitor}]`, "--fsid", fsid, map])
    await run("ceph-mon", ["-c", conf, "--mkfs", "-i", "a", "--monmap", map])
    children.push(daemon(folder, "ceph-mon", ["-i", "a", "--public-addr", monitor]))
    writeFileSync(conf, `${configuration(folder, fsid)}mon host = v1:${monitor}\n`)
    const osd = crypto.randomUUID()
    const ceph = (...command: ReadonlyArray<string>) => run("ceph", ["-c", conf, "--connect-timeout", "30", ...command])
    await ceph("osd", "new", osd)
    await ceph("osd", "crush", "add", "osd.0", "1", "host=test", "root=default")
    await run("ceph-osd", ["-c", conf, "-i", "0", "--mkfs", "--osd-uuid", osd])
    const store = daemon(folder, "ceph-osd", ["-i", "0"])
    children.push(store)
    // Without it radosgw would wait for ever, and would not say for what.
    await eventually("the store of objects is up", async () => {
      if (store.exitCode !== null)
        throw new Error(`ceph-osd has ended: ${readFileSync(join(folder, "log/ceph-osd.out"))}`)
      const { stdout } = await ceph("osd", "stat", "--format", "json")
      return JSON.parse(stdout).num_up_osds === 1
    })
    const gateway = await startRadosgw(folder)
    children.push(gateway.child)
    await run("radosgw-admin", [
      ...["-c", conf, "--name", "client.rgw", "user", "create", "--uid", "flow", "--display-name", "flow"],
      ...["--access-key", accessKeyId, "--secret-key", secretAccessKey]
    ])
    await warmUp(gateway.endpoint)
    return { folder, endpoint: gateway.endpoint, osdPid: store.pid!, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
