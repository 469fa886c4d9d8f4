// Forms of any size: a part may be a stream, which `FormData` cannot hold, and the bytes of a form can be counted while
// they are sent.

type Bytes = Uint8Array<ArrayBuffer>
type Streamed = ReadableStream<Bytes> | AsyncIterable<Bytes>

/** The content of a part: all bytes, a file, or a stream. A stream can be sent only once. */
export type Content = Blob | Bytes | Streamed

/** A text, a file, or the bytes of a file with its name. */
export type Part = string | Content | readonly [content: Content | string, filename: string]

/**
 * A form with parts that are streams. They are not part of the `FormData`: code that cannot send streams omits them.
 */
export class StreamedForm extends FormData {
  readonly streams = new Map<string, readonly [content: Streamed, filename: string]>()
}

/** Creates the form of a request. The parts keep their order, but streams come last. */
export const form = (parts: Readonly<Record<string, Part>>): FormData => {
  const made = new StreamedForm()
  for (const [name, part] of Object.entries(parts)) {
    if (typeof part === "string") {
      made.set(name, part)
      continue
    }
    const [content, filename] = Array.isArray(part) ? (part as readonly [Content | string, string]) : [part as Content]
    const file = filename ?? (content instanceof File ? content.name : name)
    if (content instanceof Blob) made.set(name, content, file)
    else if (typeof content === "string" || content instanceof Uint8Array) made.set(name, new Blob([content]), file)
    else made.streams.set(name, [content, file])
  }
  return made
}

export const hasStreams = (form: FormData | Blob): form is StreamedForm =>
  form instanceof StreamedForm && form.streams.size > 0

/** Escapes the name of a part or file (WHATWG HTML, multipart/form-data encoding algorithm). */
const quoted = (name: string): string =>
  `"${name.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22")}"`

/** The chunks of a stream. `cancel` releases it, even while `next` is waiting for it. */
interface Chunks {
  readonly next: () => Promise<IteratorResult<Bytes, unknown>>
  readonly cancel: () => unknown
}

const chunksOf = (content: Streamed): Chunks => {
  // Not every browser iterates a `ReadableStream`.
  if (content instanceof ReadableStream) {
    const reader = content.getReader()
    return { next: () => reader.read() as Promise<IteratorResult<Bytes>>, cancel: () => reader.cancel() }
  }
  const iterator = content[Symbol.asyncIterator]()
  return { next: () => iterator.next(), cancel: () => iterator.return?.() }
}

const encoder = new TextEncoder()

const encodedFile = async function* (head: string, filename: string, type: string, { next, cancel }: Chunks) {
  const media = type === "" ? "application/octet-stream" : type
  yield encoder.encode(`${head}; filename=${quoted(filename)}\r\nContent-Type: ${media}\r\n\r\n`)
  try {
    for (let chunk = await next(); chunk.done !== true; chunk = await next()) yield chunk.value
  } finally {
    await cancel()
  }
  yield encoder.encode("\r\n")
}

/** The body of a request. `release` releases the streams of its parts; after that it yields no further byte. */
export interface StreamedBody {
  readonly bytes: ReadableStream<Bytes>
  readonly release: () => void
}

/**
 * A form in its encoding (RFC 7578), generated while it is read.
 *
 * @param onSent called with the number of bytes that have been read so far
 */
export const encoded = (
  form: FormData,
  boundary: string,
  onSent: ((sent: number) => void) | undefined
): StreamedBody => {
  const streams = [...(hasStreams(form) ? form.streams : [])].map(
    ([name, [content, filename]]) => [name, filename, chunksOf(content)] as const
  )
  const parts = (async function* () {
    const head = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name=${quoted(name)}`
    for (const [name, value] of form) {
      if (typeof value === "string") yield encoder.encode(`${head(name)}\r\n\r\n${value}\r\n`)
      else yield* encodedFile(head(name), value.name, value.type, chunksOf(value.stream()))
    }
    for (const [name, filename, chunks] of streams) yield* encodedFile(head(name), filename, "", chunks)
    yield encoder.encode(`--${boundary}--\r\n`)
  })()
  let isReleased = false
  const release = () => {
    isReleased = true
    void Promise.allSettled([...streams.map(async ([, , chunks]) => chunks.cancel()), parts.return()])
  }
  let sent = 0
  let taken = 0
  const bytes = new ReadableStream<Bytes>(
    {
      async pull(controller) {
        sent += taken
        if (sent > 0) onSent?.(sent)
        const { done, value } = await parts.next()
        // A released stream looks as if it had ended, so the form must not be completed.
        if (isReleased) return new Promise(() => {})
        if (done) return controller.close()
        taken = value.length
        controller.enqueue(value)
      },
      cancel: release
    },
    { highWaterMark: 0 }
  )
  return { bytes, release }
}
