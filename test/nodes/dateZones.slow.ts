import { expect, it } from "vitest"
import { misreadClocks } from "./writtenClocks.ts"

it("clocks are read near all their changes in all zones", () => {
  const found = Intl.supportedValuesOf("timeZone").map(misreadClocks)
  expect(found.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(100_000)
  expect(found.flatMap(({ wrong }) => wrong)).toEqual([])
})
