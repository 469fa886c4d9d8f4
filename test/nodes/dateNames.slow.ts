import { expect, it } from "vitest"
import { misread } from "./writtenNames.ts"

const letters = [..."abcdefghijklmnopqrstuvwxyz"]
const codes = letters.flatMap((a) => letters.flatMap((b) => [a + b, ...letters.map((c) => a + b + c)]))
const variants = [
  ...["de-AT", "it-CH", "pt-PT", "fr-CA", "es-MX", "en-AU", "en-CA", "en-IN", "ca-ES", "hi-Latn", "fa-AF", "ar-MA"],
  ...["sr-Latn", "uz-Cyrl", "az-Cyrl", "bs-Cyrl", "pa-Arab", "sd-Deva", "ks-Deva", "mni-Mtei", "ff-Adlm", "shi-Latn"],
  ...["zh-Hant", "zh-HK", "yue-Hans", "kok-Latn"]
]

it("the names that Intl writes are read in all its languages", () => {
  const locales = Intl.DateTimeFormat.supportedLocalesOf([...codes, ...variants])
  expect(locales.length).toBeGreaterThan(100)
  expect(locales.flatMap(misread)).toEqual([])
})
