import { type ComponentType, useEffect, useRef, useState } from "react"
import { toast } from "../app/toasts.ts"
import { common } from "../texts/en.ts"

/** Loads a file that has one component. */
export type Load<Props> = () => Promise<{ readonly default: ComponentType<Props> }>

/**
 * A part of the page that is loaded when it is shown. Another try after a failure loads it again, which `lazy` of React
 * does not.
 */
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

/** A dialog that is loaded when it is opened. It says so and closes when it cannot be. */
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

/** Loads parts as soon as the reader does anything, so that they are there when the gateway is not. */
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
