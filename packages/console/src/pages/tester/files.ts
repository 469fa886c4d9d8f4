import { type Draft, readDraft } from "./Draft.ts"

/** What tells a file of the tester from a log. */
const format = "flow-gateway-tester"

/** The text of a file that holds a draft. */
export const fileText = (draft: Draft): string => `${JSON.stringify({ format, version: 1, ...draft }, null, 2)}\n`

/** The draft of a file of the tester; the text of any other file. */
export const readFile = async (file: Blob): Promise<Draft | string> => {
  const text = await file.text()
  if (text.slice(0, 200).includes(`"${format}"`)) {
    try {
      const found = readDraft(JSON.parse(text))
      if (found !== undefined) return found
    } catch {
      // A log may begin like that.
    }
  }
  return text
}
