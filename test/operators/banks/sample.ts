/** `[legacy field, ECS field, value]`; "" if the set omits the field. Numbers are texts in the legacy set. */
export type Row = readonly [legacy: string, ecs: string, value: string | number]

/** A line, the pattern to search it with, and the fields that come of it. */
export interface Line {
  readonly name: string
  readonly line: string
  readonly rows: ReadonlyArray<Row>
  /** The only set that has the pattern. */
  readonly only?: "legacy" | "ecs-v1"
}

export interface Samples {
  /** Whole texts that a pattern takes and refuses. */
  readonly texts: Readonly<Record<string, { readonly yes: ReadonlyArray<string>; readonly no: ReadonlyArray<string> }>>
  readonly lines: ReadonlyArray<Line>
  /** Lines in which a pattern must not be found. */
  readonly misses: Readonly<Record<string, ReadonlyArray<string>>>
}
