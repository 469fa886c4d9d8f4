import { Result } from "effect"
import * as Base64 from "effect/encoding/Base64"
import * as Predicate from "effect/Predicate"
import { BadRequest, type Issue } from "../../../errors/BadRequest.ts"
import { isDeeperThan, parseJson } from "../../../languages/json/JsonValue.ts"
import { maxSuggestions, unknownName } from "../../../languages/Suggest.ts"
import { catalogue } from "../../../nodes/Catalogue.ts"
import { componentOf, type Flowline, maxNodes } from "../../../protocol/Flowline.ts"
import { parameterBytes } from "../../../protocol/Parameters.ts"
import type { Sample, TrialCase } from "../../../protocol/Trial.ts"
import { FlowlineId } from "../../shared/FlowlineId.ts"
import type { FormPart, PartRules } from "../../shared/requests/FormRules.ts"
import { versionRange } from "../../shared/requests/Parameters.ts"
import type { Limits } from "../../shared/settings/Settings.ts"
import { parametersPart } from "../Decoder.ts"
import type { FlowlineFile } from "../FlowlineFile.ts"

/** Limits of a try: bytes of its samples and of the records in its answer, records of each stream, and time. */
export const tryLimits = {
  sample: 1024 * 1024,
  bytes: 2 * 1024 * 1024,
  records: { usual: 100, most: 1000 },
  first: { usual: 100, most: 10_000 },
  millis: 10_000
}

/** Maximum nesting of a record, as inputs take it. */
const maxDepth = 200

/** The parts of the form of a try, with their limits. */
export const tryRules = (limits: Limits): PartRules => {
  const field = { limit: limits.formField, limitName: "formField", required: false }
  const sample = { limit: tryLimits.sample, limitName: "trySample", required: false }
  return {
    parts: {
      file: { limit: limits.flowlineFile, limitName: "flowlineFile", required: false },
      id: field,
      version: field,
      sample,
      records: sample,
      samples: sample,
      [parametersPart]: { limit: parameterBytes, limitName: parametersPart, required: false },
      input: field,
      first: field,
      limit: field,
      check: field
    },
    maxParts: limits.parts
  }
}

type Form = ReadonlyMap<string, FormPart>

export type Source = { readonly file: FlowlineFile } | { readonly id: FlowlineId; readonly version: number | undefined }

/** What a form asks for, before the flowline is known. */
export interface TryRequest {
  readonly source: Source
  readonly sample: Sample | undefined
  /** The component that `sample` is for. */
  readonly input: string | undefined
  readonly samples: Readonly<Record<string, Sample>>
  readonly first: number | undefined
  readonly records: number
  /** Whether the flowline is only validated. */
  readonly isCheck: boolean
}

const refused = (issues: ReadonlyArray<Issue>) => new BadRequest({ detail: "The try is invalid", issues })

const decoder = new TextDecoder()

/** A record as it was before a node failed it: what the `errors` stream added says nothing of the record itself. */
const withoutError = (record: Record<string, unknown>): Record<string, unknown> => {
  const { error, ...rest } = record
  return Predicate.hasProperty(error, "node") && Predicate.hasProperty(error, "reason") ? rest : record
}

type Records = ReadonlyArray<Record<string, unknown>>

/** Texts stand for lines. */
const recordsOf = (list: ReadonlyArray<unknown>): Records | string => {
  const records: Array<Record<string, unknown>> = []
  for (const [at, item] of list.entries()) {
    if (typeof item === "string") records.push({ message: item })
    else if (!Predicate.isObject(item)) return `item ${at + 1} is neither a JSON object nor a text`
    else if (isDeeperThan(item, maxDepth)) return `item ${at + 1} is nested deeper than ${maxDepth} levels`
    else records.push(withoutError(item))
  }
  return records
}

const json = (text: string): Result.Result<unknown, string> =>
  Result.try({ try: () => parseJson(text), catch: () => "is not JSON" })

/** A list of records in JSON, or one JSON object in each line. */
const readRecords = (text: string): Records | string => {
  const whole = json(text)
  if (Result.isSuccess(whole)) return recordsOf(Array.isArray(whole.success) ? whole.success : [whole.success])
  const lines = text.split("\n")
  const items: Array<unknown> = []
  for (const [at, line] of lines.entries()) {
    if (line.trim() === "") continue
    const item = json(line)
    if (Result.isFailure(item)) return `line ${at + 1} is not JSON`
    items.push(item.success)
  }
  return recordsOf(items)
}

/** A text in a JSON list of samples is a line; a text in place of a list is a whole text. */
const readSamples = (text: string, issues: Array<Issue>): Record<string, Sample> => {
  const value = json(text)
  if (Result.isFailure(value) || !Predicate.isObject(value.success)) {
    issues.push({ part: "samples", detail: "expected a JSON object: the samples by the components of the inputs" })
    return {}
  }
  const found: Array<readonly [string, Sample]> = []
  const given = Object.entries(value.success)
  if (given.length > maxNodes) {
    issues.push({ part: "samples", detail: `a flowline has at most ${maxNodes} inputs` })
    return {}
  }
  for (const [component, one] of given) {
    if (typeof one === "string") {
      found.push([component, { base64: Base64.encode(new TextEncoder().encode(one)), encoding: "utf-8" }])
      continue
    }
    const records = Array.isArray(one) ? recordsOf(one) : "is neither a text nor a list of records"
    if (typeof records === "string") issues.push({ part: "samples", pointer: `/${component}`, detail: records })
    else found.push([component, { records }])
  }
  return Object.fromEntries(found)
}

/** Reads the form of a try. Fails with all its faults. */
export const readTry = (form: Form): Result.Result<TryRequest, BadRequest> => {
  const issues: Array<Issue> = []
  const text = (part: string) => {
    const bytes = form.get(part)?.bytes
    return bytes === undefined ? undefined : decoder.decode(bytes)
  }
  const number = (part: string, least: number, most: number): number | undefined => {
    const given = text(part)?.trim()
    if (given === undefined || given === "") return undefined
    const value = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN
    if (value >= least && value <= most) return value
    issues.push({ part, detail: `expected a whole number from ${least} to ${most}` })
    return undefined
  }

  const file = form.get("file")
  const id = text("id")?.trim()
  const version = number("version", versionRange.minimum, versionRange.maximum)
  if ((file === undefined) === (id === undefined))
    issues.push({ part: "file", detail: "expected either file, a flowline, or id, that of a saved one" })
  if (version !== undefined && id === undefined) issues.push({ part: "version", detail: "a version needs an id" })

  const bytes = form.get("sample")?.bytes
  const given = text("records")
  const records = given === undefined ? undefined : readRecords(given)
  if (typeof records === "string") issues.push({ part: "records", detail: records })
  if (bytes !== undefined && given !== undefined)
    issues.push({ part: "records", detail: "sample and records are the same in two forms: give one of them" })
  const samples = text("samples")
  const input = text("input")?.trim()
  if (input !== undefined && bytes === undefined && given === undefined)
    issues.push({ part: "input", detail: "an input needs a sample, or records" })
  const read = samples === undefined ? {} : readSamples(samples, issues)
  const first = number("first", 0, tryLimits.first.most)
  const limit = number("limit", 0, tryLimits.records.most)
  const check = text("check")?.trim() ?? "false"
  if (check !== "true" && check !== "false") issues.push({ part: "check", detail: "expected true or false" })
  if (issues.length > 0) return Result.fail(refused(issues))

  const sample: Sample | undefined =
    bytes !== undefined
      ? { base64: Base64.encode(bytes) }
      : records === undefined || typeof records === "string"
        ? undefined
        : { records }
  const { filename } = file ?? {}
  const source: Source =
    file === undefined
      ? { id: FlowlineId(id ?? ""), version }
      : { file: { bytes: file.bytes, ...(filename === undefined ? {} : { name: filename }) } }
  return Result.succeed({
    source,
    sample,
    input,
    samples: read,
    first,
    records: limit ?? tryLimits.records.usual,
    isCheck: check === "true"
  })
}

/** The case of a try: its samples at the inputs that they are for. */
export const caseOf = (flowline: Flowline, request: TryRequest): Result.Result<TrialCase, BadRequest> => {
  const inputs = flowline.dag.filter(({ type }) => catalogue.get(type)?.kind === "input")
  const names = inputs.map(componentOf)
  const issues: Array<Issue> = []
  const samples = { ...request.samples }
  const unknown = Object.keys(samples).filter((name) => !names.includes(name))
  for (const name of unknown.slice(0, maxSuggestions)) {
    issues.push({ part: "samples", pointer: `/${name}`, detail: unknownName(name, names, "among the inputs") })
  }
  if (request.sample !== undefined) {
    const input = request.input ?? (names.length === 1 ? names[0] : undefined)
    if (input === undefined)
      issues.push({ part: "input", detail: `the flowline has the inputs ${names.join(", ")}: name one` })
    else if (!names.includes(input))
      issues.push({ part: "input", detail: unknownName(input, names, "among the inputs") })
    else samples[input] = request.sample
  }
  const live = inputs.filter(
    (node) => catalogue.get(node.type)?.isLive === true && !Object.hasOwn(samples, componentOf(node))
  )
  if (live.length > 0 && live.length === inputs.length) {
    const what = live.map(componentOf).join(", ")
    issues.push({ part: "sample", detail: `${what} receives records from outside: give a sample of them` })
  }
  if (issues.length > 0) return Result.fail(refused(issues))
  return Result.succeed({
    samples,
    first: request.first ?? tryLimits.first.usual,
    records: request.records,
    bytes: tryLimits.bytes
  })
}
