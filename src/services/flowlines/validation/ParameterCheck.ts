import { Predicate, Schema } from "effect"
import { maxSuggestions, suggestion } from "../../../languages/Suggest.ts"
import {
  declarationFaults,
  isRequired,
  maxParameters,
  Parameter,
  patternFault,
  referableName,
  type Values,
  valueFault
} from "../../../protocol/Parameters.ts"
import type { Finding } from "./Finding.ts"

/** A value whose pattern is still to be matched. */
export interface Matched {
  readonly name: string
  readonly parameter: Parameter
  readonly value: unknown
  /** Whether an execution gives it, and not the flowline as a default. */
  readonly isGiven: boolean
}

const isParameter = Schema.is(Parameter)

/** The declared parameters that can be read, and the faults of all. The schema of flowlines finds the others. */
export const declaredIn = (value: unknown) => {
  const section = Predicate.isObject(value) ? value["parameters"] : undefined
  const entries = Predicate.isObject(section) ? Object.entries(section) : []
  const findings: Array<Finding> = []
  if (entries.length > maxParameters) {
    findings.push({ path: ["parameters"], detail: `A flowline has at most ${maxParameters} parameters` })
  }
  const declared = new Map<string, Parameter>()
  for (const [name, parameter] of entries.slice(0, maxParameters)) {
    const path = ["parameters", name]
    if (!referableName.test(name)) {
      const detail = "The name of a parameter is a letter and at most 63 letters, digits and _"
      findings.push({ path, detail, key: true })
    }
    if (!isParameter(parameter)) continue
    declared.set(name, parameter)
    for (const fault of declarationFaults(parameter)) findings.push({ ...fault, path: [...path, ...fault.path] })
  }
  return { declared, findings }
}

/** The faults of what an execution gives. */
export const givenFindings = (declared: ReadonlyMap<string, Parameter>, given: Values): ReadonlyArray<Finding> => {
  const unknown = Object.keys(given)
    .filter((name) => !declared.has(name))
    .map((name, index): Finding => {
      const near = index < maxSuggestions ? suggestion(name, declared.keys()) : ""
      const others =
        declared.size === 0 ? "the flowline has none" : `there is ${[...declared.keys()].slice(0, 20).join(", ")}`
      const detail = `There is no parameter ${JSON.stringify(name.slice(0, 100))}${near || `: ${others}`}`
      return { path: [name], given: true, detail }
    })
  const wrong = [...declared].flatMap(([name, parameter]): ReadonlyArray<Finding> => {
    const at = { path: [name], given: true } as const
    if (!Object.hasOwn(given, name)) {
      return isRequired(parameter) ? [{ ...at, detail: `The parameter ${JSON.stringify(name)} is required` }] : []
    }
    const fault = valueFault(parameter, given[name])
    return fault === undefined ? [] : [{ ...at, detail: fault }]
  })
  return [...unknown, ...wrong]
}

/**
 * The values that do not match their patterns. Matching may never end, so it is called on a thread with a time limit.
 */
export const patternFindings = (matched: ReadonlyArray<Matched>): ReadonlyArray<Finding> =>
  matched.flatMap(({ name, parameter, value, isGiven }): ReadonlyArray<Finding> => {
    const detail = patternFault(parameter, value)
    if (detail === undefined) return []
    return [isGiven ? { path: [name], given: true, detail } : { path: ["parameters", name, "default"], detail }]
  })
