import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Redacted, Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { startBundled } from "../src/drivers/Programs.ts"
import { all, freePort, shardsHeld } from "../test/cluster/members.ts"
import { configuration } from "../test/support/conf.ts"
import { startTestServer } from "../test/support/postgresServer.ts"
import { until } from "../test/support/process.ts"
import { type GatewayProcess, startProcess, temporary } from "../test/support/process-gateway.ts"
import { pinned } from "./measure.ts"

/**
 * How long a gateway's jobs and shards are without an owner. Three gateways share a PostgreSQL. The one with the most
 * jobs is killed, and later frozen. `node bench/takeover.ts`; docs/benchmarks.md describes the variables.
 */

await pinned(import.meta.filename)

const kills = Number(process.env["BENCH_KILLS"] ?? 8)
const freezes = Number(process.env["BENCH_FREEZES"] ?? 4)
/** Number of busy processes. */
const load = Number(process.env["BENCH_LOAD"] ?? 0)
/** Number of clients that send heavy requests to each remaining gateway. */
const clients = Number(process.env["BENCH_CLIENTS"] ?? (load > 0 ? 2 : 0))
const jobCount = Number(process.env["BENCH_JOBS"] ?? 6)

/** Milliseconds between the end of a takeover, when everything runs again, and the next one. */
const rest = 4000

const pass = (millis: number) => new Promise<void>((done) => setTimeout(done, millis))

/** Reports how long each part of the takeover took. Times are the database's, so polling adds nothing to them. */
const log = `
create table bench_log (at timestamptz not null default clock_timestamp(), what text not null, key text not null, who text);
create function bench_gone() returns trigger language plpgsql as $$ begin
  insert into bench_log (what, key) values ('gone', old.pid); return old; end $$;
create trigger bench_gone before delete on gateways for each row execute function bench_gone();
create function bench_shard() returns trigger language plpgsql as $$ begin
  insert into bench_log (what, key, who) select 'shard', new.shard, g.pid from gateways g where g.id = new.gateway; return new; end $$;
create trigger bench_shard after insert or update on cluster_shards for each row execute function bench_shard();
create function bench_job() returns trigger language plpgsql as $$ begin
  if new.node is distinct from old.node then
    insert into bench_log (what, key, who) values ('claimed', new.job, new.node);
  end if;
  if new.status = 'ACTIVE' and old.status <> 'ACTIVE' then
    insert into bench_log (what, key, who) values ('active', new.job, new.node);
  end if;
  return new; end $$;
create trigger bench_job after update on channel_jobs for each row execute function bench_job();
`

const job = `
runtime: stream
dag:
  - { type: generator_input, settings: { messages: [tick], rate: 5 }, publish: [ { stream: out } ] }
  - { type: show, subscribe: [ { component: generator_input, stream: out } ] }
`

const jobs = Array.from({ length: jobCount }, (_, index) => `job${index}`)

/** The program of a busy process. It ends with this process, even if that is killed. */
const busyProgram = "const parent = process.ppid; while (process.ppid === parent) for (let i = 0; i < 1e6; i++);"

/**
 * Keeps processors busy until the scope closes. Half of the processes are in the gateways' session and half in separate
 * sessions, because Linux may share processors between sessions first.
 */
const busy = Effect.acquireRelease(
  Effect.sync(() =>
    Array.from({ length: load }, (_, index) =>
      spawn(process.execPath, ["-e", busyProgram], { stdio: "ignore", detached: index % 2 === 0 })
    )
  ),
  (hogs) =>
    Effect.sync(() => {
      for (const hog of hogs) hog.kill("SIGKILL")
    })
)

/**
 * A test of patterns on a log of some MiB. Reading, matching and answering it takes a gateway a large part of a second.
 */
const heavy = async (url: string) => {
  const body = new FormData()
  body.append("input", new Blob(["GET /shop/item.html 200 1234\n".repeat(50_000)]), "input")
  body.append("pattern", new Blob(["%{WORD:verb} %{NOTSPACE:path} %{INT:status} %{INT:bytes}"]), "pattern")
  const response = await fetch(`${url}/v1/flower/grok`, { method: "POST", body })
  await response.arrayBuffer()
}

/** Sends heavy requests until the scope closes. */
const press = (urls: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const state = { isOver: false }
      const senders = urls.flatMap((url) =>
        Array.from({ length: clients }, async () => {
          while (!state.isOver) await heavy(url).catch(() => pass(100))
        })
      )
      return { state, senders }
    }),
    ({ state, senders }) => {
      state.isOver = true
      return Effect.promise(() => Promise.all(senders))
    }
  )

interface Seconds {
  readonly gone: number
  readonly shards: number
  readonly claimed: number
  readonly active: number
}

const sorted = (values: ReadonlyArray<number>) => [...values].sort((a, b) => a - b)
const median = (values: ReadonlyArray<number>) => sorted(values)[Math.floor((values.length - 1) / 2)] ?? Number.NaN

const print = (what: string, rounds: ReadonlyArray<Seconds>) => {
  if (rounds.length === 0) return
  const cells = (["gone", "shards", "claimed", "active"] as const).map((part) => {
    const values = rounds.map((round) => round[part])
    return `${part} ${median(values).toFixed(2)} / ${Math.max(...values).toFixed(2)}`
  })
  console.log(`${what.padEnd(8)} ${rounds.length} times, load ${load}: median / worst in s: ${cells.join("  ")}`)
}

const main = Effect.gen(function* () {
  startBundled()
  const url = yield* startTestServer
  const sql = yield* PgClient.makeClient({ url })
  const conf = yield* configuration
  const data = yield* temporary
  const folder = join(conf.folderOf("mytenant"), "channels", "ticks")
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, "channel_structure.yaml"),
    `applications:\n${jobs.map((name) => `  - { name: ${name}, runtime: stream }\n`).join("")}`
  )
  for (const name of jobs) writeFileSync(join(folder, `${name}.yaml`), job)

  const gateways = new Map<number, GatewayProcess & { readonly url: string }>()
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      for (const { process } of gateways.values()) process.kill("SIGKILL")
      await Promise.all([...gateways.values()].map(({ exit }) => exit))
    })
  )
  const start = async (index: number) => {
    const gateway = startProcess({
      FLOW_DATABASE_URL: Redacted.value(url),
      FLOW_CONF: conf.root,
      FLOW_DATA: join(data, `gateway${index}`),
      FLOW_BLOBS: `file://${join(data, "blobs")}`,
      FLOW_CLUSTER: `127.0.0.1:${await freePort()}`,
      FLOW_LOG: "none"
    })
    gateways.set(index, { ...gateway, ...(await gateway.ready()) })
  }
  yield* Effect.promise(() => Promise.all([0, 1, 2].map(start)))
  for (const text of log.split(/;\n(?=create)/)) yield* sql.unsafe(text)
  const first = gateways.get(0)!
  yield* Effect.promise(() => fetch(`${first.url}/v1/mytenant/channels/ticks/start`, { method: "POST" }))

  const states = sql<{ job: string; status: string; pid: number }>`
    select job, status, substring(node from '[0-9]+$')::integer as pid from channel_jobs order by job`
  /** All gateways have their shares, and all jobs have reached their final gateway. */
  const settled = Effect.gen(function* () {
    yield* until(shardsHeld(sql), all(3))
    let calm = 0
    let seen = ""
    yield* until(states, (rows) => {
      const now = JSON.stringify(rows)
      const isSame = now === seen && rows.every(({ status }) => status === "ACTIVE")
      seen = now
      calm = isSame ? calm + 1 : 0
      return rows.length === jobCount && calm > 10
    })
    return yield* states
  })

  const round = Effect.fnUntraced(function* (signal: "SIGKILL" | "SIGSTOP") {
    const rows = yield* settled
    const share = (pid: number) => rows.filter((row) => row.pid === pid)
    const [index, victim] = [...gateways].sort(([, a], [, b]) => share(b.pid).length - share(a.pid).length)[0]!
    const lost = share(victim.pid).map(({ job }) => job)
    const shards = (yield* sql<{ shard: string }>`
      select shard from cluster_shards where gateway = (select id from gateways where pid = ${victim.pid})`).map(
      ({ shard }) => shard
    )
    const others = [...gateways.values()].filter((other) => other !== victim)
    // Gateways in service are idle between two failures: the previous takeover is over, with its aftermath.
    yield* Effect.promise(() => pass(rest))
    const underLoad = yield* Scope.make()
    yield* Effect.addFinalizer(() => Scope.close(underLoad, Exit.void))
    yield* Scope.provide(Effect.andThen(busy, press(others.map((other) => other.url))), underLoad)
    // The load is present, and the signal arrives at any moment between two heartbeats.
    yield* Effect.promise(() => pass(load > 0 ? 500 + Math.random() * 1000 : Math.random() * 1000))
    yield* sql`delete from bench_log`
    const at = Date.now()
    victim.process.kill(signal)
    const last = sql<{
      gone: number | null
      shards: number
      claimed: number
      active: number
      count: number
      held: number
    }>`
      select
        (select extract(epoch from min(at)) from bench_log where what = 'gone' and key = ${String(victim.pid)})::float8 as gone,
        coalesce((select extract(epoch from max(at)) from (
          select min(at) as at from bench_log where what = 'shard' and key = any(${shards}) group by key) as s), 0)::float8 as shards,
        coalesce((select extract(epoch from max(at)) from (
          select min(at) as at from bench_log where what = 'claimed' and key = any(${lost}) group by key) as c), 0)::float8 as claimed,
        coalesce((select extract(epoch from max(at)) from (
          select min(at) as at from bench_log where what = 'active' and key = any(${lost}) group by key) as a), 0)::float8 as active,
        (select count(distinct key) from bench_log where what = 'active' and key = any(${lost}))::integer as count,
        (select count(distinct key) from bench_log where what = 'shard' and key = any(${shards}))::integer as held`
    const [ends] = yield* until(
      Effect.delay(last, 100),
      ([row]) => row?.gone !== null && row?.count === lost.length && row.held === shards.length
    )
    yield* Scope.close(underLoad, Exit.void)
    if (signal === "SIGSTOP") victim.process.kill("SIGCONT")
    else {
      gateways.delete(index)
      yield* Effect.promise(() => victim.exit)
      yield* Effect.promise(() => start(index))
    }
    const since = (end: number | null) => (end ?? Number.NaN) - at / 1000
    const seconds: Seconds = {
      gone: since(ends!.gone),
      shards: since(ends!.shards),
      claimed: since(ends!.claimed),
      active: since(ends!.active)
    }
    if (process.env["BENCH_VERBOSE"] !== undefined) console.log(signal, `${lost.length} jobs`, seconds)
    return seconds
  })

  const killed: Array<Seconds> = []
  for (let count = 0; count < kills; count++) killed.push(yield* round("SIGKILL"))
  print("killed", killed)
  const frozen: Array<Seconds> = []
  for (let count = 0; count < freezes; count++) frozen.push(yield* round("SIGSTOP"))
  print("frozen", frozen)
}).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

NodeRuntime.runMain(main)
