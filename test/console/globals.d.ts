/** Values that the tests put into pages or read from them. */
declare global {
  /** Set by hostile content, if it ever runs. */
  var ran: number | undefined
  /** The violations of the page's policy. */
  var reports: ReadonlyArray<string>
  /** Elements that moved by themselves, and the layout shift as defined by Web Vitals. */
  var shifts: ReadonlyArray<{ readonly value: number; readonly moved: string }>
  /** The outcomes of the page's requests for tests. */
  var noted: { readonly asked: number; readonly ended: number }
  /** How often a time was rendered. */
  var drawn: number
  /** Set until another document is loaded. */
  var isSame: boolean | undefined
  /** Added by axe-core. */
  var axe: {
    readonly run: (options: { readonly resultTypes: ReadonlyArray<string> }) => Promise<{
      readonly violations: ReadonlyArray<{
        readonly id: string
        readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>
      }>
    }>
  }

  /** An entry of the type `layout-shift`, which the DOM types lack. */
  interface LayoutShift extends PerformanceEntry {
    readonly value: number
    /** Whether the reader did something in the half second before. */
    readonly hadRecentInput: boolean
    readonly sources: ReadonlyArray<{ readonly node?: Element }>
  }
}

export {}
