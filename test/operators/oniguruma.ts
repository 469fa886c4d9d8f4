import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import oniguruma from "vscode-oniguruma"

const { loadWASM, OnigScanner, OnigString } = oniguruma
const wasm = createRequire(import.meta.url).resolve("vscode-oniguruma/release/onig.wasm")

export const load = (): Promise<void> => loadWASM(new Uint8Array(readFileSync(wasm)))

/** Oniguruma's own answer: spans of the whole match and of each group in order, undefined for no match. */
export const search = (source: string, line: string): ReadonlyArray<readonly [number, number]> | undefined => {
  const scanner = new OnigScanner([`(?m:${source})`])
  const text = new OnigString(line)
  const found = scanner.findNextMatchSync(text, 0)
  text.dispose()
  scanner.dispose()
  return found?.captureIndices.map(({ start, end }) => [start, end] as const)
}
