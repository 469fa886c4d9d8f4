import { GatewayError } from "@flow-gateway/client/light"
import { useMemo } from "react"
import { useAnswer } from "../../app/answer.ts"
import { readBytes } from "../../app/bytes.ts"
import { gateway } from "../../app/gateway.ts"
import { Link } from "../../app/Link.tsx"
import { addressOf, usePath, useQuery } from "../../app/location.ts"
import { CopyableCode } from "../../parts/CopyableCode.tsx"
import { DownloadLink, gatewayPath } from "../../parts/DownloadLink.tsx"
import { Empty } from "../../parts/Frame.tsx"
import { Later } from "../../parts/Later.tsx"
import { Problem } from "../../parts/Problem.tsx"
import pages from "../../parts/pages.module.css"
import { SearchField } from "../../parts/SearchField.tsx"
import type { Column } from "../../parts/Table.tsx"
import { Tree } from "../../parts/Tree.tsx"
import { visible } from "../../parts/values.ts"
import { common, guide } from "../../texts/en.ts"
import css from "./guide.module.css"
import { addressOfPage } from "./pageAddress.ts"
import { toldOf } from "./told.ts"

const t = guide.configuration
const preview = () => import("../../parts/preview/FilePreview.tsx")

type ConfTree = Awaited<ReturnType<typeof gateway.conf.tree>>
type ConfNode = ConfTree[string]

/** Largest file in bytes whose syntax is checked. */
const longestChecked = 512 * 1024

/** Files and unreadable folders. Only the names of the latter are known. */
const leaves = (nodes: ConfTree): ReadonlyArray<ConfNode> =>
  Object.values(nodes).flatMap((node) => (node.isFile || !node.canRead ? [node] : leaves(node.children)))

const pathOf = ({ path }: ConfNode): string => path

const columns: ReadonlyArray<Column<ConfNode>> = [
  {
    id: "size",
    title: common.size,
    cell: ({ size, canRead }) => (canRead ? common.bytes(size) : t.unreadable),
    align: "end",
    width: "minmax(80px, 110px)"
  }
]

const command = (tenant: string) => `mkdir -p "$FLOW_CONF/tenants/${tenant}/documentation"
echo '# Our pipelines' > "$FLOW_CONF/tenants/${tenant}/documentation/index.md"`

/** Files that the gateway uses by itself, and whose faults it reports. */
const isUsed = (path: string): boolean => /^(?:channels\/|patterns\/|nodes\/.*\.py$)/.test(path)

/** The faults of a file: as reported by the gateway if it uses the file, else faults of the syntax. */
const Faults = ({ tenant, file }: { readonly tenant: string; readonly file: ConfNode }) => {
  const isLanguage = /\.(?:ya?ml|json)$/i.test(file.path) && file.size > 0 && file.size <= longestChecked
  const isChecked = isLanguage || isUsed(file.path)
  const { value } = useAnswer(
    isChecked
      ? async (signal) => {
          const told = await toldOf(tenant, file.path, signal)
          if (told !== undefined || !isLanguage) return { isTold: true, faults: told }
          const stream = await gateway.conf.read({ params: { tenant, path: file.path } }, { signal })
          const text = new TextDecoder().decode(await readBytes(stream, longestChecked))
          const { faultsOf } = await import("./syntax.ts")
          const found = faultsOf(file.path, text) ?? []
          return {
            isTold: false,
            faults: found.map(({ line, column, detail }) => `${t.at(line, column)}: ${detail}`)
          }
        }
      : undefined,
    [tenant, file.path, file.size]
  )
  if (!isChecked) return null
  const isTold = value?.isTold === true
  const faults = value?.faults
  if (faults === undefined || faults.length === 0) {
    return (
      <p className={`${css.syntax} ${pages.dim}`} role="status">
        {faults === undefined ? "" : isTold ? t.accepted : t.valid}
      </p>
    )
  }
  return (
    <div className={css.faults} role="alert">
      <h3>{isTold ? t.told : t.faults}</h3>
      <ul>
        {faults.map((fault) => (
          <li key={fault}>{visible(fault)}</li>
        ))}
      </ul>
    </div>
  )
}

const File = ({ tenant, file }: { readonly tenant: string; readonly file: ConfNode }) => {
  const { path, size, canRead } = file
  const address = gatewayPath(["v1", tenant, "conf", ...path.split("/")])
  const page = /^documentation\/(.*\.(?:md|html))$/.exec(path)?.[1]
  return (
    <section className={css.file} aria-label={path}>
      <div className={css.head}>
        <h2>{visible(path)}</h2>
        <span className={pages.dim}>{common.bytes(size)}</span>
        <span className={css.gap} />
        {page === undefined ? null : <Link to={addressOfPage(page)}>{t.asPage}</Link>}
        {canRead ? <DownloadLink path={address} /> : null}
      </div>
      {canRead ? (
        <>
          <Faults tenant={tenant} file={file} />
          <Later
            key={`${address} ${size}`}
            load={preview}
            props={{ path: address, name: path.slice(path.lastIndexOf("/") + 1) }}
          />
        </>
      ) : (
        <p>{t.unreadableText}</p>
      )}
    </section>
  )
}

/** The tenant's configuration: its tree, and its files with syntax highlighting. */
export const ConfigurationView = ({ tenant }: { readonly tenant: string }) => {
  const [, , ...segments] = usePath()
  const [query, setQuery] = useQuery("q")
  const path = segments.length === 0 ? undefined : segments.join("/")
  const { value, error, isLoading, again } = useAnswer(
    (signal) => gateway.conf.tree({ params: { tenant } }, { signal }),
    [tenant]
  )
  const files = useMemo(() => leaves(value ?? {}), [value])
  const file = files.find((one) => one.path === path)
  if (value !== undefined && files.length === 0) {
    return (
      <Empty title={t.empty}>
        <p>{t.emptyText}</p>
        <CopyableCode text={command(tenant)} />
      </Empty>
    )
  }
  const to = (segments: ReadonlyArray<string>) => addressOf(["guide", "configuration", ...segments], { q: query })
  return (
    <div className={path === undefined ? css.tree : css.treeOpen}>
      <div className={css.treeList}>
        <SearchField label={t.search} value={query} onChange={setQuery} />
        {error instanceof GatewayError || error !== undefined ? <Problem error={error} again={again} /> : null}
        {value === undefined ? (
          <p className={pages.dim}>{isLoading ? common.loading : null}</p>
        ) : (
          <Tree
            label={t.label}
            title={common.name}
            rows={files}
            pathOf={pathOf}
            columns={columns}
            to={(row) => to(row.path.split("/"))}
            current={path}
            query={query}
          />
        )}
      </div>
      {value === undefined ? null : path === undefined ? (
        <p className={`${css.file} ${pages.dim} ${css.choose}`}>{t.choose}</p>
      ) : (
        <div className={css.treeFile}>
          <p className={css.back}>
            <Link to={to([])}>
              <span aria-hidden="true">← </span>
              {t.label}
            </Link>
          </p>
          {file === undefined ? (
            <p className={css.file} role="alert">
              {t.missing(visible(path))}
            </p>
          ) : (
            <File key={path} tenant={tenant} file={file} />
          )}
        </div>
      )}
    </div>
  )
}
