import type { Leaf } from "./Leaf.ts"

/** A key of the output object: a field, an object with further keys, or (when fields clash) both. */
export interface Branch {
  readonly key: string
  leaf?: Leaf
  readonly children: Array<Branch>
}

const grow = (branches: Array<Branch>, leaf: Leaf, depth: number): void => {
  const key = leaf.path[depth]!
  let branch = branches.find((known) => known.key === key)
  if (branch === undefined) {
    branch = { key, children: [] }
    branches.push(branch)
  }
  if (depth === leaf.path.length - 1) branch.leaf = leaf
  else grow(branch.children, leaf, depth + 1)
}

/** The fields as a tree of keys. */
export const branchesOf = (leaves: ReadonlyArray<Leaf>): ReadonlyArray<Branch> => {
  const root: Array<Branch> = []
  for (const leaf of leaves) grow(root, leaf, 0)
  return root
}
