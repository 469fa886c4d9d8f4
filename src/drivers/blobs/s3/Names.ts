import { isAbandoned, ownName, temporaryName } from "../Temporary.ts"

/** Names that this process is using right now. */
const active = new Set<string>()

/** A temporary name for the time of `use`. It tells which process it belongs to. */
export const named = async <A>(use: (name: string) => Promise<A>): Promise<A> => {
  const name = temporaryName()
  active.add(name)
  try {
    return await use(name)
  } finally {
    active.delete(name)
  }
}

/**
 * Whether nobody works under the name any more. `modified` in epoch milliseconds decides where that cannot be known.
 */
export const isLeft = (name: string, modified: number): boolean =>
  !active.has(name) && (name.startsWith(ownName) || isAbandoned(name, modified))
