import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import oniguruma from "vscode-oniguruma"

const { loadWASM, OnigScanner, OnigString } = oniguruma
const wasm = createRequire(import.meta.url).resolve("vscode-oniguruma/release/onig.wasm")

export const load = (): Promise<void> => loadWASM(new Uint8Array(readFileSync(wasm)))

/** The scanner of the latest pattern: building one costs more than all its searches. */
let last: { readonly source: string; readonly scanner: InstanceType<typeof OnigScanner> } | undefined

const scannerOf = (source: string) => {
  if (last?.source !== source) {
    last?.scanner.dispose()
    last = undefined
    last = { source, scanner: new OnigScanner([`(?m:${source})`]) }
  }
  return last.scanner
}

/** Oniguruma's result: the spans of the whole match and of each group in order; undefined if there is no match. */
export const search = (source: string, line: string): ReadonlyArray<readonly [number, number]> | undefined => {
  const scanner = scannerOf(source)
  const text = new OnigString(line)
  const found = scanner.findNextMatchSync(text, 0)
  text.dispose()
  return found?.captureIndices.map(({ start, end }) => [start, end] as const)
}
