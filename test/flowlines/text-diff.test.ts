import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { unifiedDiff } from "../../src/languages/diff/TextDiff.ts"
import { random } from "../support/random.ts"

const diffOf = (from: string, to: string, most = Number.POSITIVE_INFINITY) =>
  unifiedDiff({ name: "a", text: from }, { name: "b", text: to }, most)

/** Applies a unified diff, and checks every line that it takes from the old text. */
const patched = (from: string, diff: string): string => {
  if (diff === "") return from
  const old = from.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const made: Array<string> = []
  let at = 0
  for (const hunk of diff.split(/^(?=@@ )/m).slice(1)) {
    const [head = "", ...lines] = hunk.match(/[^\n]*\n/g) ?? []
    const [, start, length = "1", , added = "1"] = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n$/.exec(head) ?? []
    const first = Number(start) - (length === "0" ? 0 : 1)
    while (at < first) made.push(old[at++]!)
    let [taken, given] = [0, 0]
    for (const [index, line] of lines.entries()) {
      if (line.startsWith("\\")) continue
      const text = lines[index + 1]?.startsWith("\\") ? line.slice(1, -1) : line.slice(1)
      if (line[0] !== "+") {
        if (old[at] !== text) throw new Error(`line ${at + 1} is ${old[at]}, not ${text}`)
        at++
        taken++
      }
      if (line[0] !== "-") {
        made.push(text)
        given++
      }
    }
    expect([taken, given]).toEqual([Number(length), Number(added)])
  }
  return [...made, ...old.slice(at)].join("")
}

const Text = Schema.Array(Schema.Literals(["a\n", "b\n", "c\n", "\n", "d", "\r\n"]))

it.effect.prop(
  "a unified diff makes the new text of the old one",
  { before: Text, after: Text },
  ({ before, after }) =>
    Effect.sync(() => {
      const [from, to] = [before.join(""), after.join("")]
      const { text } = diffOf(from, to)
      expect(text === "").toBe(from === to)
      expect(patched(from, text)).toBe(to)
    }),
  { arbitrary: { runs: 500 } }
)

const hasGit = spawnSync("git", ["--version"]).error === undefined

it.skipIf(!hasGit)("is what git applies, with few changes in long texts", () => {
  const folder = mkdtempSync(join(tmpdir(), "flow-diff-"))
  try {
    for (let seed = 1; seed <= 10; seed++) {
      const { below } = random(seed)
      const lines = Array.from({ length: 3000 }, () => `line ${below(400)}`)
      const changed = lines.flatMap((line) =>
        below(100) < 3 ? (below(2) === 0 ? [] : [line, `new ${below(9)}`]) : [line]
      )
      const [from, to] = [lines.join("\n"), `${changed.join("\n")}\n`]
      const { text } = diffOf(from, to)
      writeFileSync(join(folder, "file"), from)
      const patch = text.replace("--- a\n+++ b\n", "--- a/file\n+++ b/file\n")
      execFileSync("git", ["apply", "--unidiff-zero", "-"], { cwd: folder, input: patch })
      expect(readFileSync(join(folder, "file"), "utf8")).toBe(to)
      // A shortest script: nothing that stands in both at its place is written twice.
      const edits = text.split("\n").filter((line) => /^[-+](?![-+]{2} )/.test(line)).length
      expect(edits).toBeLessThan(3000 * 0.06 * 2)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it("replaces all between the first and the last difference when there are too many", () => {
  const from = `same\n${Array.from({ length: 5000 }, (_, at) => `a${at}\n`).join("")}end\n`
  const to = `same\n${Array.from({ length: 5000 }, (_, at) => `b${at}\n`).join("")}end\n`
  const { text, isCut } = diffOf(from, to)
  expect(isCut).toBe(false)
  expect(text.split("\n")[2]).toBe("@@ -1,5002 +1,5002 @@")
  expect(patched(from, text)).toBe(to)
  expect(diffOf(from, to, 1000)).toEqual({ text: "--- a\n+++ b\n", isCut: true })
})
