// Runs inside the sandbox before the program: self-contained, shipped there as text.

/**
 * Makes the function of a filter one of a flowlet: a kept event becomes an empty one, which crosses back at no cost,
 * and the host passes on what it has.
 */
export function keep(test: (event: unknown) => unknown): (event: unknown) => object | undefined {
  return (event) => {
    const kept = test(event)
    if (kept instanceof Promise) throw new TypeError("the filter returned a promise: programs do not wait")
    if (typeof kept === "function") throw new TypeError("the filter returned a function: name it process")
    return kept ? {} : undefined
  }
}
