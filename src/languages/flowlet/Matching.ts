import { Result } from "effect"
import { compile as compileDissect } from "../dissect/Dissector.ts"
import { compile as compileGrok } from "../grok/GrokMatcher.ts"
import type { TenantDefinitions } from "../grok/TenantDefinitions.ts"
import type { Host } from "./guest/harness.ts"

type Match = (text: string) => string

/** Maximum number of compiled patterns that are cached for one program. */
const remembered = 100

const compiled = (
  kind: "grok" | "dissect",
  pattern: string,
  more: string,
  ecs: boolean,
  shared: TenantDefinitions | undefined
): Match => {
  const result =
    kind === "grok"
      ? compileGrok([pattern], { bank: ecs ? "ecs-v1" : "legacy", definitions: more, shared })
      : compileDissect(pattern, { appendSeparator: more })
  if (Result.isFailure(result)) {
    const { detail, line, column, source } = result.failure
    return () => `!${detail} at ${line}:${column} of ${source ?? "the pattern"}`
  }
  return (text) => {
    const found = result.success.match(text)
    return found === undefined ? "" : JSON.stringify(found.fields)
  }
}

/**
 * Implements a program's `grok` and `dissect`. `definitions` and the tenant's definitions are available to every
 * pattern.
 */
export const matching = (
  definitions: string,
  ecsCompatibility: "disabled" | "v1",
  shared?: TenantDefinitions | undefined
): Host["match"] => {
  const known = new Map<string, Match>()
  return (kind, pattern, text, more) => {
    const key = `${kind}\0${more}\0${pattern}`
    let match = known.get(key)
    if (match === undefined) {
      if (known.size >= remembered) known.clear()
      const definitionsOrSeparator = kind === "grok" ? `${definitions}\n${more}` : more
      match = compiled(kind, pattern, definitionsOrSeparator, ecsCompatibility === "v1", shared)
      known.set(key, match)
    }
    return match(text)
  }
}
