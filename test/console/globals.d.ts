/** What the tests put into pages, and what they find of it. */
declare global {
  /** Made by hostile content, if any of it ever runs. */
  var ran: number | undefined
  /** What the policy of the page has refused. */
  var reports: ReadonlyArray<string>
  /** What has moved by itself, and how far as Web Vitals count it. */
  var shifts: ReadonlyArray<{ readonly value: number; readonly moved: string }>
  /** What the page's requests for tests came to. */
  var noted: { readonly asked: number; readonly ended: number }
  /** How often a time was drawn. */
  var drawn: number
  /** Set until another document is loaded. */
  var isSame: boolean | undefined
  /** What axe-core adds. */
  var axe: {
    readonly run: () => Promise<{
      readonly violations: ReadonlyArray<{
        readonly id: string
        readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>
      }>
    }>
  }

  /** An entry of the type `layout-shift`, which the types of the DOM do not have. */
  interface LayoutShift extends PerformanceEntry {
    readonly value: number
    /** Whether the reader did something half a second before. */
    readonly hadRecentInput: boolean
    readonly sources: ReadonlyArray<{ readonly node?: Element }>
  }
}

export {}
