import { Component, type ReactNode, useEffect, useState } from "react"
import { askNow, useReachable } from "../app/gateway.ts"
import { shell } from "../texts/en.ts"
import css from "./shell.module.css"

/** Whether a file of the page could not be loaded. */
const isOfLoading = ({ message }: Error): boolean =>
  /dynamically imported module|importing a module script failed|error loading|unable to preload/i.test(message)

const Failure = ({
  failure,
  isRepeated,
  again
}: {
  readonly failure: Error
  /** The page has failed again although the gateway answered. */
  readonly isRepeated: boolean
  readonly again: () => void
}) => {
  const isReachable = useReachable()
  const [isAsked, setAsked] = useState(false)
  const isLoading = isOfLoading(failure)
  useEffect(() => {
    if (isLoading) void askNow().then(() => setAsked(true))
  }, [isLoading])
  const isBack = isLoading && isAsked && isReachable && !isRepeated
  useEffect(() => {
    if (isBack) again()
  }, [isBack, again])
  if (isLoading && !isRepeated) return <p className={css.loading}>{isReachable ? shell.loading : shell.notLoaded}</p>
  return (
    <div className={css.failure} role="alert">
      <h1>{isLoading ? shell.newVersion : shell.failed}</h1>
      {isLoading ? null : <pre>{failure.message}</pre>}
      <button type="button" className={css.reload} onClick={() => location.reload()}>
        {shell.reload}
      </button>
    </div>
  )
}

interface State {
  readonly failure?: Error | undefined
  readonly isRepeated: boolean
}

/**
 * Shows the failure instead of an empty page. The browser has stored the reader's input. A page that could not be loaded
 * is loaded again when the gateway answers; if that fails, its file belongs to a build that was replaced.
 */
export class ErrorBoundary extends Component<{ readonly children: ReactNode; readonly again: () => void }, State> {
  override state: State = { isRepeated: false }
  private isAgain = false

  static getDerivedStateFromError(failure: Error): Pick<State, "failure"> {
    return { failure }
  }

  override componentDidCatch(): void {
    this.setState({ isRepeated: this.isAgain })
  }

  private readonly again = (): void => {
    this.isAgain = true
    this.props.again()
    this.setState({ failure: undefined })
  }

  override render(): ReactNode {
    const { failure, isRepeated } = this.state
    if (failure === undefined) return this.props.children
    return <Failure failure={failure} isRepeated={isRepeated} again={this.again} />
  }
}
