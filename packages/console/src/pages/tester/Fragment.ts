import { type Draft, longestDraft, readDraft } from "./Draft.ts"

/** Maximum number of characters of a fragment. Browsers, mail and chat programs accept links of this length. */
const longestFragment = 16_384

const name = "t="

const through = async (bytes: BlobPart, transform: CompressionStream | DecompressionStream, most: number) => {
  const parts: Array<Uint8Array<ArrayBuffer>> = []
  let length = 0
  const reader = new Blob([bytes]).stream().pipeThrough(transform).getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length
    // A link can be crafted to decompress to any size.
    if (length > most) {
      await reader.cancel()
      return undefined
    }
    parts.push(next.value)
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}

const toText = (bytes: Uint8Array): string => {
  let text = ""
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")
}

/** The fragment of a link, with its `#`, that contains the draft; undefined if it would be too long. */
export const fragmentOf = async (draft: Draft): Promise<string | undefined> => {
  // No text is compressed a thousandfold, so a longer one is not tried.
  if (draft.samples.length > 1000 * longestFragment) return undefined
  const bytes = await through(JSON.stringify(draft), new CompressionStream("deflate-raw"), longestFragment)
  const fragment = bytes === undefined ? undefined : `#${name}${toText(bytes)}`
  return fragment !== undefined && fragment.length <= longestFragment ? fragment : undefined
}

/** Whether the fragment of an address contains a draft. */
export const hasDraft = (fragment: string): boolean => fragment.startsWith(`#${name}`)

/** The draft of a fragment; undefined if it cannot be read. */
export const draftOf = async (fragment: string): Promise<Draft | undefined> => {
  if (!hasDraft(fragment) || fragment.length > longestFragment) return undefined
  try {
    const text = atob(
      fragment
        .slice(name.length + 1)
        .replaceAll("-", "+")
        .replaceAll("_", "/")
    )
    const bytes = Uint8Array.from(text, (unit) => unit.charCodeAt(0))
    const found = await through(bytes, new DecompressionStream("deflate-raw"), longestDraft)
    return found === undefined ? undefined : readDraft(JSON.parse(new TextDecoder().decode(found)))
  } catch {
    return undefined
  }
}
