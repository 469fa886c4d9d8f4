import type { Query } from "./Query.ts"

/** Times in epoch milliseconds, both included. */
export interface Times {
  readonly from: number
  readonly to: number
}

const always: Times = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }
const never: Times = { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY }

/** The times between which the `@timestamp` of every matching document with a date lies. */
export const timesOf = (query: Query): Times => {
  switch (query._tag) {
    case "None":
      return never
    case "Dates":
      return query.field === "@timestamp" ? { from: query.from, to: query.to } : always
    case "Bool": {
      const any = query.should.map(timesOf)
      const some =
        query.minimum === 0
          ? always
          : any.reduce((a, b) => ({ from: Math.min(a.from, b.from), to: Math.max(a.to, b.to) }), never)
      return query.must
        .map(timesOf)
        .reduce((a, b) => ({ from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) }), some)
    }
    default:
      return always
  }
}
