import { type ComponentType, useEffect, useRef, useState } from "react"
import { toast } from "../app/toasts.ts"
import { common } from "../texts/en.ts"

/** Loads a file that exports one component. */
export type Load<Props> = () => Promise<{ readonly default: ComponentType<Props> }>

/** A component that is loaded when it is shown. A retry after a failure loads it again, unlike React's `lazy`. */
export const Later = <Props extends object>({
  load,
  props,
  failed
}: {
  readonly load: Load<Props>
  readonly props: Props
  readonly failed?: () => void
}) => {
  const [Part, setPart] = useState<ComponentType<Props>>()
  const onFailure = useRef(failed)
  onFailure.current = failed
  useEffect(() => {
    let isOver = false
    load().then(
      ({ default: Loaded }) => {
        if (!isOver) setPart(() => Loaded)
      },
      () => onFailure.current?.()
    )
    return () => {
      isOver = true
    }
  }, [load])
  return Part === undefined ? null : <Part {...props} />
}

/** A dialog that is loaded when it is opened. If that fails, it reports the failure and closes. */
export const LaterDialog = <Props extends { readonly close: () => void }>({
  load,
  props
}: {
  readonly load: Load<Props>
  readonly props: Props
}) => (
  <Later
    load={load}
    props={props}
    failed={() => {
      toast(common.notLoaded)
      props.close()
    }}
  />
)

/** Loads components at the reader's first input, so that they are present if the gateway is away later. */
export const useEarly = (loads: ReadonlyArray<() => Promise<unknown>>): void => {
  const wanted = useRef(loads)
  useEffect(() => {
    const ending = new AbortController()
    const load = () => {
      ending.abort()
      for (const one of wanted.current) one().catch(() => {})
    }
    for (const event of ["pointerdown", "keydown"]) addEventListener(event, load, { signal: ending.signal })
    return () => ending.abort()
  }, [])
}
