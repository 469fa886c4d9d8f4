import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { databaseText, leaks } from "../secrets/support.ts"
import { freshDatabase } from "../support/postgres.ts"
import { eventually } from "../support/process.ts"
import { site, temporary } from "../support/process-gateway.ts"
import { accessFile, hashOf } from "./accessFiles.ts"
import { Browser } from "./browser.ts"

const password = "correct horse & battery"
const archives = "/v1/mytenant/archives"

/** How many lines of a gateway's log name the session. */
const linesOf = (gateway: { stderr: () => string }) => gateway.stderr().split("/console/session").length - 1

/** The variables of a gateway with an access file and a separate database. */
const guarded = Effect.gen(function* () {
  const auth = join(yield* temporary, "access.yaml")
  writeFileSync(auth, accessFile({ alice: { stored: hashOf(password), roles: { mytenant: "admin" } } }))
  const database = Redacted.value(yield* freshDatabase)
  return { FLOW_AUTH: auth, FLOW_DATABASE_URL: database, FLOW_LOG: "debug" }
})

it.live("a session outlives a killed gateway, and is nowhere but in the browser", () =>
  Effect.gen(function* () {
    const variables = yield* guarded
    const here = yield* site({ variables })
    const killed = yield* Effect.promise(() => here.start())
    const browser = new Browser(killed.url)
    expect((yield* browser.logIn({ user: "alice", password })).status).toBe(200)
    const { json: key } = yield* browser.post("/v1/mytenant/keys", { name: "a", role: "viewer" })
    expect((yield* new Browser(killed.url).logIn({ key: key.key })).status).toBe(200)
    const [token = ""] = browser.jar.values()
    // The log is written beside the answers, and a killed process writes no more.
    yield* Effect.promise(() => eventually("the logins are logged", () => linesOf(killed) >= 2))
    yield* Effect.promise(() => killed.kill("SIGKILL"))
    const gateway = yield* Effect.promise(() => here.start())
    const after = new Browser(gateway.url, browser.jar)
    expect((yield* after.get(archives)).status).toBe(200)
    expect((yield* after.session).json.principal).toBe("user:alice")
    const texts = new Map(yield* databaseText(variables.FLOW_DATABASE_URL))
    expect(texts.get("table sessions")).toContain("user:alice")
    for (const [name, { stdout, stderr }] of Object.entries({ killed, gateway })) {
      texts.set(`output of ${name}`, stdout() + stderr())
    }
    expect(texts.get("output of killed")).toContain("/console/session")
    expect(leaks(texts, [token, password, key.key.slice(13)])).toEqual([])
  }).pipe(Effect.scoped)
)

it.live("a session of one gateway holds at another on the same database, and ends at both at once", () =>
  Effect.gen(function* () {
    const variables = yield* guarded
    const [one, other] = yield* Effect.all([site({ variables }), site({ variables })])
    // Blobs in one folder, as gateways of one installation have them.
    const FLOW_BLOBS = `file://${join(one.data, "blobs")}`
    const first = yield* Effect.promise(() => one.start({ FLOW_BLOBS }))
    const second = yield* Effect.promise(() => other.start({ FLOW_BLOBS }))
    const browser = new Browser(first.url)
    yield* browser.logIn({ user: "alice", password })
    const there = new Browser(second.url, browser.jar)
    expect((yield* there.get(archives)).status).toBe(200)
    yield* there.delete("/console/session")
    expect((yield* browser.get(archives)).status).toBe(401)
  }).pipe(Effect.scoped)
)

it.live("two installations below one host do not log each other out", () =>
  Effect.gen(function* () {
    const one = yield* site({ variables: yield* guarded })
    const other = yield* site({ variables: yield* guarded })
    const [first, second] = yield* Effect.promise(() => Promise.all([one.start(), other.start()]))
    const browser = new Browser(first.url)
    yield* browser.logIn({ user: "alice", password })
    // Browsers know no ports: one jar for both.
    const same = new Browser(second.url, browser.jar)
    expect((yield* same.get(archives)).status).toBe(401)
    yield* same.logIn({ user: "alice", password })
    expect(same.jar.size).toBe(2)
    const back = new Browser(first.url, same.jar)
    expect([(yield* same.get(archives)).status, (yield* back.get(archives)).status]).toEqual([200, 200])
    yield* back.delete("/console/session")
    expect(back.jar.size).toBe(1)
    const left = new Browser(second.url, back.jar)
    expect([(yield* left.get(archives)).status, (yield* back.get(archives)).status]).toEqual([200, 401])
  }).pipe(Effect.scoped)
)
