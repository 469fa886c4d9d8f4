import * as Predicate from "effect/Predicate"

// Settings were decoded with each node's own schema; the steps only know some of their names.
const member = (settings: unknown, name: string): unknown =>
  Predicate.hasProperty(settings, name) ? settings[name] : undefined

export const textOf = (settings: unknown, name: string): string | undefined => {
  const value = member(settings, name)
  return typeof value === "string" ? value : undefined
}

export const textsOf = (settings: unknown, name: string): ReadonlyArray<string> | undefined => {
  const value = member(settings, name)
  return Array.isArray(value) ? value.map(String) : undefined
}

export const numberOf = (settings: unknown, name: string): number | undefined => {
  const value = member(settings, name)
  return typeof value === "number" ? value : undefined
}
