import { Agent, request } from "node:http"
import { expect, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { raw, TestGateway } from "../support/gateway.ts"
import { accessFile, hashOf } from "./accessFiles.ts"
import { basic, guarded } from "./support.ts"

const path = "/v1/mytenant/conf"
const roles = { "*": "viewer" }
const usual = { memory: 65_536, passes: 3, parallelism: 1 }

interface Answer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly body: string
}

/** A client with its own address: all of 127.0.0.0/8 is this machine. */
const clientAt = (localAddress: string, connections: number) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Agent({ keepAlive: true, maxSockets: connections })),
      (agent) => Effect.sync(() => agent.destroy())
    ),
    (agent) => (url: string, authorization: string) =>
      Effect.callback<Answer>((resume) => {
        request(url + path, { agent, localAddress, headers: { authorization } }, (response) => {
          let body = ""
          response.on("data", (chunk: Buffer) => (body += chunk))
          response.on("end", () => {
            const retryAfter = response.headers["retry-after"]
            resume(Effect.succeed({ status: response.statusCode ?? 0, retryAfter, body }))
          })
        })
          .on("error", (error) => resume(Effect.die(error)))
          .end()
      })
  )

/** How many hashes the gateway has derived so far. */
const derived = Effect.gen(function* () {
  const answer = yield* raw("/metrics", { headers: { authorization: basic("good", "right") } })
  const text = yield* Effect.promise(() => answer.text())
  return Number(/^flow_passwords_checked_total (\d+)$/m.exec(text)?.[1])
})

const counted = (statuses: Iterable<number>) => {
  const counts = new Map<number, number>()
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1)
  return counts
}

const users = Object.fromEntries(
  ["good", "late", "other"].map((name) => [name, { stored: hashOf("right"), roles }] as const)
)

layer(guarded(accessFile(users)), { excludeTestServices: true })("10,000 wrong passwords", (it) => {
  it.effect("keep nobody waiting who is known, and cost no more than some tries a second", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const attacker = yield* clientAt("127.0.0.2", 100)
      const good = yield* clientAt("127.0.0.1", 1)
      const late = yield* clientAt("127.0.0.3", 1)
      const sameAddress = yield* clientAt("127.0.0.2", 1)
      expect((yield* good(url, basic("good", "right"))).status).toBe(200)
      expect((yield* sameAddress(url, basic("other", "right"))).status).toBe(200)
      const before = yield* derived
      const started = performance.now()
      let left = 10_000
      const flood = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: left }, (_, index) => basic(index % 2 === 0 ? "good" : "nobody", `hunter${index}`)),
          (authorization) => Effect.tap(attacker(url, authorization), () => Effect.sync(() => (left -= 1))),
          { concurrency: 100 }
        )
      )
      // One after the other, while the flood keeps the processor busy with a hundred connections.
      const known = yield* Effect.forEach(Array.from({ length: 4 }), () =>
        Effect.all([good(url, basic("good", "right")), sameAddress(url, basic("other", "right"))])
      )
      const newcomer = yield* late(url, basic("late", "right"))
      expect(left).toBeGreaterThan(0)
      expect(counted(known.flat().map(({ status }) => status))).toEqual(new Map([[200, 8]]))
      expect(newcomer.status).toBe(200)
      const answers = yield* Fiber.join(flood)
      const seconds = (performance.now() - started) / 1000
      const counts = counted(answers.map(({ status }) => status))
      expect([401, 429, 503]).toEqual(expect.arrayContaining([...counts.keys()]))
      expect(counts.get(429)).toBeGreaterThan(0)
      // 30 at once, one more per second, and the newcomer.
      const tries = (yield* derived) - before - 1
      expect(tries).toBe(counts.get(401))
      expect(tries).toBeLessThanOrEqual(31 + Math.ceil(seconds))
      const limited = answers.find(({ status }) => status === 429)
      expect(limited?.retryAfter).toBe("1")
      expect(JSON.parse(limited?.body ?? "")).toMatchObject({
        type: "/problems/limit-exceeded",
        limit: "failedLogins",
        value: 30,
        key: "address:127.0.0.2"
      })
      expect(JSON.stringify(answers)).not.toContain("hunter")
    }).pipe(Effect.scoped)
  )
})

layer(guarded(accessFile({ good: { stored: hashOf("right", usual), roles } })), { excludeTestServices: true })(
  "a hash of the usual cost",
  (it) => {
    it.effect("is derived once for a hundred first requests with the same password", () =>
      Effect.gen(function* () {
        const { url } = yield* TestGateway
        const client = yield* clientAt("127.0.0.1", 100)
        const answers = yield* Effect.forEach(Array.from({ length: 100 }), () => client(url, basic("good", "right")), {
          concurrency: 100
        })
        expect(counted(answers.map(({ status }) => status))).toEqual(new Map([[200, 100]]))
        expect(yield* derived).toBe(1)
      }).pipe(Effect.scoped)
    )

    it.effect("is checked on, when the first of those that wait for it leaves", () =>
      Effect.gen(function* () {
        const { url } = yield* TestGateway
        const before = yield* derived
        const wrong = { headers: { authorization: basic("good", "wrong") } }
        const leaving = new AbortController()
        const first = fetch(url + path, { ...wrong, signal: leaving.signal }).catch(() => "left")
        const second = fetch(url + path, wrong)
        leaving.abort()
        expect(yield* Effect.promise(() => first)).toBe("left")
        expect((yield* Effect.promise(() => second)).status).toBe(401)
        expect((yield* derived) - before).toBeLessThanOrEqual(1)
      })
    )

    it.effect("takes as long for a user that does not exist", () =>
      Effect.gen(function* () {
        const client = yield* clientAt("127.0.0.4", 1)
        const { url } = yield* TestGateway
        const before = yield* derived
        for (const name of ["good", "nobody"]) {
          expect((yield* client(url, basic(name, "wrong"))).status).toBe(401)
        }
        expect((yield* derived) - before).toBe(2)
      }).pipe(Effect.scoped)
    )
  }
)
