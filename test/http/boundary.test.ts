import { describe, expect, it } from "@effect/vitest"
import { formParser } from "../../src/services/http/FormParser.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const field = { limit: 1000, limitName: "formField", required: true }

/** The parts of a form that arrives in chunks of this many bytes, and its file. */
const parsed = (body: string, size: number) => {
  let file = ""
  const parser = formParser(
    { "content-type": 'multipart/form-data; boundary="B1"' },
    {
      parts: new Map([["note", field]]),
      file: {
        name: "file",
        take: (chunk) => {
          file += decoder.decode(chunk)
        },
        newHash: () => {
          throw new Error("no digest was sent")
        }
      },
      maxParts: 10,
      otherLimit: 1000
    }
  )
  const bytes = encoder.encode(body)
  for (let at = 0; at < bytes.length; at += size) parser.write(bytes.slice(at, at + size))
  parser.end()
  const note = parser.parts.map(({ bytes }) => decoder.decode(bytes.value))
  return { file, note, refused: parser.refused()?._tag, issues: parser.issues() }
}

const content = "a\r\n--B\r\n--B2 \r\n\r--B1 \tb\r\r\n-"
const form = (padding: string) =>
  [
    `--B1${padding}`,
    'Content-Disposition: form-data; name="file"; filename="a.txt"',
    "",
    content,
    `--B1${padding}`,
    'Content-Disposition: form-data; name="note"',
    "",
    " two \t",
    `--B1--${padding}`,
    ""
  ].join("\r\n")

const whole = { file: content, note: [" two \t"], refused: undefined, issues: [] }

describe("a form whose boundaries are followed by blanks", () => {
  it.each(["", " ", "  ", "\t", " \t ", " ".repeat(200)])("%j is read like one without them", (padding) => {
    const body = form(padding)
    for (let size = 1; size <= body.length; size++) expect([size, parsed(body, size)]).toEqual([size, whole])
  })

  it("is not affected by what follows its closing boundary", () => {
    for (const padding of ["", "  "]) {
      const body = `${form(padding)}an epilogue\r\n: with : lines\r\n`
      for (let size = 1; size <= body.length; size++) expect([size, parsed(body, size)]).toEqual([size, whole])
    }
  })

  it("is refused when it ends early, like one without them", () => {
    for (const padding of ["", "  "]) {
      const body = form(padding)
      for (const end of [3, 4, 5, 6, 40, body.indexOf("--B1--")]) {
        for (const size of [1, 7, 1000]) expect(parsed(body.slice(0, end), size).refused).toBeDefined()
      }
    }
  })
})
