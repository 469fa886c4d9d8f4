import { Predicate, Result } from "effect"
import { positionOf } from "../../../languages/document/DocumentSource.ts"
import { maxSuggestions, suggestion } from "../../../languages/Suggest.ts"
import {
  isRequired,
  type KeptValues,
  type Parameter,
  placeholderOf,
  type Values,
  valueFault
} from "../../../protocol/Parameters.ts"
import { secretReferences } from "../../../protocol/Secrets.ts"
import {
  absent,
  filledFlowline,
  filledText,
  mayRefer,
  type ReferenceKind,
  referenceText,
  type ValueOf,
  valueReferences
} from "../../../protocol/ValueReferences.ts"
import type { FoundVariables } from "../../variables/TenantVariables.ts"
import type { Finding } from "./Finding.ts"
import { declaredIn, givenFindings, type Matched } from "./ParameterCheck.ts"

/** What the references of a flowline stand for. Plain data. */
export interface ReferenceValues {
  /**
   * The parameters that an execution gives. Absent when a flowline is saved: what only an execution knows is not faulty
   * then, whatever it will be.
   */
  readonly given?: Values
  readonly variables?: FoundVariables
}

type Path = ReadonlyArray<PropertyKey>

/** A flowline's content with values in place of its references. Plain data. */
export interface FilledContent {
  readonly value: unknown
  /** The faults of declarations, given values and references. */
  readonly findings: ReadonlyArray<Finding>
  /** Values whose patterns are still to be matched, which may take long: see `patternFindings`. */
  readonly matched: ReadonlyArray<Matched>
  /** The settings whose values are known only when the flowline is executed, or are faulty. */
  readonly open: ReadonlyArray<Path>
  /** The texts of settings that have references, and these. */
  readonly made: ReadonlyArray<{ readonly path: Path; readonly of: ReadonlyArray<string> }>
  /** What an execution keeps; absent when the flowline has no parameters and uses no variables. */
  readonly kept?: KeptValues
  /** Warnings about variables that do not exist. */
  readonly warnings: ReadonlyArray<string>
}

const malformed = (kind: ReferenceKind) =>
  `A reference to a ${kind === "param" ? "parameter" : "variable"} is ${referenceText(kind, "NAME")}, whose name is a ` +
  `letter and at most 63 letters, digits and _. For the text itself, write $\${${kind}:`

/** Parts of a flowline, beside settings, in which references would be taken for names. */
const withoutReferences: ReadonlySet<PropertyKey> = new Set(["type", "component", "subscribe", "publish"])

/** Every text of the flowline that could refer to something, with its path and whether it may. */
function* textsIn(
  value: unknown,
  path: Path,
  mayHold: boolean
): Generator<readonly [path: Path, text: string, mayHold: boolean, isKey: boolean]> {
  if (typeof value === "string") {
    if (mayRefer(value)) yield [path, value, mayHold, false]
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* textsIn(item, [...path, index], mayHold)
  } else if (Predicate.isObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      if (mayRefer(key)) yield [[...path, key], key, false, true]
      yield* textsIn(member, [...path, key], mayHold)
    }
  }
}

function* references(value: unknown) {
  if (!Predicate.isObject(value)) return
  yield* textsIn(value["runtime"], ["runtime"], false)
  yield* textsIn(value["settings"], ["settings"], true)
  const { dag } = value
  for (const [index, node] of (Array.isArray(dag) ? dag : []).entries()) {
    if (!Predicate.isObject(node)) continue
    for (const [name, member] of Object.entries(node)) {
      if (name === "settings") yield* textsIn(member, ["dag", index, name], true)
      else if (withoutReferences.has(name)) yield* textsIn(member, ["dag", index, name], false)
    }
  }
}

const componentAt = (value: unknown, [list, index]: Path): string => {
  const dag = Predicate.isObject(value) && list === "dag" && Array.isArray(value["dag"]) ? value["dag"] : []
  const node: unknown = dag[Number(index)]
  const { component, type } = Predicate.isObject(node) ? node : {}
  return String(component ?? type ?? "settings")
}

const namesOfSecrets = (text: unknown): string =>
  typeof text === "string" ? JSON.stringify(secretReferences(text).map(({ name }) => name ?? "")) : "[]"

/** The values of declared parameters, as far as they are known, and those of them that have to match a pattern. */
const parameterValues = (declared: ReadonlyMap<string, Parameter>, given: Values | undefined) => {
  const parameters: Record<string, unknown> = {}
  const matched: Array<Matched> = []
  for (const [name, parameter] of declared) {
    const isGiven = given !== undefined && Object.hasOwn(given, name)
    const found = isGiven ? given[name] : parameter.default
    // A faulty value is reported by itself; the settings that refer to it count as unknown.
    if (found === undefined || (isGiven && valueFault(parameter, found) !== undefined)) continue
    Reflect.defineProperty(parameters, name, { value: found, enumerable: true, writable: true, configurable: true })
    if (parameter.pattern !== undefined) matched.push({ name, parameter, value: found, isGiven })
  }
  return { parameters, matched }
}

/** Puts values in place of the references in the settings of a flowline that may be faulty elsewhere. */
export const fillReferences = (
  value: unknown,
  { given, variables = { values: {} } }: ReferenceValues
): FilledContent => {
  const { declared, findings } = declaredIn(value)
  if (given !== undefined) findings.push(...givenFindings(declared, given))
  const { parameters, matched } = parameterValues(declared, given)
  const used = new Map<string, unknown>()
  const missing = new Map<string, string>()
  const open: Array<Path> = []
  const made: Array<FilledContent["made"][number]> = []

  const isUnknown = (name: string, parameter: Parameter): boolean =>
    isRequired(parameter) || (given !== undefined && Object.hasOwn(given, name))

  const valueOf: ValueOf = (kind, name) => {
    if (kind === "var") return Object.hasOwn(variables.values, name) ? variables.values[name] : name
    if (Object.hasOwn(parameters, name)) return parameters[name]
    const parameter = declared.get(name)
    if (parameter === undefined) return undefined
    return isUnknown(name, parameter) ? placeholderOf(name, parameter) : absent
  }

  /** What is wrong with a reference to a parameter; undefined when its value is known, or will be. */
  const parameterFault = (path: Path, name: string): string | undefined => {
    const parameter = declared.get(name)
    if (parameter === undefined) {
      const near = findings.length < maxSuggestions ? suggestion(name, declared.keys()) : ""
      return `There is no parameter ${JSON.stringify(name)}${near || ": declare it below parameters"}`
    }
    if (!Object.hasOwn(parameters, name) && isUnknown(name, parameter)) open.push(path)
    return undefined
  }

  /** What is wrong with a reference to a variable, which is only a warning while nothing is executed. */
  const variableFault = (path: Path, name: string, isWhole: boolean): string | undefined => {
    if (Object.hasOwn(variables.values, name)) {
      const found = variables.values[name]
      used.set(name, found)
      const isText = typeof found !== "object"
      return isWhole || isText ? undefined : `The variable ${name} is no text or number: it can only be a whole setting`
    }
    const where = variables.environment === undefined ? "" : ` in the environment ${variables.environment}`
    const near = open.length < maxSuggestions ? suggestion(name, Object.keys(variables.values)) : ""
    const lack = `there is no variable ${JSON.stringify(name)}${where}`
    const detail = variables.fault === undefined ? lack + near : `the variables cannot be used: ${variables.fault}`
    open.push(path)
    if (given !== undefined) return detail.charAt(0).toUpperCase() + detail.slice(1)
    if (!missing.has(name))
      missing.set(name, `${componentAt(value, path)}: ${detail}${near === "" ? ":" : ""} Runs fail without it`)
    return undefined
  }

  let refers = false
  for (const [path, text, mayHold, isKey] of references(value)) {
    refers = true
    for (const { kind, name, at, length } of valueReferences(text)) {
      const detail = isKey
        ? "A key cannot refer to a parameter or variable"
        : !mayHold
          ? "Only settings can refer to parameters and variables"
          : name === undefined
            ? malformed(kind)
            : kind === "param"
              ? parameterFault(path, name)
              : variableFault(path, name, length === text.length)
      if (detail !== undefined) {
        if (mayHold) open.push(path)
        findings.push(isKey ? { path, detail, key: true } : { path, detail, inside: positionOf(text, at) })
      }
    }
    if (mayHold) {
      const of = valueReferences(text).flatMap(({ kind, name }) =>
        name === undefined ? [] : [referenceText(kind, name)]
      )
      made.push({ path, of })
      // Somebody who may only execute a flowline must not make it read secrets that its author did not name.
      if (namesOfSecrets(text) !== namesOfSecrets(filledText(text, valueOf))) {
        findings.push({ path, detail: "The values of parameters and variables cannot refer to secrets" })
      }
    }
  }
  const environment = variables.environment === undefined ? {} : { environment: variables.environment }
  const kept = { parameters, variables: Object.fromEntries(used), ...environment }
  return {
    value: refers ? filledFlowline(value, valueOf) : value,
    findings,
    matched,
    open,
    made,
    ...(declared.size === 0 && !refers ? {} : { kept }),
    warnings: [...missing.values()].slice(0, maxSuggestions)
  }
}

const isAt = (path: Path, other: Path): boolean =>
  path.length >= other.length && other.every((key, index) => path[index] === key)

/** The faults without those of settings whose values are unknown. Faults of filled-in values name their references. */
export const settled = (findings: ReadonlyArray<Finding>, { made, open }: FilledContent): ReadonlyArray<Finding> =>
  made.length === 0
    ? findings
    : findings
        .filter(({ path }) => !open.some((known) => isAt(path, known)))
        .map((finding) => {
          const from = made.find(({ path }) => isAt(finding.path, path))
          if (from === undefined || from.of.length === 0) return finding
          // The position counts in the filled-in text, which the file does not contain.
          const { inside: _, ...rest } = finding
          return { ...rest, detail: `${finding.detail} (the value of ${from.of.join(" and ")})` }
        })

/** The content without the settings of the flowline itself that are still unknown. */
const withoutOpen = ({ value, open }: FilledContent): unknown => {
  const names = new Set(
    open.flatMap(([part, name]) => (part === "settings" && name !== undefined ? [String(name)] : []))
  )
  if (!Predicate.isObject(value) || !Predicate.isObject(value["settings"]) || names.size === 0) return value
  const known = Object.entries(value["settings"]).filter(([name]) => !names.has(name))
  return { ...value, settings: Object.fromEntries(known) }
}

/** The result of a check without the faults of unknown settings. `again` decodes the content without these settings. */
export const settledResult = <A>(
  filled: FilledContent,
  result: Result.Result<A, ReadonlyArray<Finding>>,
  again: (value: unknown) => Result.Result<A, unknown>
): Result.Result<A, ReadonlyArray<Finding>> => {
  if (Result.isSuccess(result)) return result
  const faults = settled(result.failure, filled)
  if (faults.length > 0) return Result.fail(faults)
  return Result.mapError(again(withoutOpen(filled)), () => result.failure)
}
