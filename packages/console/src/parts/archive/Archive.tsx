import { useMemo } from "react"
import { useAnswer } from "../../app/answer.ts"
import { gatewayBase } from "../../app/base.ts"
import { useQuery } from "../../app/location.ts"
import { openSource } from "../../app/ranges.ts"
import { common, archive as t } from "../../texts/en.ts"
import { sizeColumn, timeColumn } from "../columns.tsx"
import { Problem } from "../Problem.tsx"
import { Preview } from "../preview/Preview.tsx"
import { type Column, Table } from "../Table.tsx"
import { visible } from "../values.ts"
import css from "./archive.module.css"
import { entriesOf, type ZipEntry } from "./Zip.ts"

const columns: ReadonlyArray<Column<ZipEntry>> = [
  {
    id: "name",
    title: common.name,
    value: ({ name }) => name,
    cell: ({ name }) => visible(name),
    width: "minmax(200px, 3fr)"
  },
  sizeColumn({ id: "size", title: common.size }, ({ size }) => size),
  sizeColumn({ id: "packed", title: t.packed }, ({ packed }) => packed),
  timeColumn({ id: "modified", title: t.modified }, ({ modified }) => modified)
]

/**
 * The entries of a zip with a preview of one, which is in the address. Only the directory of the zip and the previewed
 * entry are loaded.
 *
 * @param path of the zip below the gateway
 */
const Archive = ({ path, name }: { readonly path: string; readonly name: string }) => {
  const [chosen, setChosen] = useQuery("entry")
  const { value, error, again } = useAnswer(
    async (signal) => {
      const source = await openSource(path, signal)
      return { size: source.size, entries: await entriesOf(source) }
    },
    [path]
  )
  const entry = useMemo(() => value?.entries.find((one) => one.name === chosen), [value, chosen])
  if (value === undefined) {
    if (error !== undefined) return <Problem error={error} again={again} />
    return <p className={css.note}>{common.loading}</p>
  }
  return (
    <>
      <div className={css.bar}>
        <p className={css.note}>{t.summary(value.entries.length, common.bytes(value.size))}</p>
        <a href={gatewayBase + path} download={name}>
          {t.download}
        </a>
      </div>
      <Table
        label={t.entries}
        columns={columns}
        rows={value.entries}
        keyOf={(one) => one.name}
        current={chosen}
        onOpen={(one) => setChosen(one.name, "push")}
      />
      {entry === undefined ? (
        <p className={css.note}>{chosen === "" ? t.choose : t.noEntry(visible(chosen))}</p>
      ) : (
        <section className={css.entry} aria-label={visible(entry.name)}>
          <h2>{visible(entry.name)}</h2>
          <Preview key={entry.name} file={entry} />
        </section>
      )}
    </>
  )
}

export default Archive
