import { useState } from "react"
import { common, preview as t } from "../../texts/en.ts"
import { Button } from "../Button.tsx"
import pages from "../pages.module.css"
import look from "../parts.module.css"
import type { PreviewedFile } from "./file.ts"
import { kindOf } from "./kinds.ts"
import css from "./preview.module.css"
import { RowsTable } from "./RowsTable.tsx"
import { TextContent } from "./TextContent.tsx"

/** Bytes of a picture that is shown. */
const largestPicture = 8 * 1024 * 1024
/** Bytes of a Parquet file in an archive that is unpacked: all before a part has to be. */
const mostUnpacked = 64 * 1024 * 1024

/**
 * A look into a file: rows, a text in its colours, or a picture. Nothing of it is run, and no more is loaded than is
 * looked at.
 */
export const Preview = ({
  file,
  picture
}: {
  readonly file: PreviewedFile
  /** The address that a picture has; undefined where it has none. */
  readonly picture?: string
}) => {
  const { kind } = kindOf(file.name)
  const hasRows = kind === "csv" || kind === "tsv" || kind === "ndjson" || kind === "log"
  const [asRows, setAsRows] = useState(hasRows)
  if (file.size === 0) return <p className={pages.dim}>{t.empty}</p>
  if (kind === "picture" && picture !== undefined && file.size <= largestPicture) {
    return (
      <p className={css.picture}>
        <img src={picture} alt={file.name} />
      </p>
    )
  }
  if (kind === "binary") return <p className={pages.dim}>{t.binary}</p>
  if (kind === "parquet") {
    if (file.source !== undefined || file.size <= mostUnpacked) return <RowsTable file={file} />
    return <p className={css.cannot}>{t.largeParquet(common.bytes(file.size), common.bytes(mostUnpacked))}</p>
  }
  const other = (
    <Button className={look.button!} onPress={() => setAsRows(!asRows)}>
      {asRows ? t.asText : t.asRows}
    </Button>
  )
  return (
    <div className={css.preview}>
      {asRows ? (
        <>
          <RowsTable file={file} />
          <div className={css.below}>{other}</div>
        </>
      ) : (
        // Every text has rows: they show a long one to its end, and one that is not in UTF-8.
        <TextContent file={file}>{(isAll) => (hasRows || !isAll ? other : null)}</TextContent>
      )}
    </div>
  )
}
