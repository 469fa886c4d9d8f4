import { readRecord } from "./JsonNumbers.ts"

/** Reads JSON. A number that JavaScript would round or cannot represent becomes text. Throws a `SyntaxError`. */
export const parseJson: (text: string) => unknown = readRecord

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether lists and objects are nested more than `levels` deep. */
export const isDeeperThan = (value: unknown, levels: number): boolean => {
  const isContainer = (inner: unknown): inner is object => typeof inner === "object" && inner !== null
  let level = [value].filter(isContainer)
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > levels) return true
    level = level.flatMap((container) => Object.values(container).filter(isContainer))
  }
  return false
}
