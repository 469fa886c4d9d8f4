import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import { ZipArchive } from "archiver"
import { assert, describe, it } from "vitest"
import { unzip } from "../support/zip.ts"

const made = async (forceZip64: boolean) => {
  const archive = new ZipArchive({ forceZip64, zlib: { level: 6 } })
  archive.append("one\n".repeat(1000), { name: "logs/één.txt" })
  archive.append(Buffer.from([0, 1, 2]), { name: "b.bin", store: true })
  archive.append("", { name: "empty" })
  const bytes = buffer(archive)
  await archive.finalize()
  return bytes
}

describe("the zip reader of the tests", () => {
  for (const forceZip64 of [false, true]) {
    it(`reads what was packed${forceZip64 ? " as Zip64" : ""}, and nothing that is damaged`, async () => {
      const zip = await made(forceZip64)
      const entries = unzip(zip)
      assert.deepStrictEqual(
        entries.map(({ name, bytes, method }) => [name, bytes.toString("latin1"), method]),
        [
          ["logs/één.txt", "one\n".repeat(1000), 8],
          ["b.bin", "\u0000\u0001\u0002", 0],
          ["empty", "", entries[2]!.method]
        ]
      )
      for (const length of [0, 10, zip.length >> 1, zip.length - 1]) {
        assert.throws(() => unzip(zip.subarray(0, length)), undefined, undefined, `${length} bytes`)
      }
      const at = zip.indexOf(Buffer.from([0, 1, 2, 0x50])) > 0 ? zip.indexOf(Buffer.from([0, 1, 2])) : 60
      const damaged = Buffer.from(zip)
      damaged[at]! ^= 0xff
      assert.throws(() => unzip(damaged))
    })
  }

  it("reads what zip has packed", () => {
    const folder = mkdtempSync(join(tmpdir(), "flow-zip-"))
    try {
      writeFileSync(join(folder, "a.txt"), "a".repeat(10_000))
      try {
        execFileSync("zip", ["-q", "z.zip", "a.txt"], { cwd: folder })
      } catch (error) {
        // Not every machine has it; the archiver's zips are read above.
        return assert.match(String(error), /ENOENT/)
      }
      assert.deepStrictEqual(unzip(readFileSync(join(folder, "z.zip"))), [
        { name: "a.txt", bytes: Buffer.from("a".repeat(10_000)), method: 8 }
      ])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
