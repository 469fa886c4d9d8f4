import { randomUUID } from "node:crypto"
import { eventually } from "./process.ts"

/** The members of an execution's detail that tests use. */
export interface Detail {
  readonly id: string
  readonly state: string
  readonly error: string | null
  readonly jobId?: string
  readonly archive: string | null
  readonly duration: number
  readonly events: ReadonlyArray<{ readonly event: string; readonly seq: number }>
}

/** A flowline that prints `count` records, `rate` of them per second; without `count` it runs forever. */
export const generator = (count: number | undefined, rate: number): string => `
runtime: stream
dag:
  - type: generator_input
    settings: { messages: [one, two, three], ${count === undefined ? "" : `count: ${count}, `}rate: ${rate} }
    publish: [ { stream: out } ]
  - type: show
    subscribe: [ { component: generator_input, stream: out } ]
`

export const formOf = (text: string, name = "flowline.yaml"): FormData => {
  const form = new FormData()
  form.set("file", new Blob([text]), name)
  return form
}

const json = async <A>(response: Response): Promise<A> => {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${response.url}: ${text}`)
  return JSON.parse(text)
}

/** Calls of a running gateway for one tenant. */
export const tenantOf = (url: string, tenant = "mytenant") => {
  const base = `${url}/v1/${tenant}`
  const get = <A>(path: string) => fetch(`${base}/${path}`).then((response) => json<A>(response))
  // As clients should: if the storage is too busy to answer in time, the same request is sent again with the same key.
  const post = async <A>(path: string, body?: FormData, tries = 5): Promise<A> => {
    const headers = { "Idempotency-Key": randomUUID() }
    for (;;) {
      const response = await fetch(`${base}/${path}`, {
        method: "POST",
        headers,
        ...(body === undefined ? {} : { body })
      })
      if (response.status !== 504 || --tries === 0) return await json<A>(response)
      await response.arrayBuffer()
    }
  }
  const detail = (id: string) => get<Detail>(`flowline/${id.slice(0, 20)}/executions/${id}`)
  const hasEnded = ({ state }: Detail) => state !== "PENDING" && state !== "RUNNING"
  const until = async (id: string, holds: (detail: Detail) => boolean, millis?: number) => {
    let last: Detail | undefined
    const reached = async () => {
      last = await detail(id).catch(() => undefined)
      return last !== undefined && holds(last)
    }
    await eventually(`the wanted state of ${id}`, reached, millis).catch((error) => {
      throw new Error(`${error.message}: ${JSON.stringify(last)}`)
    })
    return last!
  }
  return {
    get,
    save: (text: string) => post<{ readonly id: string }>("flowline/save", formOf(text)),
    execute: (flowline: string) => post<{ readonly id: string }>(`flowline/${flowline}`).then(({ id }) => id),
    /** Runs a file once, and returns the execution's id. */
    run: (text: string) => post<{ readonly id: string }>("flowline", formOf(text)).then(({ id }) => id),
    detail,
    until,
    running: (id: string, millis?: number) => until(id, ({ state }) => state === "RUNNING", millis),
    ended: (id: string, millis?: number) => until(id, hasEnded, millis),
    executions: () => get<ReadonlyArray<{ readonly id: string; readonly event?: string }>>("flowline/executions"),
    cancel: (id: string) => fetch(`${base}/flowline/${id.slice(0, 20)}/executions/${id}`, { method: "DELETE" })
  }
}
