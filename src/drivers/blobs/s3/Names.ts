import { isAbandoned, ownName, temporaryName } from "../Temporary.ts"

/** The names that this process currently uses. */
const active = new Set<string>()

/** Provides a temporary name while `use` runs. The name identifies the process. */
export const named = async <A>(use: (name: string) => Promise<A>): Promise<A> => {
  const name = temporaryName()
  active.add(name)
  try {
    return await use(name)
  } finally {
    active.delete(name)
  }
}

/** Whether no process uses the name any more. If that is unknown, `modified` (epoch milliseconds) decides. */
export const isLeft = (name: string, modified: number): boolean =>
  !active.has(name) && (name.startsWith(ownName) || isAbandoned(name, modified))
