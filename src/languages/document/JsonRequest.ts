import * as Result from "effect/Result"
import { readDigits } from "../json/JsonNumbers.ts"
import { type Position, positionOf, TextFault } from "./DocumentSource.ts"
import { readHjson } from "./Hjson.ts"

/** Why bytes are not the JSON of a request. Without a position if none can be named. */
interface JsonFault extends Partial<Position> {
  readonly detail: string
}

/** How many members the objects of a JSON text have, repeated ones included. */
const writtenMembers = (json: string): number => {
  let members = 0
  let isText = false
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at)
    if (isText && unit === 0x5c) at++
    else if (unit === 0x22) isText = !isText
    else if (!isText && unit === 0x3a) members++
  }
  return members
}

/** How many members the objects in a value have. Does not recurse, because JSON may be nested deeply. */
const keptMembers = (value: unknown): number => {
  let members = 0
  const left = [value]
  while (left.length > 0) {
    const one = left.pop()
    if (typeof one !== "object" || one === null) continue
    const inner: ReadonlyArray<unknown> = Object.values(one)
    if (!Array.isArray(one)) members += inner.length
    for (const member of inner) left.push(member)
  }
  return members
}

/** What the strict reader, which is slower but knows positions, finds wrong with the text. */
const faultIn = (text: string): TextFault | undefined => {
  try {
    readHjson(text, "json")
    return undefined
  } catch (cause) {
    if (cause instanceof TextFault) return cause
    throw cause
  }
}

/**
 * Reads JSON of a request with one of the readers of JSON. A key that occurs twice in an object is a fault: the first of
 * the two would be ignored silently. So are more than `most` members of all objects together.
 */
export const readJsonText = (
  text: string,
  read: (text: string) => unknown = readDigits,
  most = Number.POSITIVE_INFINITY
): Result.Result<unknown, JsonFault> => {
  const fault = (otherwise: string) => {
    const found = faultIn(text)
    if (found === undefined) return { detail: otherwise }
    return { detail: found.detail.replace("the end of the file", "the end"), ...positionOf(text, found.at) }
  }
  const members = writtenMembers(text)
  if (members > most) return Result.fail({ detail: `The objects have more than ${most} members together` })
  try {
    const value = read(text)
    if (members === keptMembers(value)) return Result.succeed(value)
    return Result.fail(fault("A key occurs twice in the same object"))
  } catch (cause) {
    // A reader that looks at each number cannot follow thousands of levels.
    if (!(cause instanceof SyntaxError) && !(cause instanceof RangeError)) throw cause
    if (text.trim() === "") return Result.fail({ detail: "Expected JSON, found nothing" })
    const { detail, ...position } = fault("the syntax is wrong")
    return Result.fail({ detail: `This is not JSON: ${detail}`, ...position })
  }
}

/**
 * Reads the JSON of a request in UTF-8 like {@link readJsonText}. By default, numbers that JavaScript would round become
 * their digits, as text.
 */
export const readJsonBytes = (
  bytes: Uint8Array,
  read?: (text: string) => unknown,
  most?: number
): Result.Result<unknown, JsonFault> => {
  try {
    return readJsonText(new TextDecoder("utf-8", { fatal: true }).decode(bytes), read, most)
  } catch {
    const text = new TextDecoder("utf-8").decode(bytes)
    const at = Math.max(0, text.indexOf("\ufffd"))
    return Result.fail({ detail: "This is not JSON in UTF-8", ...positionOf(text, at) })
  }
}
