import type { Metric } from "./Aggregation.ts"
import type { Measure } from "./Grouping.ts"

/** The measures that a metric needs. */
export const measuresOf = (metric: Metric): ReadonlyArray<Measure> => {
  const { field } = metric
  switch (metric._tag) {
    case "stats":
      return [
        { field, of: "count" },
        { field, of: "min" },
        { field, of: "max" },
        { field, of: "sum" }
      ]
    case "value_count":
      return [{ field, of: "values" }]
    case "percentiles":
      return [{ field, of: "percentiles", percents: metric.percents }]
    default:
      return [{ field, of: metric._tag }]
  }
}

/** Metrics whose values one pass with other metrics cannot find. */
export const isAlone = ({ of }: Measure): boolean => of === "cardinality" || of === "percentiles"
