import { Context, type Effect, type Scope } from "effect"
import type { InvalidOperator } from "../../errors/InvalidOperator.ts"
import type { Overloaded } from "../../errors/Overloaded.ts"
import type { TenantDefinitions } from "../../languages/grok/TenantDefinitions.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { SampleBatch } from "./Batches.ts"
import type { SampleWork } from "./OperatorTest.ts"
import type { Split } from "./Samples.ts"

/** The program of a test: the texts of its form parts. */
export interface TestProgram {
  readonly operator: SampleWork
  /** The patterns, one per line, or the program. */
  readonly text: string
  /** The form part that `text` came in. */
  readonly part: string
  readonly definitions: string
  /** The definitions of the tenant. */
  readonly shared: TenantDefinitions
  readonly ecsCompatibility: "disabled" | "v1"
  readonly appendSeparator: string
  readonly split: Split
}

/** The results of a batch in UTF-8: JSON objects, each preceded by a comma. */
export interface TestedBatch {
  readonly json: Uint8Array
  readonly total: number
  readonly matched: number
  readonly hints: ReadonlyArray<string>
}

/** One test with its compiled program. Its batches take turns with those of other tests and tenants. */
interface TestSession {
  /** Never fails: the failure of a sample is in its result. */
  readonly run: (batch: SampleBatch) => Effect.Effect<TestedBatch>
}

/**
 * Runs tests outside the gateway's main thread, so that a runaway pattern or program blocks nothing else. When the
 * scope closes, the remaining work of the test is dropped.
 */
export class OperatorPool extends Context.Service<
  OperatorPool,
  {
    /** `Overloaded`: no thread can be started for the test now. */
    readonly open: (
      program: TestProgram,
      tenant: TenantId
    ) => Effect.Effect<TestSession, InvalidOperator | Overloaded, Scope.Scope>
  }
>()("flow/operators/OperatorPool") {}
