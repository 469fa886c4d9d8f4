import { Schema } from "effect"
import { parseJson } from "../../languages/json/JsonValue.ts"

const Row = Schema.Record(Schema.String, Schema.Unknown)
const Count = Schema.Tuple([Schema.Int, Schema.Int, Schema.Int])

/**
 * A message of the Python process, a JSON line. It runs users' programs, so the messages are checked like any other
 * input.
 */
const Message = Schema.Union([
  Schema.Tuple([Schema.Literal("rows"), Schema.String, Schema.Array(Row)]),
  Schema.Tuple([Schema.Literal("errors"), Schema.String, Schema.Array(Schema.Tuple([Row, Schema.String]))]),
  Schema.Tuple([Schema.Literal("print"), Schema.String, Schema.Array(Schema.String)]),
  Schema.Tuple([Schema.Literal("counters"), Schema.Record(Schema.String, Count)]),
  // The processor time in microseconds.
  Schema.Tuple([Schema.Literal("ended"), Schema.String, Schema.Int]),
  Schema.Tuple([Schema.Literal("failed"), Schema.String, Schema.String])
])
export type Message = typeof Message.Type

const decode = Schema.decodeUnknownSync(Message)

/** Throws when the line is not a message. Integers beyond 2^53 in rows are strings. */
export const readMessage = (line: string): Message => decode(parseJson(line))

/** Maximum length of a message in bytes: a row may have some hundred MiB, and is held here several times. */
export const maxMessageBytes = 256 * 1024 * 1024
