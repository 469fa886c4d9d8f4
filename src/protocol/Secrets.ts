/** The name of a secret: a capital letter, then at most 63 capital letters, digits and `_`. */
export const secretName = /^[A-Z][A-Z0-9_]{0,63}$/

/** Maximum size of a secret, and of all secrets of a flowline together, in bytes of UTF-8. */
export const secretBytes = 64 * 1024
export const flowlineSecretBytes = 256 * 1024

/** The values of secrets by their names. */
export type SecretValues = Readonly<Record<string, string>>

/** What a reference begins with. */
const opening = `\${secret:`

/** `$${secret:` stands for the text `${secret:`. A reference without a name of the right form is a fault. */
const references = /\$\$\{secret:|\$\{secret:(?:([A-Z][A-Z0-9_]{0,63})\})?/g

/** A reference in a text. Without `name` it is malformed. `at` counts UTF-16 units. */
interface SecretReference {
  readonly name: string | undefined
  readonly at: number
}

/** The references of a text, without those that are escaped. */
export const secretReferences = (text: string): ReadonlyArray<SecretReference> =>
  text.includes(opening)
    ? [...text.matchAll(references)].flatMap((found) =>
        found[0].startsWith("$$") ? [] : [{ name: found[1], at: found.index }]
      )
    : []

/** Whether the text contains a reference, so that its value is known only in a run. */
export const hasSecret = (text: string): boolean => secretReferences(text).some(({ name }) => name !== undefined)

const filled = (text: string, values: SecretValues): string =>
  text.includes(opening)
    ? text.replace(references, (found, name: string | undefined) => {
        if (found.startsWith("$$")) return opening
        return name !== undefined && Object.hasOwn(values, name) ? values[name]! : found
      })
    : text

/** The value with the secrets in place of their references, in all its texts but not in its keys. */
export const withSecrets = (value: unknown, values: SecretValues): unknown => {
  if (typeof value === "string") return filled(value, values)
  if (Array.isArray(value)) return value.map((item) => withSecrets(item, values))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withSecrets(member, values)]))
}

/** Every text of a value, with its path. Keys are no texts. */
export function* textsOf(
  value: unknown,
  path: ReadonlyArray<string | number> = []
): Generator<readonly [path: ReadonlyArray<string | number>, text: string]> {
  if (typeof value === "string") yield [path, value]
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* textsOf(item, [...path, index])
  else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) yield* textsOf(member, [...path, key])
  }
}
