import { Context, type Effect, type Scope } from "effect"
import type { InvalidOperator } from "../../errors/InvalidOperator.ts"
import type { TenantDefinitions } from "../../languages/grok/TenantDefinitions.ts"
import type { SampleBatch } from "./Batches.ts"
import type { Operator } from "./OperatorTest.ts"
import type { Split } from "./Samples.ts"

/** What a test runs: the texts of the form's parts. */
export interface TestProgram {
  readonly operator: Operator
  /** The patterns, one on each line, or the program. */
  readonly text: string
  /** The form part that `text` came in. */
  readonly part: string
  readonly definitions: string
  /** What the tenant defines besides. */
  readonly shared: TenantDefinitions
  readonly ecsCompatibility: "disabled" | "v1"
  readonly appendSeparator: string
  readonly split: Split
}

/** The results of a batch: JSON objects, each behind a comma, in UTF-8. */
export interface TestedBatch {
  readonly json: Uint8Array
  readonly total: number
  readonly matched: number
  readonly hints: ReadonlyArray<string>
}

/** One test: its program is compiled, its batches take turns with those of other tests. */
export interface TestSession {
  /** Never fails: what goes wrong with a sample is in its result. */
  readonly run: (batch: SampleBatch) => Effect.Effect<TestedBatch>
}

/**
 * Runs tests outside the gateway's own thread, so that neither a runaway pattern nor a runaway program holds up
 * anything else. When the scope closes, what is left of the test is dropped.
 */
export class OperatorPool extends Context.Service<
  OperatorPool,
  {
    readonly open: (program: TestProgram) => Effect.Effect<TestSession, InvalidOperator, Scope.Scope>
  }
>()("flow/operators/OperatorPool") {}
