import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { problemType } from "../problems/ProblemBody.ts"
import type { RouteEntry } from "../routes/RouteTable.ts"
import { Readiness } from "./Readiness.ts"

const noStore = { "cache-control": "no-store" }

/** The path for checking that the process answers. */
export const live: RouteEntry = {
  template: "/health/live",
  methods: new Set(["GET", "HEAD"]),
  endpoints: new Map(),
  fixed: {}
}

/**
 * `/health/live`: the process answers. `/health/ready`: the process and its dependencies answer; each dependency is
 * listed. Defects, such as damaged blobs, are listed too and do not make it less ready.
 */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { checks, defects, isolation } = yield* Readiness
    const check = (effect: Effect.Effect<unknown, unknown>) =>
      effect.pipe(
        Effect.as("up"),
        Effect.timeout("2 seconds"),
        Effect.catchCause(() => Effect.succeed("down"))
      )
    // If the storage cannot answer, that is no defect: the dependency is shown as down.
    const count = (effect: Effect.Effect<number, unknown>) =>
      effect.pipe(
        Effect.timeout("2 seconds"),
        Effect.catchCause(() => Effect.succeed(0))
      )
    const ready = Effect.gen(function* () {
      const names = [...checks.keys()]
      const states = yield* Effect.forEach(checks.values(), check, { concurrency: "unbounded" })
      const dependencies = Object.fromEntries(names.map((name, index) => [name, states[index]]))
      const counts = yield* Effect.forEach(defects.values(), count, { concurrency: "unbounded" })
      const found = [...defects.keys()].flatMap((name, index) =>
        (counts[index] ?? 0) > 0 ? [[name, counts[index]] as const] : []
      )
      const parts = isolation?.()
      const more = {
        ...(found.length === 0 ? {} : { defects: Object.fromEntries(found) }),
        ...(parts?.python === undefined && parts?.runs === undefined ? {} : { isolation: parts })
      }
      const down = names.filter((_, index) => states[index] === "down")
      if (down.length === 0)
        return HttpServerResponse.jsonUnsafe({ status: "ready", dependencies, ...more }, { headers: noStore })
      return HttpServerResponse.jsonUnsafe(
        {
          type: "/problems/not-ready",
          title: "Not ready",
          status: 503,
          detail: `Not answering: ${down.join(", ")}`,
          dependencies,
          ...more
        },
        { status: 503, contentType: problemType, headers: noStore }
      )
    })
    yield* router.add("GET", "/health/live", HttpServerResponse.jsonUnsafe({ status: "live" }, { headers: noStore }))
    yield* router.add("GET", "/health/ready", ready)
  })
)
