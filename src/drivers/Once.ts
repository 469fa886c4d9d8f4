/** A function that calls `make` at its first call only: what few processes need is loaded or opened when it is used. */
export const once = <A>(make: () => Promise<A>): (() => Promise<A>) => {
  let made: Promise<A> | undefined
  return () => {
    made ??= make()
    return made
  }
}
