import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSWASMModule, RELEASE_SYNC } from "quickjs-emscripten"

// The compiler's library knows WebAssembly only together with the browser's.
declare const WebAssembly: {
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => unknown
}

const pageBytes = 65_536
/** What the module's own data and stack take before a program has anything. */
const initialPages = 256

/**
 * QuickJS with a memory of its own that cannot grow over `bytes`. QuickJS's own limit counts allocations without their
 * sizes in this build, so it alone would let a program have two gibibytes.
 */
export const newModule = (bytes: number): Promise<QuickJSWASMModule> => {
  const maximum = Math.max(initialPages, Math.floor(bytes / pageBytes))
  return newQuickJSWASMModuleFromVariant(
    newVariant(RELEASE_SYNC, { wasmMemory: new WebAssembly.Memory({ initial: initialPages, maximum }) })
  )
}
