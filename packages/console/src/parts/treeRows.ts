/** A folder, or a file with its row. */
export interface Branch<A> {
  /** From the root, without leading or trailing slash. */
  readonly path: string
  readonly name: string
  /** 1 at the root. */
  readonly level: number
  readonly leaf: A | undefined
  /** Number of files below a folder, at any depth. */
  readonly files: number
  readonly children: ReadonlyArray<Branch<A>>
}

interface Growing<A> {
  path: string
  name: string
  level: number
  leaf: A | undefined
  files: number
  children: Array<Growing<A>>
  folders: Map<string, Growing<A>>
}

/** The folder of a path; undefined at the root. */
export const parentOf = (path: string): string | undefined => {
  const slash = path.lastIndexOf("/")
  return slash < 0 ? undefined : path.slice(0, slash)
}

/** The rows whose paths contain the text, ignoring case. */
export const match = <A>(rows: ReadonlyArray<A>, pathOf: (row: A) => string, query: string): ReadonlyArray<A> => {
  const sought = query.toLowerCase()
  return sought === "" ? rows : rows.filter((row) => pathOf(row).toLowerCase().includes(sought))
}

const order = new Intl.Collator("en", { numeric: true })

/** The rows as a tree: in each folder first the folders, then the files, both sorted by name. */
export const branches = <A>(rows: ReadonlyArray<A>, pathOf: (row: A) => string): ReadonlyArray<Branch<A>> => {
  const made = (path: string, name: string, level: number, leaf: A | undefined): Growing<A> => ({
    ...{ path, name, level, leaf },
    files: 0,
    children: [],
    folders: new Map()
  })
  const root = made("", "", 0, undefined)
  for (const row of rows) {
    const path = pathOf(row)
    const segments = path.split("/")
    let at = root
    for (const name of segments.slice(0, -1)) {
      let folder = at.folders.get(name)
      if (folder === undefined) {
        folder = made(at.level === 0 ? name : `${at.path}/${name}`, name, at.level + 1, undefined)
        at.folders.set(name, folder)
        at.children.push(folder)
      }
      folder.files += 1
      at = folder
    }
    at.children.push(made(path, segments.at(-1)!, at.level + 1, row))
  }
  const sort = (branch: Growing<A>): void => {
    branch.children.sort(
      (one, other) =>
        Number(one.leaf !== undefined) - Number(other.leaf !== undefined) || order.compare(one.name, other.name)
    )
    for (const folder of branch.folders.values()) sort(folder)
  }
  sort(root)
  return root.children
}

/** The key of an entry. Those of folders end with a slash, because a file may have the same path. */
export const keyOf = ({ path, leaf }: Branch<unknown>): string => (leaf === undefined ? `${path}/` : path)

/** The keys of the open folders, except those inside closed folders. */
export const openIn = (tree: ReadonlyArray<Branch<unknown>>, isOpen: (key: string) => boolean): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (branch: Branch<unknown>): void => {
    const key = keyOf(branch)
    if (branch.leaf !== undefined || !isOpen(key)) return
    found.add(key)
    for (const child of branch.children) visit(child)
  }
  for (const branch of tree) visit(branch)
  return found
}
