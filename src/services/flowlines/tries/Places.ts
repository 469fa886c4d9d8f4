import { Effect } from "effect"
import type { OpenFlowline } from "../Flowlines.ts"
import type { TryAnswer } from "../TryAnswer.ts"

type Found = Pick<TryAnswer, "nodes" | "tests">

/** The answer with the lines and columns of what it names in the file. All are asked for at once: each time takes a parse. */
export const placed = Effect.fnUntraced(function* <A extends Found>({ positions }: OpenFlowline, answer: A) {
  const { nodes, tests } = answer
  const named = [
    ...nodes.flatMap(({ unmatched = [] }) => unmatched),
    ...(tests ?? []).flatMap(({ differences }) => differences)
  ]
  if (named.length === 0) return answer
  const pointers = named.map(({ pointer }) => pointer)
  const found = yield* positions(pointers)
  const byPointer = new Map(pointers.map((pointer, at) => [pointer, found[at]]))
  const withPlace = <B extends { readonly pointer: string }>(part: B): B => ({
    ...part,
    ...byPointer.get(part.pointer)
  })
  return {
    ...answer,
    nodes: nodes.map((node) =>
      node.unmatched === undefined ? node : { ...node, unmatched: node.unmatched.map(withPlace) }
    ),
    ...(tests === undefined
      ? {}
      : { tests: tests.map((test) => ({ ...test, differences: test.differences.map(withPlace) })) })
  }
})
