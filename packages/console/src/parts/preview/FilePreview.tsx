import { useMemo } from "react"
import { useAnswer } from "../../app/answer.ts"
import { gatewayBase } from "../../app/base.ts"
import { openSource } from "../../app/ranges.ts"
import { streamOf } from "../../app/source.ts"
import { common } from "../../texts/en.ts"
import { Problem } from "../Problem.tsx"
import pages from "../pages.module.css"
import type { PreviewedFile } from "./file.ts"
import { Preview } from "./Preview.tsx"
import css from "./preview.module.css"

/** A preview of a file of the gateway; the path is its address below the gateway. */
const FilePreview = ({ path, name }: { readonly path: string; readonly name: string }) => {
  const { value, error, again } = useAnswer((signal) => openSource(path, signal), [path])
  const file = useMemo(
    (): PreviewedFile | undefined =>
      value === undefined
        ? undefined
        : {
            name,
            size: value.size,
            source: value,
            open: (signal) => streamOf(value, 0, value.size, signal),
            reopen: again
          },
    [value, name, again]
  )
  if (file !== undefined) return <Preview file={file} picture={gatewayBase + path} />
  if (error !== undefined) return <Problem error={error} again={again} />
  return <p className={`${pages.dim} ${css.waiting}`}>{common.loading}</p>
}

export default FilePreview
