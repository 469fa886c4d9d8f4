import {
  createContext,
  type ReactElement,
  startTransition,
  useContext,
  useDeferredValue,
  useMemo,
  useState
} from "react"
import { I18nProvider } from "react-aria-components/I18nProvider"
import {
  Cell,
  Collection,
  Row,
  Table,
  TableBody,
  TableHeader,
  Column as TitledColumn
} from "react-aria-components/Table"
import { Rect, TableLayout, Virtualizer } from "react-aria-components/Virtualizer"
import { useKeys } from "../app/keys.ts"
import { Link } from "../app/Link.tsx"
import { go } from "../app/location.ts"
import { common, tree as t } from "../texts/en.ts"
import { showCutCell } from "./cutCells.ts"
import pages from "./pages.module.css"
import type { Column } from "./Table.tsx"
import css from "./tree.module.css"
import { type Branch, branches, keyOf, match, openIn, parentOf } from "./treeRows.ts"
import { visible } from "./values.ts"

const heights = { rowHeight: 30, headingHeight: 34 }
/** Up to this many files, a tree is initially expanded; the second limit is for search results. */
const openUpTo = 200
const searchedUpTo = 2000

// React Aria adds a style element, which the page's policy refuses, unless an element has this id. Its rule is in
// tree.module.css.
const place = document.createElement("meta")
place.id = "react-aria-pressable-style"
document.head.append(place)

/** Pixels above and below the visible part for which rows are laid out. */
const ahead = 3000

/** Lays out rows far ahead of the reader: React Aria walks through all rows whenever one is not laid out. */
class AheadLayout<A> extends TableLayout<A> {
  protected override layoutIfNeeded(rect: Rect): void {
    const isThere = this.requestedRect.containsRect(rect)
    super.layoutIfNeeded(isThere ? rect : new Rect(rect.x, rect.y - ahead, rect.width, rect.height + 2 * ahead))
  }
}

/** The keys of the open folders. */
const Open = createContext<ReadonlySet<string>>(new Set())

/** The addresses of files by path. Names read it when they are rendered, and only visible ones are. */
const Places = createContext<{
  readonly addressOf: (path: string) => string
  readonly current: string | undefined
}>({ addressOf: (path) => path, current: undefined })

/** The width of a column from a track of a CSS grid: `110px`, `minmax(205px, 1fr)`. */
const widthOf = (track: string) => {
  const [least = "0px", most = least] = track.match(/[\d.]+(?:px|fr)/g) ?? []
  const end = Number.parseFloat(most)
  const minWidth = Number.parseFloat(least)
  return most.endsWith("fr") ? { minWidth, width: `${end}fr` as const } : { minWidth, maxWidth: end }
}

const File = ({ path, name }: { readonly path: string; readonly name: string }) => {
  const { addressOf, current } = useContext(Places)
  return (
    <Link to={addressOf(path)} className={css.leaf} current={path === current}>
      {visible(name)}
    </Link>
  )
}

const classOf = ({ align }: Column<never>) => (align === "end" ? `${css.cell} ${pages.end}` : css.cell!)

/** The content of a folder. A closed folder has only its first entry, which shows that it is not empty. */
const Content = <A,>({
  branch,
  draw
}: {
  readonly branch: Branch<A>
  readonly draw: (branch: Branch<A>) => ReactElement
}) => {
  const isOpen = useContext(Open).has(keyOf(branch))
  const shown = useMemo(() => (isOpen ? branch.children : branch.children.slice(0, 1)), [isOpen, branch])
  return (
    // A new collection is built in one pass; in an existing one React searches the place of each row.
    <Collection key={String(isOpen)} items={shown}>
      {draw}
    </Collection>
  )
}

/** Renders the rows. `isDisabled` makes them unselectable: the selection is the open file. */
const drawing = <A,>(columns: ReadonlyArray<Column<A>>) => {
  const draw = (branch: Branch<A>): ReactElement => {
    const { leaf, path, name, files } = branch
    return (
      <Row id={keyOf(branch)} textValue={name} isDisabled className={css.row!}>
        <Cell className={css.name!}>
          {leaf === undefined ? (
            ({ isExpanded }) => (
              <>
                <span aria-hidden="true" className={css.arrow}>
                  {isExpanded ? "▾" : "▸"}
                </span>
                {visible(name)}
                <span className={pages.dim}> {common.count(files)}</span>
              </>
            )
          ) : (
            <File path={path} name={name} />
          )}
        </Cell>
        {columns.map((column) => (
          <Cell key={column.id} className={classOf(column)}>
            {leaf === undefined ? null : () => column.cell(leaf)}
          </Cell>
        ))}
        {leaf === undefined ? <Content branch={branch} draw={draw} /> : null}
      </Row>
    )
  }
  return draw
}

export interface TreeProps<A> {
  readonly label: string
  /** The head of the column of names. */
  readonly title: string
  readonly rows: ReadonlyArray<A>
  readonly pathOf: (row: A) => string
  /** Columns besides the names. Must be a constant: React Aria fails when they change. */
  readonly columns?: ReadonlyArray<Column<A>>
  /** The address of a file. */
  readonly to: (row: A) => string
  /** The path of the open file. */
  readonly current?: string | undefined
  /** Shows only files whose path contains this text, ignoring case. */
  readonly query?: string
}

const noColumns: ReadonlyArray<never> = []

/** The tree that `Tree` loads. */
const TreeGrid = <A,>({ label, title, pathOf, to, current, ...given }: TreeProps<A>) => {
  useKeys(t.keys)
  // React Aria builds nodes for all expanded rows, visible or not. Key presses do not wait for it.
  const rows = useDeferredValue(given.rows)
  const query = useDeferredValue(given.query ?? "")
  const { columns = noColumns } = given
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map())
  const found = useMemo(() => match(rows, pathOf, query), [rows, pathOf, query])
  const root = useMemo(() => branches(found, pathOf), [found, pathOf])
  const leaves = useMemo(() => new Map(found.map((row) => [pathOf(row), row])), [found, pathOf])
  const isOpenAtFirst = found.length <= (query === "" ? openUpTo : searchedUpTo)
  const above = `${parentOf(current ?? "") ?? ""}/`
  const open = useMemo(
    () => openIn(root, (key) => toggled.get(key) ?? (isOpenAtFirst || above.startsWith(key))),
    [root, toggled, isOpenAtFirst, above]
  )
  const draw = useMemo(() => drawing(columns), [columns])
  const chosen = useMemo(() => (current === undefined ? [] : [current]), [current])
  const toggle = (key: string) =>
    startTransition(() => setToggled((before) => new Map(before).set(key, !open.has(key))))
  const addressOf = (path: string): string => {
    const leaf = leaves.get(path)
    return leaf === undefined ? "" : to(leaf)
  }
  if (found.length === 0) return null
  return (
    <I18nProvider locale={document.documentElement.lang}>
      <Open value={open}>
        <Places value={{ addressOf, current }}>
          <Virtualizer layout={AheadLayout} layoutOptions={heights}>
            <Table
              aria-label={label}
              className={`${pages.table} ${css.tree}`}
              treeColumn="name"
              expandedKeys={open}
              onExpandedChange={(next) => {
                for (const key of open) if (!next.has(key)) toggle(key)
                for (const key of Array.from(next, String)) if (!open.has(key)) toggle(key)
              }}
              // On focus, React Aria scrolls back to the position of the last scroll event. A click can precede the
              // next event.
              onPointerDownCapture={({ currentTarget }) => currentTarget.dispatchEvent(new Event("scroll"))}
              onPointerOver={showCutCell}
              selectionMode="single"
              selectedKeys={chosen}
              disabledBehavior="selection"
              onRowAction={(row) => {
                const key = String(row)
                const address = addressOf(key)
                if (address === "") toggle(key)
                else if (new URL(address, location.href).href !== location.href) go(address)
              }}
            >
              <TableHeader className={css.head!}>
                <TitledColumn
                  id="name"
                  isRowHeader
                  className={css.title!}
                  width="3fr"
                  minWidth={current === undefined ? 180 : "65%"}
                >
                  {title}
                </TitledColumn>
                {columns.map((column) => (
                  <TitledColumn
                    key={column.id}
                    id={column.id}
                    className={column.align === "end" ? `${css.title} ${pages.end}` : css.title!}
                    {...widthOf(column.width ?? "minmax(80px, 1fr)")}
                  >
                    {column.title}
                  </TitledColumn>
                ))}
              </TableHeader>
              <TableBody items={root} dependencies={[columns]}>
                {draw}
              </TableBody>
            </Table>
          </Virtualizer>
        </Places>
      </Open>
    </I18nProvider>
  )
}

export default TreeGrid
