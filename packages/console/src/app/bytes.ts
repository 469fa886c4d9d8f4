/** Reads at most `most` bytes of a stream, and then cancels it. */
export const readBytes = async (
  stream: ReadableStream<Uint8Array>,
  most = Number.POSITIVE_INFINITY
): Promise<Uint8Array<ArrayBuffer>> => {
  const reader = stream.getReader()
  const chunks: Array<Uint8Array> = []
  let size = 0
  try {
    while (size < most) {
      const { done, value } = await reader.read()
      if (done) break
      chunks.push(value)
      size += value.length
    }
  } finally {
    void reader.cancel().catch(() => {})
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes.slice(0, Math.min(size, most))
}
