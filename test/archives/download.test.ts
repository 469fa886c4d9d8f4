import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Headers, type HttpMethod } from "effect/http"
import { byteRange, contentDisposition, decide } from "../../src/services/http/Download.ts"
import { seed } from "../support/random.ts"

const modified = new Date("2026-03-01T10:00:00.500Z")
const before = "Sun, 01 Mar 2026 09:59:59 GMT"
const same = "Sun, 01 Mar 2026 10:00:00 GMT"
const after = "Sun, 01 Mar 2026 10:00:01 GMT"

const decision = (headers: Record<string, string>, method: HttpMethod.HttpMethod = "GET", lastModified?: Date) => {
  const made = decide(
    { method, headers: Headers.fromInput(headers) },
    { size: 100, etag: "abc", ...(lastModified === undefined ? {} : { lastModified }) }
  )
  return made._tag === "Part" ? `${made.span.start}-${made.span.end}` : made._tag
}

describe("a Range header", () => {
  const cases: ReadonlyArray<readonly [header: string, size: number, expected: string]> = [
    ["bytes=0-0", 100, "0-1"],
    ["bytes=10-19", 100, "10-20"],
    ["BYTES=10-19", 100, "10-20"],
    ["bytes=90-", 100, "90-100"],
    ["bytes=90-5000", 100, "90-100"],
    ["bytes=90-99999999999999999999999", 100, "90-100"],
    ["bytes=-10", 100, "90-100"],
    ["bytes=-5000", 100, "0-100"],
    ["bytes=99-99", 100, "99-100"],
    ["bytes=100-", 100, "unsatisfiable"],
    ["bytes=99999999999999999999999-", 100, "unsatisfiable"],
    ["bytes=-0", 100, "unsatisfiable"],
    ["bytes=0-", 0, "unsatisfiable"],
    ["bytes=-5", 0, "whole"],
    ["bytes=20-10", 100, "whole"],
    ["bytes=0-1,5-6", 100, "whole"],
    ["bytes=", 100, "whole"],
    ["bytes=-", 100, "whole"],
    ["bytes=a-b", 100, "whole"],
    ["bytes=1.5-2", 100, "whole"],
    ["bytes=0x1-0x2", 100, "whole"],
    ["bytes=+1-2", 100, "whole"],
    ["bytes 0-1", 100, "whole"],
    ["lines=0-1", 100, "whole"],
    ["", 100, "whole"]
  ]
  for (const [header, size, expected] of cases) {
    it(`"${header}" of ${size} bytes is ${expected}`, () => {
      const range = byteRange(header, size)
      assert.strictEqual(typeof range === "string" ? range : `${range.start}-${range.end}`, expected)
    })
  }

  it.prop(
    "never leaves the content",
    { header: Schema.String, first: Schema.Int, last: Schema.Int, size: Schema.Int.check(Schema.isGreaterThan(-1)) },
    ({ header, first, last, size }) => {
      for (const text of [`bytes=${first}-${last}`, `bytes=${first}-`, `bytes=-${last}`, header, `bytes=${header}`]) {
        const range = byteRange(text, size)
        if (typeof range === "string") continue
        assert.isTrue(0 <= range.start && range.start < range.end && range.end <= size, `${text} of ${size}`)
      }
    },
    { arbitrary: { seed, runs: 500 } }
  )
})

describe("a conditional request", () => {
  const cases: ReadonlyArray<readonly [headers: Record<string, string>, expected: string, lastModified?: Date]> = [
    [{}, "Whole"],
    [{ "if-none-match": '"abc"' }, "NotModified"],
    [{ "if-none-match": 'W/"abc"' }, "NotModified"],
    [{ "if-none-match": '"x", "abc"' }, "NotModified"],
    [{ "if-none-match": '"x,\\"abc' }, "Whole"],
    [{ "if-none-match": "*" }, "NotModified"],
    [{ "if-none-match": "abc" }, "Whole"],
    [{ "if-none-match": '"ABC"' }, "Whole"],
    [{ "if-none-match": '"abc"', range: "bytes=0-1" }, "NotModified"],
    [{ "if-none-match": '"x"', "if-modified-since": after }, "Whole", modified],
    [{ "if-modified-since": before }, "Whole", modified],
    [{ "if-modified-since": same }, "NotModified", modified],
    [{ "if-modified-since": after }, "NotModified", modified],
    [{ "if-modified-since": "yesterday" }, "Whole", modified],
    // No HTTP dates, which are ignored.
    [{ "if-modified-since": "2050-01-01" }, "Whole", modified],
    [{ "if-modified-since": "2050-01-01T00:00:00Z" }, "Whole", modified],
    [{ "if-modified-since": "Sat, 01 Jan 2050 00:00:00 +0000" }, "Whole", modified],
    [{ "if-modified-since": "Sat, 01 Jan 2050 00:00:00" }, "Whole", modified],
    [{ "if-unmodified-since": "1" }, "Whole", modified],
    [{ "if-unmodified-since": "2000" }, "Whole", modified],
    [{ "if-modified-since": "Sunday, 01-Mar-26 10:00:00 GMT" }, "NotModified", modified],
    [{ "if-modified-since": "Sunday, 01-Mar-26 09:59:59 GMT" }, "Whole", modified],
    [{ "if-modified-since": "Sun Mar  1 10:00:00 2026" }, "NotModified", modified],
    [{ "if-modified-since": "Sun Mar  1 09:59:59 2026" }, "Whole", modified],
    [{ "if-modified-since": after }, "Whole"],
    [{ "if-match": '"abc"' }, "Whole"],
    [{ "if-match": "*" }, "Whole"],
    [{ "if-match": '"x"' }, "PreconditionFailed"],
    [{ "if-match": 'W/"abc"' }, "PreconditionFailed"],
    [{ "if-match": '"x"', "if-none-match": '"abc"' }, "PreconditionFailed"],
    [{ "if-unmodified-since": before }, "PreconditionFailed", modified],
    [{ "if-unmodified-since": same }, "Whole", modified],
    [{ "if-match": '"abc"', "if-unmodified-since": before }, "Whole", modified],
    [{ range: "bytes=5-9" }, "5-10"],
    [{ range: "bytes=500-" }, "Unsatisfiable"],
    [{ range: "bytes=5-9", "if-range": '"abc"' }, "5-10"],
    [{ range: "bytes=5-9", "if-range": 'W/"abc"' }, "Whole"],
    [{ range: "bytes=5-9", "if-range": '"x"' }, "Whole"],
    [{ range: "bytes=500-", "if-range": '"x"' }, "Whole"],
    [{ range: "bytes=5-9", "if-range": same }, "5-10", modified],
    [{ range: "bytes=5-9", "if-range": after }, "Whole", modified],
    [{ range: "bytes=5-9", "if-range": same }, "Whole"],
    [{ range: "bytes=5-9", "if-range": "*" }, "Whole"]
  ]
  for (const [headers, expected, lastModified] of cases) {
    it(`${JSON.stringify(headers)}${lastModified ? " of a dated file" : ""} is ${expected}`, () => {
      assert.strictEqual(decision(headers, "GET", lastModified), expected)
    })
  }

  it("has its dates in GMT, wherever the gateway is", () => {
    const zone = process.env["TZ"]
    process.env["TZ"] = "America/New_York"
    try {
      const headers = { range: "bytes=5-9", "if-range": "Sun Mar  1 10:00:00 2026" }
      assert.strictEqual(decision(headers, "GET", modified), "5-10")
    } finally {
      if (zone === undefined) delete process.env["TZ"]
      else process.env["TZ"] = zone
    }
  })

  it("has no ranges in HEAD", () => assert.strictEqual(decision({ range: "bytes=5-9" }, "HEAD"), "Whole"))
})

describe("a Content-Disposition", () => {
  const cases: ReadonlyArray<readonly [name: string, header: string]> = [
    ["a b.zip", 'attachment; filename="a b.zip"'],
    ["", 'attachment; filename="download"'],
    ["../../etc/passwd", 'attachment; filename=".._.._etc_passwd"'],
    ["a\r\nSet-Cookie: x\u0000", 'attachment; filename="a__Set-Cookie: x_"'],
    ["invoice\u202egnp.exe", 'attachment; filename="invoice_gnp.exe"'],
    ['q".zip', "attachment; filename=\"q_.zip\"; filename*=UTF-8''q%22.zip"],
    ["50%.zip", "attachment; filename=\"50_.zip\"; filename*=UTF-8''50%25.zip"],
    ["naïve €.zip", "attachment; filename=\"na_ve _.zip\"; filename*=UTF-8''na%C3%AFve%20%E2%82%AC.zip"],
    ["😀*'.zip", "attachment; filename=\"_*'.zip\"; filename*=UTF-8''%F0%9F%98%80%2A%27.zip"]
  ]
  for (const [name, header] of cases) {
    it(`for ${JSON.stringify(name)}`, () => assert.strictEqual(contentDisposition("attachment", name), header))
  }

  it.prop(
    "is one line of ASCII that gives the name back",
    { name: Schema.String },
    ({ name }) => {
      const header = contentDisposition("inline", name)
      const [, plain, encoded] = /^inline; filename="([^"\\]*)"(?:; filename\*=UTF-8''([!-~]+))?$/.exec(header) ?? []
      assert.match(header, /^[\x20-\x7e]+$/)
      const read = encoded === undefined ? plain : decodeURIComponent(encoded)
      const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069/\\]/g
      const clean = name.toWellFormed().replace(unsafe, "_")
      assert.strictEqual(read, clean || "download")
    },
    { arbitrary: { seed, runs: 500 } }
  )
})
