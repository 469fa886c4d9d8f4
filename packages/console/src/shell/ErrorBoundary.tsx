import { Component, type ReactNode } from "react"
import { shell } from "../texts/en.ts"
import css from "./shell.module.css"

/** Shows the failure instead of an empty page. The browser has stored the reader's input. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly failure?: Error }> {
  override state: { readonly failure?: Error } = {}

  static getDerivedStateFromError(failure: Error) {
    return { failure }
  }

  override render(): ReactNode {
    const { failure } = this.state
    if (failure === undefined) return this.props.children
    // A file of a build that was replaced since the page was opened.
    const isGone = /dynamically imported module|Importing a module script failed|error loading/i.test(failure.message)
    return (
      <div className={css.failure} role="alert">
        <h1>{isGone ? shell.newVersion : shell.failed}</h1>
        {isGone ? null : <pre>{failure.message}</pre>}
        <button type="button" className={css.reload} onClick={() => location.reload()}>
          {shell.reload}
        </button>
      </div>
    )
  }
}
