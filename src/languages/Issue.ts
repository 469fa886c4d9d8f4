/** One fault of a text. `pointer` is a JSON pointer (RFC 6901) into its value; `line` and `column` count from 1. */
export interface Issue {
  readonly pointer?: string
  readonly detail: string
  readonly line?: number
  readonly column?: number
}
