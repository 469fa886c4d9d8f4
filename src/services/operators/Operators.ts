import { Context, Effect, Layer, type Scope, Stream } from "effect"
import { BadRequest, type Issue } from "../../errors/BadRequest.ts"
import { InvalidOperator } from "../../errors/InvalidOperator.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import type { RequestTimeout } from "../../errors/RequestTimeout.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { TooLarge } from "../../errors/TooLarge.ts"
import { noDefinitions, type TenantDefinitions } from "../../languages/grok/TenantDefinitions.ts"
import { FairSemaphore } from "../shared/capacity/FairSemaphore.ts"
import { observeQueue } from "../shared/process/ObservableMetrics.ts"
import type { FormPart, PartRules } from "../shared/requests/FormRules.ts"
import { CurrentPrincipal, maySee } from "../shared/security/Principal.ts"
import { type Limits, Settings } from "../shared/settings/Settings.ts"
import { TenantId, Tenants } from "../shared/Tenant.ts"
import { FormMemoryLimit, receiving, testing } from "./Admission.ts"
import type { Bank, ecsChoices } from "./Bank.ts"
import { bankOf } from "./BankPatterns.ts"
import { batches, encodingFault } from "./Batches.ts"
import { OperatorPool, type TestProgram } from "./OperatorPool.ts"
import { type Operator, operators } from "./OperatorTest.ts"
import { proposalLimits } from "./Proposals.ts"
import { TenantPatterns } from "./TenantPatterns.ts"

type Form = ReadonlyMap<string, FormPart>

/** Receives the form of a test. `hold` is told how many bytes are about to be kept, and may refuse them. */
type Receive = (
  rules: PartRules & { readonly hold: (bytes: number) => Effect.Effect<void, Overloaded> }
) => Effect.Effect<Form, BadRequest | Overloaded | RequestTimeout | TooLarge>

/** Maximum number of batches of one test that run at the same time. */
const batchesAhead = 2

const rules = (operator: Operator, limits: Limits): PartRules => {
  const text = { limit: limits.definitionsPart, limitName: "definitionsPart", required: false }
  const option = { limit: limits.formField, limitName: "formField", required: false }
  const parts = {
    input: { limit: limits.testInput, limitName: "testInput", required: true },
    pattern: { ...text, required: operator !== "flowlet" },
    logFile: text,
    definitions: text,
    ecsCompatibility: option,
    appendSeparator: option,
    split: option
  }
  return { parts, faults: (form) => optionsOf(operator, form).issues }
}

/** Stands for the tenant of those who may not see the default tenant. No tenant has such a name. */
const noTenant = TenantId("")

/** The position of the first byte that is not UTF-8. */
const faultOf = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const steps = encodingFault(bytes)
  for (;;) {
    const { done, value } = steps.next()
    if (done || value !== undefined) return value
    yield* Effect.yieldNow
  }
})

/** Decodes a part as UTF-8; fails with the position of the first invalid byte. */
const textOf = Effect.fnUntraced(function* (part: string, bytes: Uint8Array) {
  const fault = yield* faultOf(bytes)
  if (fault !== undefined) return yield* new InvalidOperator({ part, detail: `the ${part} is not UTF-8`, ...fault })
  return new TextDecoder().decode(bytes)
})

/** Samples come from anywhere, so bytes that are not UTF-8 are replaced, and a hint says so. */
const inputHints = Effect.fnUntraced(function* (input: Uint8Array) {
  const fault = yield* faultOf(input)
  if (fault === undefined) return []
  const { line, column, text } = fault
  return [`the input is not UTF-8: bytes such as ${text} at ${line}:${column} are replaced by \uFFFD`]
})

/** The value of an option with a fixed set of values; the first is the default. */
const choice = <A extends string>(
  name: string,
  values: readonly [A, ...ReadonlyArray<A>],
  text: string,
  issues: Array<Issue>
): A => {
  const found = text === "" ? values[0] : values.find((value) => value === text.trim())
  if (found === undefined) issues.push({ part: name, detail: `expected ${values.join(" or ")}` })
  return found ?? values[0]
}

const proposing: TestProgram = {
  operator: "propose",
  text: "",
  part: "input",
  definitions: "",
  shared: noDefinitions,
  ecsCompatibility: "disabled",
  appendSeparator: "",
  split: "lines"
}

/** The options of a test, and the faults of what its form says of them and of a flowlet's program. */
const optionsOf = (operator: Operator, form: Form) => {
  const text = (name: string) => new TextDecoder().decode(form.get(name)?.bytes ?? new Uint8Array())
  const issues: Array<Issue> = []
  if (operator === "flowlet" && !form.has("logFile") && !form.has("pattern")) {
    issues.push({ part: "logFile", detail: "the part is missing" })
  }
  const ecsCompatibility = choice("ecsCompatibility", ["disabled", "v1"], text("ecsCompatibility"), issues)
  const split = choice("split", ["lines", "none"], text("split"), issues)
  return { ecsCompatibility, split, issues }
}

const programOf = Effect.fnUntraced(function* (operator: Operator, form: Form, shared: TenantDefinitions) {
  const text = (name: string) => textOf(name, form.get(name)?.bytes ?? new Uint8Array())
  const part = operator === "flowlet" && form.has("logFile") ? "logFile" : "pattern"
  const { ecsCompatibility, split, issues } = optionsOf(operator, form)
  if (issues.length > 0) return yield* new BadRequest({ detail: "The form is invalid", issues })
  const program: TestProgram = {
    operator,
    text: yield* text(part),
    part,
    definitions: yield* text("definitions"),
    shared,
    ecsCompatibility,
    appendSeparator: yield* text("appendSeparator"),
    split
  }
  return program
})

/**
 * Frees the memory of an input at once. It is tens of megabytes outside the JavaScript heap, which the garbage
 * collector would free only after several more tests.
 */
const release = (bytes: Uint8Array<ArrayBuffer>): void => {
  bytes.buffer.transfer(0)
}

export class Operators extends Context.Service<
  Operators,
  {
    /** The grok patterns that a test with the same tenant can refer to, by name. */
    readonly patterns: (
      ecsCompatibility: (typeof ecsChoices)[number],
      tenant?: TenantId | undefined
    ) => Effect.Effect<typeof Bank.Type, NotFound | StorageUnreachable>
    /**
     * Proposes patterns for the samples of a form. Returns the JSON text of `Proposals`.
     */
    readonly propose: (
      receive: Receive,
      tenant?: TenantId | undefined
    ) => Effect.Effect<
      string,
      BadRequest | NotFound | Overloaded | RequestTimeout | StorageUnreachable | TooLarge,
      Scope.Scope
    >
    /**
     * Tests an operator on the samples of a form, with the patterns of the tenant (the default tenant if none is
     * given and the principal may see it). Returns the JSON text of an `OperatorTest` in pieces. The scope owns the test and must stay open until
     * the answer has been read.
     */
    readonly test: (
      operator: string,
      receive: Receive,
      tenant?: TenantId | undefined
    ) => Effect.Effect<
      Stream.Stream<Uint8Array>,
      BadRequest | InvalidOperator | NotFound | Overloaded | RequestTimeout | StorageUnreachable | TooLarge,
      Scope.Scope
    >
  }
>()("flow/operators/Operators") {
  static readonly layer = Layer.effect(
    Operators,
    Effect.gen(function* () {
      const pool = yield* OperatorPool
      const { limits, defaultTenant } = yield* Settings
      const tenants = yield* Tenants
      const patterns = yield* TenantPatterns
      const room = yield* FormMemoryLimit
      const forms = new FairSemaphore(receiving)
      const tests = new FairSemaphore(testing)
      yield* observeQueue("operator_forms", forms)
      yield* observeQueue("operator_tests", tests)
      let held = 0
      const heldBy = new Map<TenantId, number>()
      const keep = (tenant: TenantId, bytes: number) => {
        held += bytes
        const own = (heldBy.get(tenant) ?? 0) + bytes
        if (own === 0) heldBy.delete(tenant)
        else heldBy.set(tenant, own)
      }
      const mayKeep = (tenant: TenantId, bytes: number) => {
        const all = held + bytes
        return all <= room * 0.75 || (all <= room && (heldBy.get(tenant) ?? 0) + bytes <= room / 16)
      }
      /** The memory of one form, until the scope closes. */
      const memory = (tenant: TenantId) =>
        Effect.acquireRelease(
          Effect.sync(() => ({ bytes: 0 })),
          (own) => Effect.sync(() => keep(tenant, -own.bytes))
        )
      /** Whose patterns a test may use. Who may not see the default tenant tests with the bank alone. */
      const tenantFor = Effect.fnUntraced(function* (given: TenantId | undefined) {
        const principal = yield* CurrentPrincipal
        if (given === undefined) return maySee(principal, defaultTenant) ? defaultTenant : noTenant
        if (maySee(principal, given) && (yield* tenants.exists(given))) return given
        return yield* new NotFound({ kind: "tenant", id: given })
      })
      /** The form of a test that has got its place, until the scope closes. */
      const admitted = Effect.fnUntraced(function* (tenant: TenantId, receive: Receive, rules: PartRules) {
        const own = yield* memory(tenant)
        const hold = (bytes: number) =>
          Effect.suspend(() => {
            if (!mayKeep(tenant, bytes))
              return Effect.fail(new Overloaded({ detail: "The running tests use all memory that tests may take" }))
            keep(tenant, bytes)
            own.bytes += bytes
            return Effect.void
          })
        const form = yield* forms.within(tenant, receive({ ...rules, maxParts: limits.parts, hold }))
        yield* tests.place(tenant)
        return form
      })
      return Operators.of({
        patterns: Effect.fn("Operators.patterns")(function* (ecsCompatibility, given) {
          const tenant = yield* tenantFor(given)
          return bankOf(ecsCompatibility, tenant === noTenant ? noDefinitions : yield* patterns.of(tenant))
        }),
        propose: Effect.fn("Operators.propose")(function* (receive, given) {
          const tenant = yield* tenantFor(given)
          const input = { limit: proposalLimits.input, limitName: "proposalInput", required: true }
          const bytes = (yield* admitted(tenant, receive, { parts: { input } })).get("input")?.bytes ?? new Uint8Array()
          const hints = yield* inputHints(bytes)
          // Proposing compiles no program, so opening cannot fail.
          const session = yield* Effect.catchTag(pool.open(proposing, tenant), "InvalidOperator", Effect.die)
          const made = yield* session.run({ bytes, firstLine: 1, cut: false })
          const said = [...hints, ...made.hints]
          const proposals = new TextDecoder().decode(made.json.subarray(1))
          return `{"total":${made.total},"hints":${JSON.stringify(said)},"proposals":[${proposals}]}`
        }),
        test: Effect.fn("Operators.test")(function* (name, receive, given) {
          const operator = operators.find((known) => known === name)
          if (operator === undefined) return yield* new NotFound({ kind: "operator", id: name })
          const tenant = yield* tenantFor(given)
          const form = yield* admitted(tenant, receive, rules(operator, limits))
          const shared = operator === "dissect" || tenant === noTenant ? noDefinitions : yield* patterns.of(tenant)
          const program = yield* programOf(operator, form, shared)
          const input = form.get("input")?.bytes ?? new Uint8Array()
          yield* Effect.addFinalizer(() => Effect.sync(() => release(input)))
          const hints = yield* inputHints(input)
          const session = yield* pool.open(program, tenant)
          // One by one: by default a stream buffers thousands of pieces, a second copy of the input.
          return answer(
            operator,
            Stream.fromIterable(batches(input, operator, program.split), { chunkSize: 1 }).pipe(
              Stream.mapEffect(session.run, { concurrency: operator === "flowlet" ? 1 : batchesAhead })
            ),
            hints
          )
        })
      })
    })
  )
}

const encoder = new TextEncoder()

/** The counts are known only after the last sample, so they come last in the JSON. */
const answer = (
  operator: Operator,
  tested: Stream.Stream<{ json: Uint8Array; total: number; matched: number; hints: ReadonlyArray<string> }>,
  earlier: ReadonlyArray<string>
): Stream.Stream<Uint8Array> =>
  Stream.suspend(() => {
    let total = 0
    let matched = 0
    let empty = true
    const hints = new Set<string>(earlier)
    const results = Stream.flatMap(tested, (batch) => {
      total += batch.total
      matched += batch.matched
      for (const hint of batch.hints) hints.add(hint)
      if (batch.json.length === 0) return Stream.empty
      // One chunk each: the server would copy two into one.
      const piece = empty ? batch.json.subarray(1) : batch.json
      empty = false
      return Stream.make(piece)
    })
    return Stream.make(encoder.encode(`{"operator":"${operator}","results":[`)).pipe(
      Stream.concat(results),
      Stream.concat(
        Stream.suspend(() =>
          Stream.make(encoder.encode(`],"hints":${JSON.stringify([...hints])},"total":${total},"matched":${matched}}`))
        )
      )
    )
  })
