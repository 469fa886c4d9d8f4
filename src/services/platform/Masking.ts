import { Predicate } from "effect"

const mask = "********"
const secretWords = /password|passwd|secret|token|credential|api_?key|private_key|access_key/i

/**
 * Replaces the secrets of a configuration: every value whose key names a secret, and every dotted path in `masked`. All
 * other values are kept unchanged.
 */
export const maskSecrets = (properties: unknown, masked: ReadonlyArray<string>): unknown => {
  const paths = new Set(masked)
  const walk = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => walkEntry(String(index), item, path))
    if (!Predicate.isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walkEntry(key, item, path)]))
  }
  const walkEntry = (key: string, value: unknown, parent: string): unknown => {
    const path = parent === "" ? key : `${parent}.${key}`
    return secretWords.test(key) || paths.has(path) ? mask : walk(value, path)
  }
  return walk(properties, "")
}
