// Forms of any size: a part may be a stream, which `FormData` cannot hold, and the bytes of a form can be counted while
// they are sent.

type Bytes = Uint8Array<ArrayBuffer>

/** The bytes of a part: at once, as a file, or as they come. A stream can be sent only once. */
export type Content = Blob | Bytes | ReadableStream<Bytes> | AsyncIterable<Bytes>

/** A text, a file, or the bytes of a file with its name. */
export type Part = string | Content | readonly [content: Content | string, filename: string]

const source = async function* (content: Exclude<Content, Blob | Bytes>): AsyncGenerator<Bytes> {
  if (!(content instanceof ReadableStream)) return yield* content
  // Not every browser iterates a `ReadableStream`.
  const reader = content.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel()
  }
}

/** A form with parts that are streams. In the `FormData` itself, an empty file stands for each. */
export class StreamedForm extends FormData {
  readonly streams = new Map<string, Exclude<Content, Blob | Bytes>>()
}

/** Creates the form of a request, part by part, in this order. */
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
    else {
      made.set(name, new Blob([]), file)
      made.streams.set(name, content)
    }
  }
  return made
}

export const hasStreams = (form: FormData | Blob): form is StreamedForm =>
  form instanceof StreamedForm && form.streams.size > 0

/** Escapes the name of a part or file (WHATWG HTML, multipart/form-data encoding algorithm). */
const quoted = (name: string): string =>
  `"${name.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22")}"`

const encoder = new TextEncoder()

/** The bytes of a form (RFC 7578), made as they are taken. */
export const encoded = async function* (form: FormData, boundary: string): AsyncGenerator<Bytes> {
  for (const [name, value] of form) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name=${quoted(name)}`
    if (typeof value === "string") yield encoder.encode(`${head}\r\n\r\n${value}`)
    else {
      const type = value.type === "" ? "application/octet-stream" : value.type
      yield encoder.encode(`${head}; filename=${quoted(value.name)}\r\nContent-Type: ${type}\r\n\r\n`)
      yield* source((hasStreams(form) && form.streams.get(name)) || value.stream())
    }
    yield encoder.encode("\r\n")
  }
  yield encoder.encode(`--${boundary}--\r\n`)
}

/** A stream of the platform that takes the next chunk only when it is asked for one. */
export const readable = <A>(chunks: AsyncGenerator<A>): ReadableStream<A> =>
  new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => void (await chunks.return(undefined))
    },
    { highWaterMark: 0 }
  )
