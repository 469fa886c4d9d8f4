import { Schema } from "effect"
import { hasSecret } from "../../protocol/Secrets.ts"
import type { NodeContext, SettingsIssue } from "../Node.ts"
import { DatabaseAway, databasePlace } from "../ports/Databases.ts"
import { sleep } from "../time/Sleep.ts"
import { withDefault } from "./SettingsSchema.ts"
import { secretOr } from "./SettingTexts.ts"

const urlPattern = /^postgres(?:ql)?:\/\/[^\s\\]+$/u

/** The name of a table, a column or the like: PostgreSQL cuts longer ones. */
export const DatabaseName = Schema.String.check(
  Schema.isPattern(/^[^\u0000]+$/u, { expected: "a name" }),
  Schema.isMaxLength(63)
)

/** Settings of nodes that use a database. */
export const databaseFields = {
  url: secretOr(
    (text) => urlPattern.test(text) && typeof databasePlace(text) !== "string",
    urlPattern,
    "an address such as postgres://host:5432/database"
  ).annotate({
    description:
      "Address of the PostgreSQL: `postgres://host:5432/database`. May contain secrets. `?sslmode=` is `verify-full` (the " +
      "default), `require` (any certificate) or `disable` (no TLS)."
  }),
  user: Schema.optionalKey(Schema.NonEmptyString.annotate({ description: "Who logs in. May contain secrets." })),
  password: Schema.optionalKey(Schema.String.annotate({ description: `Password, as a secret: \`\${secret:NAME}\`.` })),
  ca: Schema.optionalKey(
    Schema.NonEmptyString.annotate({
      description: "Certificates in PEM that sign the server's. Default: the well-known ones. May contain secrets."
    })
  ),
  retry_seconds: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 86_400 })).pipe(
    withDefault(300, "Seconds to try again while the database does not answer, before the run fails.")
  )
}

export const databaseSecrets = ["url", "user", "password", "ca"]

/** Passwords that stand in the flowline itself, where everybody who reads it sees them. */
export const openPasswords = (given: {
  readonly url: string
  readonly password?: string | undefined
}): ReadonlyArray<SettingsIssue> => {
  const issues: Array<SettingsIssue> = []
  const detail = `Expected a secret instead of a password that everybody can read: store it, and write \${secret:NAME}`
  const [, inUrl] = /^[a-z]+:\/\/[^/?#@:]*:([^/?#@]+)@/.exec(given.url) ?? []
  if (inUrl !== undefined && !hasSecret(inUrl)) issues.push({ path: ["url"], detail })
  if (given.password !== undefined && !hasSecret(given.password)) issues.push({ path: ["password"], detail })
  return issues
}

const firstPause = 200
const longestPause = 10_000

/**
 * Repeats the work while the database is away and `mayRepeat`, until that has lasted too long. The work calls `moved`
 * when it has got on, from when on the time counts anew.
 */
export const untilItAnswers = async <A>(
  work: (moved: () => void) => Promise<A>,
  retryMillis: number,
  { signal }: Pick<NodeContext, "signal">,
  mayRepeat: () => boolean = () => true
): Promise<A> => {
  let began = performance.now()
  let pause = firstPause
  const moved = () => {
    began = performance.now()
    pause = firstPause
  }
  for (;;) {
    try {
      return await work(moved)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof DatabaseAway) || !mayRepeat() || performance.now() - began > retryMillis) throw error
    }
    // Random, so that those that failed together do not come back together.
    await sleep(Math.min(pause * (0.75 + Math.random() / 2), Math.max(1, retryMillis)), signal)
    signal.throwIfAborted()
    pause = Math.min(pause * 2, longestPause)
  }
}
