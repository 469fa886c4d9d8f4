import { conditional, digested, type Feature, listed, operation, revalidated } from "../shared/openapi/OpenApiParts.ts"

const flowline = "4kQz0vWbT1mXr8sYh2Lc"
const request = {
  flowline,
  trigger: { cron: "30 2 * * MON-FRI", zone: "Europe/Berlin" },
  overlap: "skip",
  catchUp: "last"
}
const schedule = {
  name: "nightly",
  ...request,
  paused: false,
  next: "2026-01-02T01:30:00.000Z",
  fault: null,
  createdAt: "2026-01-01T00:00:00.000Z",
  changedAt: "2026-01-01T00:00:00.000Z"
}
const firing = {
  id: "1",
  schedule: "nightly",
  kind: "cron",
  state: "SUCCEEDED",
  reason: null,
  scheduledAt: "2026-01-01T01:30:00.000Z",
  createdAt: "2026-01-01T01:30:00.412Z",
  startedAt: "2026-01-01T01:30:00.431Z",
  endedAt: "2026-01-01T01:30:02.006Z",
  file: null,
  backfill: null,
  flowlineId: flowline,
  version: 1,
  execution: `${flowline}-1767231000431`
}
const backfill = { from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z", parallel: 2 }
const token = `fgh_${"A".repeat(43)}`

/** What OpenAPI says of schedules. */
export const schedules: Feature<
  | "list"
  | "get"
  | "put"
  | "remove"
  | "pause"
  | "resume"
  | "newToken"
  | "run"
  | "firings"
  | "backfill"
  | "backfills"
  | "cancelBackfill"
> = {
  description: "What executes saved flowlines by itself: times, files, webhooks, and what other flowlines do",
  operations: {
    list: operation("At most 1000, so that there are no pages.", revalidated),
    get: operation(
      "Its `fault` tells why it cannot fire, such as that its flowline was deleted. The `ETag` changes with what is set, " +
        "not with `next` and `fault`, so that there is no 304.",
      { headers: ["If-Match"], answers: { 200: { headers: ["ETag"] } } }
    ),
    put: operation(
      "201 for a new schedule, 200 for one that was replaced. The answer to a new webhook has its token, which is not " +
        "shown again.",
      digested,
      conditional,
      { body: request, answers: { 200: { headers: ["Cache-Control"] }, 201: { headers: ["Cache-Control"] } } }
    ),
    remove: operation("Executions that it has started go on.", conditional),
    pause: operation("Nothing fires but what is asked for. Times that pass meanwhile are not made up for."),
    resume: operation("It goes on with its next time. Files that came meanwhile are new."),
    newToken: operation("The former token holds no longer.", { answers: { 201: { headers: ["Cache-Control"] } } }),
    run: operation(
      "Also while the schedule is paused. `overlap` holds: the answer tells whether the firing has started, waits or was " +
        "skipped. A retry with the same `Idempotency-Key` gets the same firing.",
      { headers: ["Idempotency-Key"], body: {} }
    ),
    firings: operation("What was skipped, refused or missed has its reason.", listed),
    backfill: operation("One execution for each time, oldest first, at most 10 000. It goes on after a restart.", {
      body: backfill
    }),
    backfills: operation("At most the last 1000.", revalidated),
    cancelBackfill: operation("What waits ends as `CANCELLED`, and executions that are open are cancelled.")
  },
  schemas: {
    ScheduleRequest: { description: "A schedule to make", example: request },
    Schedule: { description: "A schedule", example: schedule },
    StoredSchedule: {
      description: "A schedule that was just stored, with the token of a new webhook",
      example: { ...schedule, trigger: { webhook: {} }, overlap: "queue", next: null, token }
    },
    HookToken: { description: "A new token of a webhook", example: { token } },
    Firing: { description: "One firing of a schedule", example: firing },
    RunRequest: { description: "What a firing is given", example: { parameters: { day: "2026-01-01" } } },
    BackfillRequest: { description: "A range of times to fire", example: backfill },
    Backfill: {
      description: "A backfill, and how far it is",
      example: {
        id: "1",
        ...backfill,
        firings: 22,
        waiting: 18,
        open: 2,
        succeeded: 2,
        createdAt: "2026-02-02T08:00:00.000Z",
        cancelledAt: null
      }
    }
  }
}

/** What OpenAPI says of webhooks. */
export const hooks: Feature<"fire"> = {
  description: "Requests of other systems that fire schedules",
  operations: {
    fire: operation(
      "Needs the webhook's own token as `Authorization: Bearer`, or a signature as its schedule describes it, and no " +
        "other credentials. The body is given to the run: records as JSON, NDJSON or lines of text, or parameters. " +
        "Repeated with the same `Idempotency-Key`, or with the same signature of a time, a request fires once.",
      {
        headers: ["Idempotency-Key"],
        body: [{ city: "Brno" }, { city: "Oslo" }],
        bodies: {
          "application/x-ndjson": '{"city":"Brno"}\n{"city":"Oslo"}\n',
          "text/plain": "a line\nanother line\n"
        },
        mayLackBody: true
      }
    )
  },
  schemas: {}
}
