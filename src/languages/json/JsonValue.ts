import * as Predicate from "effect/Predicate"
import { readRecord } from "./JsonNumbers.ts"

/** Reads JSON. A number that JavaScript would round or cannot represent becomes text. Throws a `SyntaxError`. */
export const parseJson: (text: string) => unknown = readRecord

/** Whether lists and objects are nested more than `levels` deep. */
export const isDeeperThan = (value: unknown, levels: number): boolean => {
  let level = [value].filter(Predicate.isObjectOrArray)
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > levels) return true
    level = level.flatMap((container) => Object.values(container).filter(Predicate.isObjectOrArray))
  }
  return false
}
