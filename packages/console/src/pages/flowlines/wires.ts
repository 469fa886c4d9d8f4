import { isObject, textOf } from "./schema.ts"

interface Wire {
  readonly component: string
  readonly stream: string
}

export const nameOf = (node: Readonly<Record<string, unknown>>): string =>
  textOf(node["component"]) || textOf(node["type"])

export const published = (node: unknown): ReadonlyArray<string> =>
  (isObject(node) && Array.isArray(node["publish"]) ? node["publish"] : [])
    .filter(isObject)
    .map(({ stream }) => textOf(stream))
    .filter((stream) => stream !== "")

/** The streams of all nodes but one, in the order of the text. */
export const streamsOf = (dag: ReadonlyArray<unknown>, but: number): ReadonlyArray<Wire> =>
  dag.flatMap((node, at) =>
    isObject(node) && at !== but ? published(node).map((stream) => ({ component: nameOf(node), stream })) : []
  )
