import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSWASMModule, RELEASE_SYNC } from "quickjs-emscripten"

// TypeScript declares WebAssembly only in the browser's library.
declare const WebAssembly: {
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => unknown
}

const pageBytes = 65_536
/** Pages for the data and stack of the module itself. */
const initialPages = 256

/**
 * Loads QuickJS with its own memory of at most `bytes`. In this build QuickJS's own limit ignores the sizes of
 * allocations, so without this one a program could use 2 GiB.
 */
export const newModule = (bytes: number): Promise<QuickJSWASMModule> => {
  const maximum = Math.max(initialPages, Math.floor(bytes / pageBytes))
  return newQuickJSWASMModuleFromVariant(
    newVariant(RELEASE_SYNC, { wasmMemory: new WebAssembly.Memory({ initial: initialPages, maximum }) })
  )
}
