import { Result } from "effect"
import { listed, suggestion } from "./Suggest.ts"

/** What a run counts, of the whole flowline or of one node. */
const quantities = ["records", "read", "written", "rejected", "dropped", "matched", "unmatched", "files"] as const
export type Quantity = (typeof quantities)[number]

const operators = [">=", "<=", "==", "!=", ">", "<", "="] as const
type Operator = Exclude<(typeof operators)[number], "=">

/** A comparison of a count, or of its share of the records, with a number. */
export interface Comparison {
  readonly component: string | undefined
  readonly quantity: Quantity
  readonly operator: Operator
  readonly bound: number
  /** Whether `bound` is in percent of the records. */
  readonly isShare: boolean
  /** Where its quantity stands in the text, from 1; `component` begins there if it has one. */
  readonly column: number
}

/** A condition holds when all comparisons of one of its groups hold. */
type FailCondition = ReadonlyArray<ReadonlyArray<Comparison>>

/** Why a text is no condition. `column` counts UTF-16 units from 1. */
export interface ConditionFault {
  readonly column: number
  readonly detail: string
}

interface Token {
  readonly kind: "name" | "quoted" | "number" | "sign" | "end"
  readonly text: string
  readonly column: number
}

const token = /\s*(?:([A-Za-z_][\w-]*)|"([^"]*)"|(\d+(?:\.\d+)?)|(>=|<=|==|!=|[><=%.])|(\S))/gy

const tokensOf = (text: string): Result.Result<ReadonlyArray<Token>, ConditionFault> => {
  const tokens: Array<Token> = []
  for (const found of text.matchAll(token)) {
    const [whole, name, quoted, number, sign, other] = found
    const column = found.index + whole.length - whole.trimStart().length + 1
    if (other !== undefined) return Result.fail({ column, detail: `Unexpected ${JSON.stringify(other)}` })
    if (name !== undefined) tokens.push({ kind: "name", text: name, column })
    else if (quoted !== undefined) tokens.push({ kind: "quoted", text: quoted, column })
    else if (number !== undefined) tokens.push({ kind: "number", text: number, column })
    else tokens.push({ kind: "sign", text: sign ?? "", column })
  }
  tokens.push({ kind: "end", text: "", column: text.trimEnd().length + 1 })
  return Result.succeed(tokens)
}

class Fault {
  readonly fault: ConditionFault
  constructor(column: number, detail: string) {
    this.fault = { column, detail }
  }
}

const foundText = ({ kind, text }: Token): string => (kind === "end" ? "the end" : JSON.stringify(text))

class Parser {
  readonly #tokens: ReadonlyArray<Token>
  #at = 0

  constructor(tokens: ReadonlyArray<Token>) {
    this.#tokens = tokens
  }

  #next(): Token {
    const found = this.#tokens[Math.min(this.#at, this.#tokens.length - 1)]!
    this.#at++
    return found
  }

  #peek(): Token {
    return this.#tokens[Math.min(this.#at, this.#tokens.length - 1)]!
  }

  #takes(kind: Token["kind"], text: string): boolean {
    const found = this.#peek()
    if (found.kind !== kind || found.text !== text) return false
    this.#at++
    return true
  }

  condition(): FailCondition {
    const groups: Array<Array<Comparison>> = [[this.#comparison()]]
    for (;;) {
      if (this.#takes("name", "and")) groups.at(-1)!.push(this.#comparison())
      else if (this.#takes("name", "or")) groups.push([this.#comparison()])
      else break
    }
    const rest = this.#peek()
    if (rest.kind !== "end") throw new Fault(rest.column, `Expected and, or or the end, found ${foundText(rest)}`)
    return groups
  }

  #comparison(): Comparison {
    const first = this.#next()
    if (first.kind !== "name" && first.kind !== "quoted") {
      throw new Fault(first.column, `Expected what is counted (${listed(quantities)}), found ${foundText(first)}`)
    }
    const component = this.#takes("sign", ".") ? first.text : undefined
    const named = component === undefined ? first : this.#next()
    const quantity = quantities.find((name) => name === named.text)
    if (quantity === undefined || named.kind !== "name") {
      const near = suggestion(named.text, quantities)
      const detail = `Nothing that is counted is named ${foundText(named)}${near || `: there is ${listed(quantities)}`}`
      throw new Fault(named.column, detail)
    }
    const sign = this.#next()
    const operator = operators.find((known) => known === sign.text)
    if (operator === undefined || sign.kind !== "sign") {
      throw new Fault(sign.column, `Expected ${listed(operators)}, found ${foundText(sign)}`)
    }
    const bound = this.#next()
    if (bound.kind !== "number") throw new Fault(bound.column, `Expected a number, found ${foundText(bound)}`)
    const isShare = this.#takes("sign", "%")
    if (isShare && Number(bound.text) > 100) throw new Fault(bound.column, "A share is at most 100 %")
    if (isShare && (quantity === "records" || quantity === "read" || quantity === "files")) {
      throw new Fault(named.column, `The share of ${quantity} in the records says nothing: compare their number`)
    }
    return {
      component,
      quantity,
      operator: operator === "=" ? "==" : operator,
      bound: Number(bound.text),
      isShare,
      column: first.column
    }
  }
}

/** Reads a condition such as `rejected > 5 % and records > 100 or parse.matched == 0`; `and` binds before `or`. */
export const parseFailCondition = (text: string): Result.Result<FailCondition, ConditionFault> =>
  Result.flatMap(tokensOf(text), (tokens) => {
    try {
      return Result.succeed(new Parser(tokens).condition())
    } catch (error) {
      if (error instanceof Fault) return Result.fail(error.fault)
      throw error
    }
  })

/** What was counted, and the records of which it is a part. */
export interface ConditionCounts {
  readonly count: number
  readonly records: number
}

const compare: Readonly<Record<Operator, (one: number, other: number) => boolean>> = {
  ">": (one, other) => one > other,
  ">=": (one, other) => one >= other,
  "<": (one, other) => one < other,
  "<=": (one, other) => one <= other,
  "==": (one, other) => one === other,
  "!=": (one, other) => one !== other
}

/** Whether a comparison holds. Without records there is no share, and a comparison with one does not hold. */
const holds = ({ operator, bound, isShare }: Comparison, { count, records }: ConditionCounts): boolean =>
  isShare ? records > 0 && compare[operator](count * 100, bound * records) : compare[operator](count, bound)

const said = ({ component, quantity, isShare }: Comparison, { count, records }: ConditionCounts): string => {
  const name = component === undefined ? quantity : `${component}.${quantity}`
  const share = isShare ? ` of ${records} (${((count / records) * 100).toFixed(1).replace(/\.0$/, "")} %)` : ""
  return `${name} is ${count}${share}`
}

/** The counts by which a condition holds, in words; undefined when it does not. */
export const whyFails = (
  condition: FailCondition,
  countedBy: (comparison: Comparison) => ConditionCounts
): string | undefined => {
  const group = condition.find((all) => all.every((comparison) => holds(comparison, countedBy(comparison))))
  return group?.map((comparison) => said(comparison, countedBy(comparison))).join(" and ")
}
