import { expect, it } from "vitest"
import { limitFindings } from "../../src/layers/doctor/ProcessLimits.ts"

const limits = (
  space: string,
  processes: string,
  files: string
) => `Limit                     Soft Limit           Hard Limit           Units
Max address space         ${space}           ${space}           bytes
Max processes             100                  ${processes}                 processes
Max open files            1024                 ${files}                 files
`

const states = (text: string, isRoot: boolean) =>
  limitFindings(text, isRoot).map(({ name, state, detail }) => [name, state, detail.split(":")[0]])

it("doctor names limits with which runs cannot start", () => {
  expect(states(limits("4294967296", "200", "1024"), false)).toEqual([
    ["open files", "missing", "at most 1024"],
    ["processes", "missing", "at most 200"],
    ["address space", "missing", "at most 4096 MiB"]
  ])
  // Root may start as many processes as it wants.
  expect(states(limits("unlimited", "200", "4096"), true)).toEqual([["open files", "ok", "at most 4096"]])
  expect(states(limits("unlimited", "unlimited", "4096"), false)).toEqual([
    ["open files", "ok", "at most 4096"],
    ["processes", "ok", "no limit"]
  ])
  expect(states("", false)).toEqual([])
})
