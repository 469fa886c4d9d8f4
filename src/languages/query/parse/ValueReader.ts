import { JsonPointer, Predicate } from "effect"
import type { Issue } from "../../Issue.ts"
import { listed, suggestion } from "../../Suggest.ts"
import type { DateReading } from "../DateMath.ts"
import type { Values } from "../Query.ts"

/** The time and the time zone of a query's dates. */
export type Dates = Pick<DateReading, "now" | "offset" | "step">

/**
 * Limits of queries; a query that exceeds one is refused. PostgreSQL keeps 32 compiled regular expressions, two of which
 * are not those of the query's texts.
 */
export const limits = {
  depth: 32,
  clauses: 1024,
  values: 65_536,
  text: 8192,
  field: 512,
  issues: 50,
  work: 32_768,
  /** Operations of date math. */
  steps: 4096,
  expressions: 30
}

/** Number of JSON pointer steps from a clause to a clause inside it, as in `/bool/must/0`. */
const levels = 3

const step = (key: string | number): string => `/${JsonPointer.escapeToken(String(key))}`

/** A JSON number that PostgreSQL can store. */
const jsonNumber = /^-?(?:0|[1-9]\d{0,99})(?:\.\d{1,100})?(?:[eE][+-]?\d{1,3})?$/

export const isNumber = (text: string): boolean => jsonNumber.test(text)

/** What a value in a query equals: a number also equals its text; a text also equals the number that it represents. */
export const valuesOf = (given: ReadonlyArray<string | number | boolean>): Values => {
  const texts = [...new Set(given.map(String))]
  return {
    texts,
    numbers: texts.filter(isNumber),
    booleans: texts.flatMap((text) => (text === "true" ? [true] : text === "false" ? [false] : []))
  }
}

interface State {
  readonly issues: Array<Issue>
  clauses: number
  work: number
  steps: number
}

/** What is said of a query that {@link Place.spend} refuses. */
export const tooMuchWork = "The query searches for too much text: use fewer or shorter texts, or fewer fields"

/** A place in the query, with the faults found so far. */
export class Place {
  readonly value: unknown
  readonly pointer: string
  readonly depth: number
  readonly #state: State
  /** Epoch milliseconds of `now` in the query. */
  readonly now: number

  constructor(
    value: unknown,
    now: number,
    pointer = "",
    depth = 0,
    state: State = { issues: [], clauses: 0, work: 0, steps: 0 }
  ) {
    this.value = value
    this.now = now
    this.pointer = pointer
    this.depth = depth
    this.#state = state
  }

  get issues(): ReadonlyArray<Issue> {
    return this.#state.issues
  }

  /** Reports a fault at this place, or at a member. */
  fault(detail: string): undefined {
    return this.faultAt(this.pointer, detail)
  }

  /** Reports a fault at a place below this one. */
  faultAt(pointer: string, detail: string): undefined {
    if (this.#state.issues.length < limits.issues) this.#state.issues.push({ pointer, detail })
    return undefined
  }

  /** The dates of this place: in UTC unless the query has a zone. */
  get dates(): Dates {
    return this.datesIn(() => 0)
  }

  /** The dates of this place in a time zone. */
  datesIn(offset: Dates["offset"]): Dates {
    const step = () => {
      this.#state.steps++
      if (this.#state.steps === limits.steps + 1)
        this.fault(`The date math of a query has at most ${limits.steps} operations`)
      return this.#state.steps <= limits.steps
    }
    return { now: this.now, offset, step }
  }

  at(key: string | number, value: unknown): Place {
    return new Place(value, this.now, this.pointer + step(key), this.depth + 1, this.#state)
  }

  /** A value that is written inside the text at this place. */
  inside(value: unknown): Place {
    return new Place(value, this.now, this.pointer, this.depth, this.#state)
  }

  /** Counts a clause; false when there are too many, they are nested too deeply, or the query is too much already. */
  enter(): boolean {
    this.#state.clauses++
    if (this.#state.clauses === limits.clauses + 1) this.fault(`A query has at most ${limits.clauses} clauses`)
    const isDeep = this.depth >= limits.depth * levels
    if (isDeep) this.fault(`A query has at most ${limits.depth} levels`)
    return this.#state.clauses <= limits.clauses && this.#state.work <= limits.work && !isDeep
  }

  /**
   * Counts the condition that a text becomes for one field; false when the query as a whole has too many. They are
   * compiled to regular expressions, where a long sequence of words takes the square of its length.
   */
  spend({ length }: { readonly length: number }, words = 0): boolean {
    this.#state.work += 16 + length + words ** 2 / 4
    return this.#state.work <= limits.work
  }

  /** The members of an object of options; unknown ones are faults. */
  members(known: ReadonlyArray<string>): ReadonlyMap<string, Place> | undefined {
    if (!Predicate.isObject(this.value)) return this.fault("Expected an object")
    const found = new Map<string, Place>()
    for (const [key, value] of Object.entries(this.value)) {
      const place = this.at(key, value)
      if (known.includes(key)) found.set(key, place)
      else
        place.fault(`Unknown member ${JSON.stringify(key)}${suggestion(key, known) || `: expected ${listed(known)}`}`)
    }
    return found
  }

  /** The only member of an object such as `{ "<field>": … }`. */
  only(what: string): readonly [name: string, place: Place] | undefined {
    if (!Predicate.isObject(this.value)) return this.fault("Expected an object")
    const [first, second] = Object.entries(this.value)
    if (first === undefined || second !== undefined) return this.fault(`Expected exactly one ${what}`)
    return [first[0], this.at(first[0], first[1])]
  }

  text(): string | undefined {
    if (typeof this.value !== "string") return this.fault("Expected a text")
    if (this.value.length > limits.text) return this.fault(`A text has at most ${limits.text} characters`)
    return this.value
  }

  scalar(): string | number | boolean | undefined {
    if (typeof this.value === "string") return this.text()
    if (typeof this.value === "boolean" || (typeof this.value === "number" && Number.isFinite(this.value)))
      return this.value
    return this.fault("Expected a text, a number or a boolean")
  }

  flag(): boolean | undefined {
    if (this.value === true || this.value === "true") return true
    if (this.value === false || this.value === "false") return false
    return this.fault("Expected true or false")
  }

  oneOf<A extends string>(names: ReadonlyArray<A>): A | undefined {
    const wanted = typeof this.value === "string" ? this.value.toLowerCase() : undefined
    return names.find((name) => name === wanted) ?? this.fault(`Expected ${names.join(" or ")}`)
  }

  /** A whole number of at least 0, also as a text. */
  count(most = 1_000_000_000): number | undefined {
    const given = typeof this.value === "string" ? this.value.trim() : this.value
    const number = given === "" ? Number.NaN : Number(given)
    if (typeof given !== "object" && Number.isInteger(number) && number >= 0 && number <= most) return number
    return this.fault(`Expected a whole number from 0 to ${most}`)
  }

  list(): ReadonlyArray<Place> | undefined {
    if (!Array.isArray(this.value)) return this.fault("Expected a list")
    if (this.value.length > limits.values) return this.fault(`A list has at most ${limits.values} values`)
    return this.value.map((value, index) => this.at(index, value))
  }
}

/** Describes why a text cannot be the name of a field; undefined when it can. */
export const fieldFault = (name: string): string | undefined => {
  if (name === "") return "The name of the field is empty"
  if (name.length > limits.field) return `The name of a field has at most ${limits.field} characters`
  return undefined
}

/** The field named by a key. */
export const fieldOf = (place: Place, name: string): string | undefined => {
  const fault = fieldFault(name)
  return fault === undefined ? name : place.fault(fault)
}
