import { type ReactNode, useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { gateway } from "../../app/gateway.ts"
import { Link } from "../../app/Link.tsx"
import { useListing } from "../../app/listing.ts"
import { addressOf, go, usePath } from "../../app/location.ts"
import { useMay } from "../../app/session.ts"
import { Button } from "../../parts/Button.tsx"
import { sizeColumn, timeColumn } from "../../parts/columns.tsx"
import { DownloadLink, gatewayPath } from "../../parts/DownloadLink.tsx"
import { Empty } from "../../parts/Frame.tsx"
import { Later, LaterDialog } from "../../parts/Later.tsx"
import { Problem } from "../../parts/Problem.tsx"
import pages from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import type { Column } from "../../parts/Table.tsx"
import { Time } from "../../parts/Time.tsx"
import { visible } from "../../parts/values.ts"
import { common, data } from "../../texts/en.ts"
import { useChanges } from "./changes.ts"
import { DeleteDialog, Facts, Head } from "./Detail.tsx"
import css from "./data.module.css"
import { EmptyList } from "./MasterDetail.tsx"
import { parts } from "./parts.ts"
import { TreeMasterDetail } from "./TreeMasterDetail.tsx"
import { useAddress } from "./useAddress.ts"

const t = data.files

type RunFile = Awaited<ReturnType<typeof gateway.files.list>>[number]

const pathOf = ({ path }: RunFile): string => path

const columns: ReadonlyArray<Column<RunFile>> = [
  sizeColumn({ id: "size", title: common.size }, ({ size }) => size),
  timeColumn({ id: "changed", title: data.changed }, ({ modifiedAt }) => modifiedAt)
]

const flowline = (root: string) => `runtime: stream
dag:
  - type: generator_input
    settings: { count: 10, rate: 10, messages: [ "a first line" ] }
    publish: [ { stream: lines } ]
  - type: file_output
    settings: { root: ${root}, path: first.csv }
    subscribe: [ { component: generator_input, stream: lines } ]`

const FileDetail = ({
  tenant,
  root,
  file,
  to
}: {
  readonly tenant: string
  readonly root: string
  readonly file: RunFile
  readonly to: (path: ReadonlyArray<string>) => string
}) => {
  const [opened, setOpened] = useState<"delete" | "register">()
  const mayChange = useMay("developer")
  const { path, size, modifiedAt } = file
  const address = gatewayPath(["v1", tenant, "files", ...path.split("/")], { root })
  const close = () => setOpened(undefined)
  return (
    <section className={css.detail} aria-label={path}>
      <Head title={visible(path)}>
        <DownloadLink path={address} />
        {mayChange && root === "data" ? (
          <Button className={look.button!} onPress={() => setOpened("register")}>
            {t.register}
          </Button>
        ) : null}
        {mayChange ? (
          <Button className={look.button!} onPress={() => setOpened("delete")}>
            {common.remove}
          </Button>
        ) : null}
      </Head>
      <Facts
        facts={[
          [t.root, root],
          [common.size, common.bytes(size)],
          [data.changed, <Time key="at" at={modifiedAt} />]
        ]}
      />
      <h3>{data.content}</h3>
      <Later
        // A rewritten file counts as another one.
        key={modifiedAt}
        load={parts.preview}
        props={{ path: address, name: path.slice(path.lastIndexOf("/") + 1) }}
      />
      {opened === "delete" ? (
        <DeleteDialog
          name={path}
          remove={() => gateway.files.remove({ params: { tenant, path }, query: { root } })}
          done={() => go(to([]))}
          close={close}
        />
      ) : null}
      {opened === "register" ? (
        <LaterDialog
          load={parts.register}
          props={{ tenant, url: path, to: (segments) => addressOf(["data", "resources", ...segments]), close }}
        />
      ) : null}
    </section>
  )
}

/** The files that runs write to a root. */
const Files = ({
  tenant,
  root,
  chooser
}: {
  readonly tenant: string
  readonly root: string
  readonly chooser: ReactNode
}) => {
  const address = useAddress("files", root)
  const { path, to } = address
  const changes = useChanges()
  const listing = useListing<RunFile>(`v1/${encodeURIComponent(tenant)}/files`, { root }, [changes], (row) => row)
  const file = listing.rows?.find((one) => one.path === path)
  return (
    <TreeMasterDetail
      label={t.label}
      address={address}
      listing={listing}
      pathOf={pathOf}
      columns={columns}
      filters={chooser}
      empty={<EmptyList title={t.empty(root)} text={t.emptyText} command={flowline(root)} needs="viewer" />}
      open={
        path === undefined ? undefined : file === undefined ? (
          <section className={css.detail} aria-label={path}>
            <Head title={visible(path)}>{null}</Head>
            <p className={pages.dim}>{listing.isLoading ? common.loading : data.gone}</p>
          </section>
        ) : (
          <FileDetail key={path} tenant={tenant} root={root} file={file} to={to} />
        )
      }
    />
  )
}

/** The roots of a tenant, and the files in those that runs write to. */
export const FilesView = ({ tenant }: { readonly tenant: string }) => {
  const [, , named] = usePath()
  const { to } = useAddress("files")
  const { value, error, again } = useAnswer(
    (signal) => gateway.files.roots({ params: { tenant } }, { signal }),
    [tenant]
  )
  if (value === undefined) {
    return error === undefined ? <p className={pages.dim}>{common.loading}</p> : <Problem error={error} again={again} />
  }
  const first = value.find(({ name }) => name === "data") ?? value.find(({ writable }) => writable) ?? value[0]
  const root = value.find(({ name }) => name === (named ?? first?.name))
  const chooser = (
    <label className={css.check}>
      {t.roots}
      <select
        className={pages.input}
        value={root?.name ?? ""}
        onChange={({ target }) => go(addressOf(["data", "files", target.value]))}
      >
        {root === undefined ? <option value="">–</option> : null}
        {value.map(({ name, writable }) => (
          <option key={name} value={name}>
            {writable ? name : `${name} (${t.readOnly})`}
          </option>
        ))}
      </select>
    </label>
  )
  if (root?.writable === true) return <Files key={root.name} tenant={tenant} root={root.name} chooser={chooser} />
  return (
    <>
      <div className={css.bar}>{chooser}</div>
      <Empty title={root === undefined ? t.noRoot(visible(named ?? "")) : `${root.name} (${t.readOnly})`}>
        {root === undefined ? null : <p>{t.notServed(root.name)}</p>}
        {root?.name === "conf" ? (
          <p>
            {t.confIsThere} <Link to={addressOf(["guide", "configuration"])}>{t.confLink}</Link>
          </p>
        ) : (
          <p>
            <Link to={to([])}>{data.back}</Link>
          </p>
        )}
      </Empty>
    </>
  )
}
