import type { RequestHeader, ResponseHeader } from "./DescribedHeaders.ts"

/** What OpenAPI says of the answers with one status, besides what the endpoint declares. */
export interface Answer {
  readonly description?: string
  readonly headers?: ReadonlyArray<ResponseHeader>
  /** Media types besides the declared one. */
  readonly content?: Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>
}

/** What OpenAPI says of an operation, besides what its endpoint declares. */
export interface Operation {
  readonly description: string
  readonly headers?: ReadonlyArray<RequestHeader>
  /** The body, or the parts of the form by name: an example that works when it is copied. */
  readonly body?: unknown
  /** The parts of the form, where a body of another type is possible too. */
  readonly form?: Readonly<Record<string, string>>
  /** Bodies of other media types than JSON, by type: examples that work when they are copied. */
  readonly bodies?: Readonly<Record<string, unknown>>
  /** Whether a request without a body is right. */
  readonly mayLackBody?: true
  readonly answers?: Readonly<Record<number, Answer>>
}

/** What OpenAPI says of a component schema, besides what it declares. */
interface Component {
  readonly description: string
  readonly example: unknown
}

/** What OpenAPI says of a feature. `Endpoint` is the names of its endpoints. */
export interface Feature<Endpoint extends string = string> {
  readonly description: string
  readonly operations: Readonly<Record<Endpoint, Operation>>
  readonly schemas: Readonly<Record<string, Component>>
}

const merged = (one: Answer = {}, other: Answer = {}): Answer => ({
  ...one,
  ...other,
  headers: [...(one.headers ?? []), ...(other.headers ?? [])],
  content: { ...one.content, ...other.content }
})

/** An operation of which these parts are true as well. */
export const operation = (description: string, ...parts: ReadonlyArray<Partial<Operation>>): Operation => {
  const answers: Record<number, Answer> = {}
  for (const part of parts) {
    for (const [status, answer] of Object.entries(part.answers ?? {})) {
      answers[Number(status)] = merged(answers[Number(status)], answer)
    }
  }
  const bodies = parts.flatMap(({ answers: _, headers: __, ...body }) => body)
  return {
    description,
    headers: parts.flatMap(({ headers = [] }) => headers),
    answers,
    ...Object.assign({}, ...bodies)
  }
}

/** A list that is read as a whole or in pages. */
export const listed = {
  headers: ["If-Match", "If-None-Match"],
  answers: { 200: { headers: ["Link", "ListETag"] }, 304: { description: "Not modified", headers: ["ETag"] } }
} satisfies Partial<Operation>

/** A write that can be retried by its key. `status` is that of its success. */
export const keyed = (status: number, ...more: ReadonlyArray<ResponseHeader>): Partial<Operation> => ({
  headers: ["Idempotency-Key"],
  answers: { [status]: { headers: ["Idempotency-Replayed", ...more] } }
})

/** A form whose parts or whole can be checked by digests. */
export const digested = { headers: ["Content-Digest", "Repr-Digest"] } satisfies Partial<Operation>

const file: ReadonlyArray<ResponseHeader> = ["Accept-Ranges", "Cache-Control", "ETag", "Last-Modified"]
const bytes = { type: "string", format: "binary" }

/** A download with ranges and conditions. `more` names media types besides the declared one. */
export const downloaded = (
  more: ReadonlyArray<string>,
  declared: string,
  varying: ReadonlyArray<ResponseHeader> = []
): Partial<Operation> => {
  const sent = [...file, "Content-Disposition" as const, ...varying]
  const others = Object.fromEntries(more.map((type) => [type, { schema: bytes }]))
  return {
    headers: ["If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Range"],
    answers: {
      200: { description: "The whole file", headers: sent, content: others },
      206: {
        description: "The part that `Range` names",
        headers: [...sent, "Content-Range"],
        content: { [declared]: { schema: bytes }, ...others }
      },
      304: { description: "Not modified", headers: [...file, ...varying] },
      416: { headers: ["Content-Range"] }
    }
  }
}

/** What is said of a change, a run or a read that conditions may refuse. */
export const conditional = {
  headers: ["If-Match", "If-None-Match", "If-Unmodified-Since"]
} satisfies Partial<Operation>

/** What is said of a read that answers 304. */
export const revalidated = {
  headers: ["If-Match", "If-None-Match"],
  answers: { 200: { headers: ["ETag"] }, 304: { description: "Not modified", headers: ["ETag"] } }
} satisfies Partial<Operation>

const events = (what: string, example: string) => ({
  "text/event-stream": { schema: { type: "string", description: `${what} as they come (server-sent events)` }, example }
})

/** Lines, in the format that `Accept` selects. */
export const lines: Partial<Operation> = {
  headers: ["Accept", "Last-Event-ID"],
  answers: {
    200: {
      headers: ["Vary"],
      content: {
        "text/plain": { schema: { type: "string", description: "The text of the lines" }, example: "hello\n" },
        // One value a line, so the schema is that of a line.
        "application/x-ndjson": { schema: { $ref: "#/components/schemas/OutputLine" } },
        ...events(
          "The lines",
          'id: 1\ndata: {"seq":1,"timestamp":"2026-01-01T00:00:00.000Z","component":"show","text":"hello"}\n\n'
        )
      }
    }
  }
}

/** Events, as a list or as they occur. */
export const eventStreamed: Partial<Operation> = {
  headers: ["Accept", "Last-Event-ID"],
  answers: {
    200: {
      headers: ["Link", "Vary"],
      content: events(
        "The events",
        'id: 1\ndata: {"timestamp":"2026-01-01T00:00:00.000Z","tenant":"mytenant","event":"stream.application.start","seq":1}\n\n'
      )
    },
    304: { headers: ["Vary"] }
  }
}
