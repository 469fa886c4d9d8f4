import { Result } from "effect"
import { componentOf, type Flowline } from "../../protocol/Flowline.ts"
import { asked, catalogue } from "../Catalogue.ts"

/** The components that run in each part of a run. */
export interface Split {
  readonly input: string
  /** The input, and the stateless nodes that receive only its records. */
  readonly inside: ReadonlySet<string>
}

/** The inputs that can be read in parallel parts. */
const divisible = [...catalogue.values()].filter((type) => type.pieces !== undefined).map(({ type }) => type)

/**
 * How a flowline is split: an input that can be read in pieces, and the stateless nodes that receive only its records.
 * Fails with the reason when it cannot be split.
 */
export const split = ({ runtime, dag }: Flowline): Result.Result<Split, string> => {
  if (runtime !== "stream")
    return Result.fail("Only stream flowlines run in parallel parts; analytics flowlines have threads")
  const inputs = dag.filter(({ type }) => catalogue.get(type)?.kind === "input")
  const [first] = inputs
  const type = first === undefined ? undefined : catalogue.get(first.type)
  if (first === undefined || inputs.length > 1 || type?.pieces === undefined) {
    return Result.fail(`Only a flowline with one input, a ${divisible.join(" or ")}, runs in parallel parts`)
  }
  const pieces = asked(first, () => type.pieces)
  if (pieces !== undefined && Result.isFailure(pieces)) return Result.fail(pieces.failure)
  const input = componentOf(first)
  const inside = new Set([input])
  for (let found = true; found; ) {
    const next = dag.filter(
      (node) =>
        !inside.has(componentOf(node)) &&
        node.subscribe.length > 0 &&
        node.subscribe.every(({ component }) => inside.has(component)) &&
        asked(node, (type) => type.isStateless) === true
    )
    for (const node of next) inside.add(componentOf(node))
    found = next.length > 0
  }
  if (inside.size > 1) return Result.succeed({ input, inside })
  return Result.fail(`Nothing can run in parallel: no stateless node receives only the records of the ${first.type}`)
}
