import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { suggestion } from "../../src/languages/Suggest.ts"
import { parse } from "../../src/services/flowlines/Decoder.ts"
import { caseOf, readTry } from "../../src/services/flowlines/tries/TryForm.ts"

const meant = (name: string, known: Iterable<string>) => /"(.*)"/.exec(suggestion(name, known))?.[1]

/** The edit distance, as it is defined. */
const distance = (from: string, to: string): number => {
  const table = Array.from({ length: from.length + 1 }, (_, row) => [row])
  for (let column = 0; column <= to.length; column++) table[0]![column] = column
  for (let row = 1; row <= from.length; row++) {
    for (let column = 1; column <= to.length; column++) {
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      table[row]![column] = Math.min(
        table[row - 1]![column]! + 1,
        table[row]![column - 1]! + 1,
        table[row - 1]![column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1),
        row > 1 && column > 1 && isSwap ? table[row - 2]![column - 2]! + 1 : Number.POSITIVE_INFINITY
      )
    }
  }
  return table[from.length]![to.length]!
}

describe("a suggestion", () => {
  it("is the nearest known name, if a third of the characters is wrong at most", () => {
    expect(meant("stauts", ["state", "status", "stats"])).toBe("status")
    expect(meant("PATTERN", ["patterns", "pat"])).toBe("patterns")
    expect(meant("x", ["colour", "y"])).toBe("y")
    expect(meant("x", ["colour"])).toBeUndefined()
    expect(meant("a".repeat(65), ["a".repeat(64)])).toBeUndefined()
  })

  it("is the first of those with the least edits", () => {
    let seed = 1
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    const word = () => Array.from({ length: 1 + random(9) }, () => "abc"[random(3)]).join("")
    for (let round = 0; round < 2000; round++) {
      const [name, known] = [word(), Array.from({ length: 6 }, word)]
      const edits = known.map((one) => distance(name, one))
      const least = Math.min(...edits)
      const limit = Math.max(1, Math.floor(name.length / 3))
      expect(meant(name, known), `${name}: ${known}`).toBe(least > limit ? undefined : known[edits.indexOf(least)])
    }
  })

  it("takes no longer among very many long names", () => {
    const names = (count: number) => Array.from({ length: count }, (_, n) => `${"a".repeat(55)}${n}`)
    const cost = (count: number) => {
      const known = names(count)
      const before = process.threadCpuUsage()
      for (let round = 0; round < 20; round++) suggestion(`${"a".repeat(45)}${"b".repeat(12)}`, known)
      return process.threadCpuUsage(before).user
    }
    cost(100)
    expect(cost(20_000)).toBeLessThan(20 * cost(100))
  })
})

describe("samples of a try for inputs that there are not", () => {
  const flowline = (inputs: number) => {
    const dag = Array.from({ length: inputs }, (_, n) => ({ type: "generator_input", component: `input-number-${n}` }))
    const parsed = parse({ bytes: new TextEncoder().encode(JSON.stringify({ runtime: "stream", dag })) })
    return Result.getOrThrow(parsed).source.value
  }
  const asked = (samples: number) => {
    const names = Array.from({ length: samples }, (_, n) => [`input_number_${n}`, ["a"]])
    const text = (value: string) => ({
      bytes: new TextEncoder().encode(value),
      filename: undefined,
      contentType: ""
    })
    const parts = { file: text("x"), samples: text(JSON.stringify(Object.fromEntries(names))) }
    return readTry(new Map(Object.entries(parts)))
  }

  it("are told, the first of them", () => {
    const request = Result.getOrThrow(asked(300))
    const issues = Result.getOrThrow(Result.flip(caseOf(flowline(400) as never, request))).issues
    expect(issues).toHaveLength(50)
    expect(issues?.[0]?.detail).toContain('did you mean "input-number-0"?')
    expect(Result.getOrThrow(Result.flip(asked(1001))).issues).toEqual([
      { part: "samples", detail: "a flowline has at most 1000 inputs" }
    ])
  })
})
