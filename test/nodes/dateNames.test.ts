import { describe, expect, it } from "vitest"
import { misread, read } from "./writtenNames.ts"

describe("the names that Intl writes", () => {
  it("are read, also where marks are vowels and upper case loses something", () => {
    const locales = ["ta", "te", "kn", "pa", "mni", "doi", "si", "bn", "hi", "th", "ar", "he", "ja", "zh", "ko", "vi"]
    const cased = ["tr", "az", "el", "de", "fr", "es", "lt", "lv", "pl", "cs", "hu", "ru", "uk", "hy", "ka", "ga"]
    expect([...locales, ...cased].flatMap(misread)).toEqual([])
  })

  it("may be without accents, but not without what tells them apart", () => {
    expect(read("d MMM yyyy", "5 fevr 2024", "fr")).toBe("2024-02-05T00")
    expect(read("d MMMM yyyy", "5 ΦΕΒΡΟΥΑΡΙΟΥ 2024", "el")).toBe("2024-02-05T00")
    expect(read("d MMM yyyy", "5 ஜன. 2024", "ta")).toBe("2024-01-05T00")
    // June without its vowel sign.
    expect(read("d MMM yyyy", "5 জন 2024", "bn")).toBe("none")
    expect(read("d. MMM. yyyy", "5. März. 2024".normalize("NFD"), "de")).toBe("2024-03-05T00")
  })
})

describe("English names", () => {
  it("are whole or short, in any case", () => {
    for (const name of ["Sep", "sep.", "SEPT", "Sept.", "September", "sePTember"]) {
      expect(read("d-MMM-yy", `1-${name}-26`), name).toBe("2026-09-01T00")
      expect(read("d-MMM-yy", `1-${name}-26`, "ja"), name).toBe("2026-09-01T00")
    }
    for (const name of ["Mayor", "Juni", "Marble", "Janu", "Decimal", "Octo", "xyz"]) {
      expect(read("d-MMM-yy", `1-${name}-26`), name).toBe("none")
      expect(read("d-MMM-yy", `1-${name}-26`, "ja"), name).toBe("none")
    }
    for (const name of ["Thu", "THU.", "thurs", "Thur", "Thursday"]) {
      expect(read("EEE d/M/yyyy", `${name} 1/2/2026`), name).toBe("2026-02-01T00")
      expect(read("YYYY ww EEEE", `2026 01 ${name}`), name).toBe("2026-01-01T00")
    }
    for (const name of ["xyz", "Thunder", "Sunny", "Marcus"]) {
      expect(read("EEE d/M/yyyy", `${name} 1/2/2026`), name).toBe("none")
    }
  })
})
