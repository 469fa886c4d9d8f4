import { describe, expect, it } from "@effect/vitest"
import { formParser } from "../../src/services/http/FormParser.ts"

const field = { limit: 100_000, limitName: "formField", required: true }

/** The faults of a form whose second part has these headers, which comes in chunks of this many bytes. */
const faults = (headers: string, size: number) => {
  const parser = formParser(
    { "content-type": "multipart/form-data; boundary=B1" },
    {
      parts: new Map([["note", field]]),
      file: { name: "file", take: () => {}, newHash: () => expect.fail("no digest was sent") },
      maxParts: 10,
      otherLimit: 1000
    }
  )
  const note = `a preamble\r\n--B1\r\nContent-Disposition: form-data; name="note"\r\n\r\n${"x".repeat(70)}`
  const bytes = new TextEncoder().encode(`${note}\r\n--B1\r\n${headers}\r\n\r\nabc\r\n--B1--\r\n`)
  for (let at = 0; at < bytes.length; at += size) parser.write(bytes.slice(at, at + size))
  parser.end()
  return parser.refused()?._tag === "BadRequest" ? parser.refused() : "read"
}

const file = (more: string) => `Content-Type: text/plain\r\nContent-Disposition: form-data; name="file"${more}`
const extended = "its filename* is not as in RFC 8187, such as UTF-8''na%C3%AFve.txt"

const cases: ReadonlyArray<readonly [headers: string, part: string, detail: string]> = [
  [file("; filename*=a.txt"), "file", extended],
  [file("; filename*=UTF-8''a%FF.txt; filename=a"), "file", extended],
  [file(`; filename*="UTF-8''a.txt`), "file", "its Content-Disposition cannot be read"],
  [file("; filename*=KOI8-R''a.txt"), "file", extended],
  [file("; filename=a; filename=b"), "file", "its Content-Disposition has filename twice"],
  [file("; filename=a b"), "file", "its Content-Disposition cannot be read"],
  [`${file("")}\r\n${file("")}`, "file", "the part has several Content-Disposition headers"],
  ["Content-Disposition: form-data; filename=a", "body", "a part has no name"],
  ["Content-Disposition: ; name=file", "body", "the Content-Disposition of a part cannot be read"]
]

describe("a part whose Content-Disposition is refused", () => {
  it.each(cases)("%j is told with its name: %s, %s", (headers, part, detail) => {
    for (let size = 1; size <= 400; size++) expect(faults(headers, size)).toMatchObject({ issues: [{ part, detail }] })
  })

  it.each(["", "; filename=a", "; filename*=utf-8''a%C3%A4", "; filename*=iso-8859-1'en'%E4; filename=x"])(
    "is none with %j",
    (more) => {
      for (const size of [1, 7, 400]) expect(faults(file(more), size)).toBe("read")
    }
  )

  it("is told behind a long preamble, and headers of some thousand bytes", () => {
    const long = `X-Long: ${"y".repeat(12_000)}\r\n${file("; filename*=a")}`
    for (const size of [100, 100_000]) expect(faults(long, size)).toMatchObject({ issues: [{ part: "file" }] })
  })
})
