// Runs inside the sandbox before the program. Its source text is passed there: it must not refer to anything outside.

/**
 * Turns the function of a filter into one of a flowlet. A kept event becomes an empty one, which is cheap to copy out
 * of the sandbox; the host passes on the original.
 */
export function keep(test: (event: unknown) => unknown): (event: unknown) => object | undefined {
  return (event) => {
    const kept = test(event)
    if (kept instanceof Promise) throw new TypeError("the filter returned a promise: programs are synchronous")
    if (typeof kept === "function") throw new TypeError("the filter returned a function: name it process")
    return kept ? {} : undefined
  }
}
