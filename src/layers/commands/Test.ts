import { readFile } from "node:fs/promises"
import { basename } from "node:path"
import { Console, Effect, Option, Predicate, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Issue } from "../../errors/BadRequest.ts"
import { messageOf } from "../../languages/ErrorMessage.ts"
import { TestResult } from "../../services/flowlines/TryAnswer.ts"

/** The parts of the answers that are printed. */
const Answer = Schema.Struct({ tests: Schema.optionalKey(Schema.Array(TestResult)) })
const Problem = Schema.Struct({
  title: Schema.String,
  detail: Schema.optionalKey(Schema.String),
  issues: Schema.optionalKey(Schema.Array(Issue))
})

const decodeAnswer = Schema.decodeUnknownResult(Answer)
const decodeProblem = Schema.decodeUnknownResult(Problem)

/** Milliseconds to wait for an answer: a flowline's tests take at most ten seconds, and may have to queue. */
const patience = 120_000

const place = ({ line, column, pointer }: { line?: number; column?: number; pointer?: string }): string =>
  line === undefined ? (pointer ?? "") : `${line}:${column ?? 1}`

const json = (value: unknown): string => JSON.stringify(value, undefined, 2)

/** The lines of a value, each with a sign before it. */
const signed = (sign: string, value: unknown): string =>
  value === undefined ? "" : `\n${json(value).replace(/^/gm, `    ${sign} `)}`

const resultText = (file: string, { name, passed, error, differences }: TestResult): string => {
  if (passed) return `pass  ${file}: ${name}`
  const lines = differences.map(
    (difference) =>
      `  ${file}:${place(difference)}: ${difference.detail}` +
      signed("-", difference.expected) +
      signed("+", difference.found)
  )
  return [`FAIL  ${file}: ${name}${error === undefined ? "" : `: ${error}`}`, ...lines].join("\n")
}

const problemText = (file: string, status: number, body: unknown): string => {
  const problem = decodeProblem(body)
  if (problem._tag === "Failure") return `${file}: the gateway answered ${status}`
  const { title, detail, issues = [] } = problem.success
  return [`${file}: ${detail ?? title}`, ...issues.map((issue) => `  ${file}:${place(issue)}: ${issue.detail}`)].join(
    "\n"
  )
}

const reason = (cause: unknown): string =>
  messageOf(Predicate.hasProperty(cause, "cause") && cause.cause instanceof Error ? cause.cause : cause)

/** Sends one file. Returns how many tests it has and how many fail; a file that cannot be tried counts as one. */
const testFile = Effect.fnUntraced(function* (url: string, tenant: string, file: string) {
  const bytes = yield* Effect.tryPromise({
    try: () => readFile(file),
    catch: () => `${file}: the file cannot be read`
  })
  const form = new FormData()
  form.set("file", new Blob([bytes]), basename(file))
  // No records of the inputs, because only the tests are needed.
  form.set("first", "0")
  form.set("limit", "0")
  form.set("samples", "{}")
  // From the environment, because other users of the machine can read arguments.
  const key = process.env["GATEWAY_KEY"]
  const answer = yield* Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(`${url}/v1/${encodeURIComponent(tenant)}/flowline/try`, {
        method: "POST",
        body: form,
        signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]),
        ...(key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } })
      })
      const body: unknown = await response.json().catch(() => undefined)
      return { status: response.status, body }
    },
    catch: (cause) => `${url} does not answer: ${reason(cause)}`
  })
  const { status, body } = answer
  const decoded = decodeAnswer(body)
  if (status !== 200 || decoded._tag === "Failure") {
    yield* Console.log(problemText(file, status, body))
    return { tests: 1, failed: 1 }
  }
  const { tests = [] } = decoded.success
  if (tests.length === 0) yield* Console.log(`none  ${file}: the flowline has no tests`)
  for (const test of tests) yield* Console.log(resultText(file, test))
  return { tests: tests.length, failed: tests.filter(({ passed }) => !passed).length }
})

/** Runs the tests of flowline files on a gateway. Stores nothing there. */
export const command = Command.make(
  "test",
  {
    files: Argument.String("file").pipe(Argument.withDescription("Flowline files"), Argument.variadic({ min: 1 })),
    url: Flag.String("url").pipe(
      Flag.withDescription("Where the gateway answers; the key of a developer is read from GATEWAY_KEY"),
      Flag.withDefault("http://127.0.0.1:4242")
    ),
    tenant: Flag.String("tenant").pipe(Flag.withDescription("Whose patterns, nodes and files count"), Flag.optional)
  },
  Effect.fnUntraced(function* ({ files, url, tenant }) {
    const whose = Option.getOrElse(tenant, () => "mytenant")
    let tests = 0
    let failed = 0
    for (const file of files) {
      const found = yield* testFile(url.replace(/\/+$/, ""), whose, file)
      tests += found.tests
      failed += found.failed
    }
    yield* Console.log(`${tests - failed} of ${tests} tests pass`)
    if (failed > 0) yield* Effect.fail(`${failed} of ${tests} tests fail`)
  })
).pipe(Command.withDescription("Runs the tests of flowline files on a gateway"))
