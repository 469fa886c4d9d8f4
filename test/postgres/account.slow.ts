import { spawnSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { PgClient } from "@effect/sql-pg"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { signal, viewProcess } from "../../src/layers/postgres/processes.ts"
import { putCluster, temporaryFolder } from "../support/postgresServer.ts"
import { eventually, type RunOptions, runFile } from "../support/process.ts"
import { childrenOf } from "./gateways.ts"

const gateway = new URL("./gateway.ts", import.meta.url)
const withoutNamespaces = ["/bin/sh", fileURLToPath(new URL("./without-namespaces.sh", import.meta.url))]

const isRoot = process.getuid?.() === 0
const runs = ([program = "", ...args]: ReadonlyArray<string>, user: RunOptions = {}) =>
  isRoot && spawnSync(program, args, { ...user, cwd: "/", stdio: "ignore" }).status === 0
const hasNamespaces = runs(["unshare", "--user", "--map-user=1000", "--", "true"])
const canRefuse = hasNamespaces && runs([...withoutNamespaces, "true"])

const nobody = { uid: 65534, gid: 65534 }
/** In a clone or a temporary folder that is closed to others, nobody else can run anything. */
const othersPass = runs(["/bin/sh", "-c", 'test -x "$0" && test -r "$1"', tmpdir(), fileURLToPath(gateway)], nobody)

const uidOf = (pid: number) => Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])

/** Whose the files below a folder are. */
const ownersIn = (folder: string) => [
  ...new Set(readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => statSync(join(folder, name)).uid))
]

const modeOf = (path: string) => statSync(path).mode & 0o777

/** A data folder with a fresh cluster below a folder with this mode. */
const below = Effect.fnUntraced(function* (mode: number) {
  const parent = yield* temporaryFolder
  const folder = join(parent, "data")
  mkdirSync(folder, { mode: 0o700 })
  yield* putCluster(folder)
  chmodSync(parent, mode)
  return { parent, folder, files: join(folder, "postgres", "data") }
})

/** Expects that a start has opened nothing to another user. */
const isClosed = ({ files, folder, parent }: Effect.Success<ReturnType<typeof below>>, mode: number) => {
  expect(ownersIn(files)).toEqual([0])
  expect([parent, folder, join(folder, "postgres"), files].map(modeOf)).toEqual([mode, 0o700, 0o700, 0o700])
  expect(modeOf(join(folder, "postgres", "password"))).toBe(0o600)
}

/** A gateway on a data folder, until the scope closes. */
const start = Effect.fnUntraced(function* (folder: string, through: ReadonlyArray<string> = []) {
  const running = runFile(gateway, [folder, "hold"], { through })
  yield* Effect.addFinalizer(() =>
    Effect.promise(() => {
      running.process.kill("SIGTERM")
      return running.exit
    })
  )
  const [, port = "", pid = ""] = (yield* Effect.promise(() => running.line("ready"))).split(" ")
  const query = (text: string) => {
    const password = Redacted.make(readFileSync(join(folder, "postgres", "password"), "utf8"))
    const client = PgClient.makeClient({
      host: "127.0.0.1",
      port: Number(port),
      username: "flow",
      password,
      database: "postgres",
      connectTimeout: patience
    })
    return Effect.scoped(Effect.flatMap(client, (sql) => sql.unsafe(text))).pipe(Effect.provide(Reactivity.layer))
  }
  return { gateway: running.process.pid!, pid: Number(pid), query, exit: running.exit }
})

const gone = (pids: ReadonlyArray<number>) =>
  Effect.promise(() => eventually("all has ended", () => pids.every((pid) => viewProcess(pid).state !== "running")))

const patience = 240_000

describe.runIf(hasNamespaces).concurrent("root, in a user namespace", () => {
  it.live(
    "makes a new cluster there",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const server = yield* start(join(folder, "deep", "data"))
        expect(yield* server.query("SELECT 1 AS one")).toEqual([{ one: 1 }])
        expect(uidOf(server.pid)).toBe(0)
      }),
    patience
  )

  it.live(
    "opens nothing below a closed or a passable folder, and starts again after gateway and server were killed",
    () =>
      Effect.gen(function* () {
        const place = yield* below(0o700)
        const { folder } = place
        const first = yield* start(folder)
        yield* first.query("CREATE TABLE kept AS SELECT 42 AS answer")
        expect(uidOf(first.pid)).toBe(0)
        isClosed(place, 0o700)
        signal(first.pid, "SIGKILL")
        signal(first.gateway, "SIGKILL")
        yield* Effect.promise(() => first.exit)
        chmodSync(place.parent, 0o755)
        const second = yield* start(folder)
        expect(yield* second.query("SELECT answer FROM kept")).toEqual([{ answer: 42 }])
        expect(uidOf(second.pid)).toBe(0)
        isClosed(place, 0o755)
      }),
    patience
  )

  it.live(
    "leaves no server when it is killed in the start",
    () =>
      Effect.gen(function* () {
        const { files, folder, parent } = yield* below(0o700)
        const tools = join(parent, "tools")
        mkdirSync(tools)
        // The server starts when its gateway has been killed.
        const wait = 'case " $* " in *" -D "*) until test -e "$0.go"; do sleep 0.02; done;; esac'
        const unshare = `${wait}\nexec env PATH='${process.env["PATH"]}' unshare "$@"\n`
        writeFileSync(join(tools, "unshare"), `#!/bin/sh\n${unshare}`, { mode: 0o755 })
        const path = `PATH=${tools}:${process.env["PATH"]}`
        const running = runFile(gateway, [folder, "hold"], { through: ["/usr/bin/env", path] })
        // The server and the shell that ends it along with the gateway.
        const children = () =>
          childrenOf(running.process.pid!).filter((pid) => viewProcess(pid).command.includes(files))
        yield* Effect.promise(() => eventually("a server is started", () => children().length === 2))
        const both = children()
        running.process.kill("SIGKILL")
        yield* Effect.promise(() => running.exit)
        writeFileSync(join(tools, "unshare.go"), "")
        yield* gone(both)
        expect(existsSync(join(files, "postmaster.pid"))).toBe(false)
      }),
    patience
  )
})

describe.runIf(canRefuse && othersPass).concurrent("root, where user namespaces are refused", () => {
  it.live(
    "runs PostgreSQL as another user and opens its two folders to it",
    () =>
      Effect.gen(function* () {
        const { files, folder } = yield* below(0o755)
        const server = yield* start(folder, withoutNamespaces)
        expect(yield* server.query("SELECT 1 AS one")).toEqual([{ one: 1 }])
        expect(uidOf(server.pid)).not.toBe(0)
        expect(ownersIn(files)).toEqual([uidOf(server.pid)])
        expect([folder, join(folder, "postgres"), files].map(modeOf)).toEqual([0o711, 0o711, 0o700])
        const { mode, uid } = statSync(join(folder, "postgres", "password"))
        expect([mode & 0o777, uid]).toEqual([0o600, 0])
      }),
    patience
  )

  it.live(
    "starts again after gateway and server were killed",
    () =>
      Effect.gen(function* () {
        const { folder } = yield* below(0o755)
        const first = yield* start(folder, withoutNamespaces)
        yield* first.query("CREATE TABLE kept AS SELECT 42 AS answer")
        signal(first.pid, "SIGKILL")
        signal(first.gateway, "SIGKILL")
        yield* Effect.promise(() => first.exit)
        const second = yield* start(folder, withoutNamespaces)
        expect(yield* second.query("SELECT answer FROM kept")).toEqual([{ answer: 42 }])
      }),
    patience
  )

  it.live(
    "says in one line which folder is in the way",
    () =>
      Effect.gen(function* () {
        const { folder, parent } = yield* below(0o700)
        const running = runFile(gateway, [folder, "hold"], { through: withoutNamespaces })
        const refused = yield* Effect.promise(() => running.line("refused"))
        yield* Effect.promise(() => running.exit)
        expect(running.lines).toEqual([refused])
        expect(refused).toContain(`cannot pass ${parent}. Open it (chmod o+x ${parent}), set FLOW_DATA to`)
        expect(refused).toContain("no user namespace can be made (unshare: ")
      }),
    patience
  )

  it.live(
    "takes over a cluster of the other way, in both directions, and keeps its rows",
    () =>
      Effect.gen(function* () {
        const { files, folder, parent } = yield* below(0o755)
        const visit = (through: ReadonlyArray<string>, text: string) =>
          Effect.scoped(
            Effect.gen(function* () {
              const server = yield* start(folder, through)
              const rows = yield* server.query(text)
              expect(ownersIn(files)).toEqual([uidOf(server.pid)])
              return { uid: uidOf(server.pid), rows }
            })
          )
        const one = yield* visit([], "CREATE TABLE kept AS SELECT 42 AS answer")
        const two = yield* visit(withoutNamespaces, "SELECT answer FROM kept")
        const stays = yield* visit([], "SELECT answer FROM kept")
        chmodSync(parent, 0o700)
        const three = yield* visit([], "SELECT answer FROM kept")
        expect([one.uid, three.uid]).toEqual([0, 0])
        expect(two.uid).not.toBe(0)
        expect(stays.uid).toBe(two.uid)
        for (const { rows } of [two, stays, three]) expect(rows).toEqual([{ answer: 42 }])
      }),
    patience
  )

  it.live.each([
    { way: "the old way", through: [], order: "-depth" },
    { way: "the new way", through: withoutNamespaces, order: "" }
  ])(
    "survives a kill while the owner changes, started again $way",
    ({ order, through }) =>
      Effect.gen(function* () {
        const { files, folder, parent } = yield* below(0o755)
        const tools = join(parent, "tools")
        mkdirSync(tools)
        // The cluster's own folder is last, or first.
        const chown = `find "$3" ${order} | head -n 300 | xargs -d "\\n" /bin/chown -h "$2"\nkill -KILL "$PPID"\n`
        writeFileSync(join(tools, "chown"), `#!/bin/sh\n${chown}`, { mode: 0o755 })
        const path = `PATH=${tools}:${process.env["PATH"]}`
        const killed = runFile(gateway, [folder, "hold"], { through: [...withoutNamespaces, "/usr/bin/env", path] })
        expect((yield* Effect.promise(() => killed.exit)).signal).toBe("SIGKILL")
        expect(ownersIn(files).length).toBe(2)
        const server = yield* start(folder, through)
        expect(yield* server.query("SELECT 1 AS one")).toEqual([{ one: 1 }])
        expect(ownersIn(files)).toEqual([uidOf(server.pid)])
      }),
    patience
  )
})

describe.runIf(othersPass)("root", () => {
  it.live(
    "runs PostgreSQL as another user where the program unshare is missing",
    () =>
      Effect.gen(function* () {
        const { folder, parent } = yield* below(0o755)
        const tools = join(parent, "tools")
        mkdirSync(tools)
        for (const name of ["id", "useradd", "chown"]) {
          const found = ["/usr/sbin", "/usr/bin", "/bin"].map((at) => join(at, name)).find((file) => existsSync(file))
          if (found !== undefined) symlinkSync(found, join(tools, name))
        }
        const server = yield* start(folder, ["/usr/bin/env", `PATH=${tools}`])
        expect(yield* server.query("SELECT 1 AS one")).toEqual([{ one: 1 }])
        expect(uidOf(server.pid)).not.toBe(0)
      }),
    patience
  )
})

describe.runIf(othersPass)("a normal user", () => {
  it.live(
    "runs PostgreSQL as it is",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        chownSync(folder, nobody.uid, nobody.gid)
        const running = runFile(gateway, [folder, "hold"], nobody)
        const [, , pid] = (yield* Effect.promise(() => running.line("ready"))).split(" ")
        const uid = uidOf(Number(pid))
        running.process.kill("SIGTERM")
        expect((yield* Effect.promise(() => running.exit)).code).toBe(0)
        expect(uid).toBe(nobody.uid)
        expect(viewProcess(Number(pid)).state).not.toBe("running")
      }),
    patience
  )
})
