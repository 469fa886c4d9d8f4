import * as Predicate from "effect/Predicate"
import type { Values } from "./Parameters.ts"

/** What a reference names: a parameter of the execution (`${param:NAME}`), or a variable of the tenant (`${var:NAME}`). */
export type ReferenceKind = "param" | "var"

/** `$${param:` stands for the text `${param:`. A reference without a name of the right form is a fault. */
const references = /\$\$\{(?:param|var):|\$\{(param|var):(?:([A-Za-z][A-Za-z0-9_]{0,63})\})?/g

/** Whether a text has references, escaped ones included. Any other text stands for itself. */
export const mayRefer = (text: string): boolean => text.includes("${param:") || text.includes("${var:")

/** A reference in a text. Without `name` it is malformed. `at` counts UTF-16 units. */
interface ValueReference {
  readonly kind: ReferenceKind
  readonly name: string | undefined
  readonly at: number
  readonly length: number
}

/** The references of a text, without those that are escaped. */
export const valueReferences = (text: string): ReadonlyArray<ValueReference> =>
  mayRefer(text)
    ? [...text.matchAll(references)].flatMap((found) =>
        found[0].startsWith("$$")
          ? []
          : [{ kind: found[1] as ReferenceKind, name: found[2], at: found.index, length: found[0].length }]
      )
    : []

/** The text of a reference. */
export const referenceText = (kind: ReferenceKind, name: string): string => `\${${kind}:${name}}`

/** Stands for the value of a parameter that need not be given and was not. */
export const absent = Symbol("absent")

/** The value of a reference: {@link absent}, or undefined when there is none, so that the reference stays. */
export type ValueOf = (kind: ReferenceKind, name: string) => unknown

/** The value that a text stands for: that of its only reference with its type, else a text. */
export const filledText = (text: string, valueOf: ValueOf): unknown => {
  const [only] = valueReferences(text)
  if (only?.name !== undefined && only.length === text.length) {
    const value = valueOf(only.kind, only.name)
    return value === undefined ? text : value
  }
  return text.replace(references, (found, kind: ReferenceKind | undefined, name: string | undefined) => {
    if (found.startsWith("$$")) return found.slice(1)
    const value = kind === undefined || name === undefined ? undefined : valueOf(kind, name)
    if (value === absent) return ""
    return value === undefined ? found : typeof value === "object" ? JSON.stringify(value) : String(value)
  })
}

/** The value with all its texts filled in. Members and items whose value is {@link absent} are left out. */
const filledValue = (value: unknown, valueOf: ValueOf): unknown => {
  if (typeof value === "string") return mayRefer(value) ? filledText(value, valueOf) : value
  if (Array.isArray(value)) return value.map((item) => filledValue(item, valueOf)).filter((item) => item !== absent)
  if (typeof value !== "object" || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [key, filledValue(member, valueOf)] as const)
  return Object.fromEntries(members.filter(([, member]) => member !== absent))
}

const settingsFilled = (value: unknown, valueOf: ValueOf): unknown =>
  Predicate.isObject(value) && Object.hasOwn(value, "settings")
    ? { ...value, settings: filledValue(value["settings"], valueOf) }
    : value

/** A flowline's content with the references in its settings and in those of its nodes filled in. */
export const filledFlowline = (value: unknown, valueOf: ValueOf): unknown => {
  const own = settingsFilled(value, valueOf)
  if (!Predicate.isObject(own) || !Array.isArray(own["dag"])) return own
  return { ...own, dag: own["dag"].map((node: unknown) => settingsFilled(node, valueOf)) }
}

/** The values that an execution has kept. What it declares and was not given is left out. */
export const keptValueOf =
  (declared: Values, parameters: Values, variables: Values): ValueOf =>
  (kind, name) => {
    const values = kind === "param" ? parameters : variables
    if (Object.hasOwn(values, name)) return values[name]
    return kind === "param" && Object.hasOwn(declared, name) ? absent : undefined
  }
