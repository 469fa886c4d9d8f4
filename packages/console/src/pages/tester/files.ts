import { type Draft, readDraft } from "./Draft.ts"

/** Distinguishes a file of the tester from a log. */
const format = "flow-gateway-tester"

/** The content of a file for a draft. */
export const fileText = (draft: Draft): string => `${JSON.stringify({ format, version: 1, ...draft }, null, 2)}\n`

/** The draft of a tester's file, or the text of any other file. */
export const readFile = async (file: Blob): Promise<Draft | string> => {
  const text = await file.text()
  if (text.slice(0, 200).includes(`"${format}"`)) {
    try {
      const found = readDraft(JSON.parse(text))
      if (found !== undefined) return found
    } catch {
      // A log may contain this text too.
    }
  }
  return text
}
