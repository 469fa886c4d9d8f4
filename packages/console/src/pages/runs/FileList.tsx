import { useMemo, useState } from "react"
import { listPause, useAnswer } from "../../app/answer.ts"
import { gatewayBase } from "../../app/base.ts"
import { answering, gateway } from "../../app/gateway.ts"
import { addressOf, useQuery } from "../../app/location.ts"
import { useMay } from "../../app/session.ts"
import { Button } from "../../parts/Button.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { CopyableCode } from "../../parts/CopyableCode.tsx"
import { sizeColumn, timeColumn } from "../../parts/columns.tsx"
import { Empty, Frame } from "../../parts/Frame.tsx"
import { Later } from "../../parts/Later.tsx"
import { Problem } from "../../parts/Problem.tsx"
import look from "../../parts/parts.module.css"
import { type Column, Table } from "../../parts/Table.tsx"
import { visible } from "../../parts/values.ts"
import { common, runs as t } from "../../texts/en.ts"
import type { FileEntry } from "./models.ts"
import css from "./runs.module.css"
import { listViews } from "./views.ts"

const content = () => import("../../parts/preview/FilePreview.tsx")

/** The files that runs have written, with a preview. */
const FileList = ({ tenant }: { readonly tenant: string }) => {
  const mayRemove = useMay("developer")
  const [root, setRoot] = useQuery("root")
  const [file] = useQuery("file")
  const query = root === "" ? {} : { root }
  // The whole request: the address may change while the dialog is open.
  const [removing, setRemoving] = useState<Parameters<typeof gateway.files.remove>[0]>()
  const roots = useAnswer(
    tenant === "" ? undefined : (signal) => gateway.files.roots({ params: { tenant } }, { signal }),
    [tenant]
  )
  const { value, error, again } = useAnswer(
    tenant === "" ? undefined : (signal) => gateway.files.list({ params: { tenant }, query }, { signal }),
    [tenant, root],
    listPause(5000)
  )
  const pathOf = (path: string) => {
    const below = path.split("/").map(encodeURIComponent).join("/")
    return `v1/${encodeURIComponent(tenant)}/files/${below}${root === "" ? "" : `?root=${encodeURIComponent(root)}`}`
  }
  const columns = useMemo(
    (): ReadonlyArray<Column<FileEntry>> => [
      {
        id: "path",
        title: t.files.path,
        value: ({ path }) => path,
        cell: ({ path }) => visible(path),
        width: "minmax(220px, 3fr)"
      },
      sizeColumn({ id: "size", title: common.size }, ({ size }) => size),
      timeColumn({ id: "modified", title: t.files.modified }, ({ modifiedAt }) => modifiedAt),
      {
        id: "actions",
        title: common.actions,
        cell: (one) => (
          <Button
            className={look.button!}
            aria-label={t.files.remove(visible(one.path))}
            isDisabled={!mayRemove}
            onPress={() => setRemoving({ params: { tenant, path: one.path }, query: root === "" ? {} : { root } })}
          >
            {common.remove}
          </Button>
        ),
        width: "100px"
      }
    ],
    [mayRemove, tenant, root]
  )
  const others = roots.value?.filter(({ writable }) => writable) ?? []
  return (
    <Frame title={t.views.files} above={{ title: t.title, to: addressOf(["runs"]) }} views={listViews("files")}>
      {others.length < 2 ? null : (
        <label className={css.filter}>
          {t.files.root}
          <select value={root} onChange={({ target }) => setRoot(target.value)}>
            <option value="">{t.files.own}</option>
            {others.map(({ name }) => (
              <option key={name} value={name}>
                {visible(name)}
              </option>
            ))}
          </select>
        </label>
      )}
      <Problem error={error} again={again} />
      {value !== undefined && value.length === 0 && file === "" ? (
        <Empty title={t.files.none}>
          <p>{t.files.noneHelp}</p>
          <CopyableCode text={t.files.example} />
        </Empty>
      ) : (
        <Table
          label={t.views.files}
          columns={columns}
          rows={value ?? []}
          keyOf={({ path }) => path}
          to={({ path }) => addressOf(["runs"], { view: "files", root, file: path })}
          current={file}
        />
      )}
      {file === "" || tenant === "" ? null : (
        <section className={css.card} aria-label={visible(file)}>
          <div className={css.bar}>
            <h2>{visible(file)}</h2>
            <span className={css.gap} />
            <a href={gatewayBase + pathOf(file)} download>
              {common.download}
            </a>
          </div>
          <Later key={pathOf(file)} load={content} props={{ path: pathOf(file), name: file }} />
        </section>
      )}
      {removing === undefined ? null : (
        <Confirm
          title={t.files.removeTitle}
          action={common.remove}
          act={() => answering(() => gateway.files.remove(removing)).then(again)}
          close={() => setRemoving(undefined)}
        >
          <p>{visible(removing.params.path)}</p>
        </Confirm>
      )}
    </Frame>
  )
}

export default FileList
