import { isatty } from "node:tty"

/**
 * Stops the gateway as SIGTERM does when its terminal closes. Without a terminal SIGHUP is ignored: Node resets the
 * disposition that `nohup` has set, so it has to be ignored here.
 */
export const stopWithTerminal = (): void => {
  const hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor))
  process.on("SIGHUP", () => {
    if (!hasTerminal) return
    // Nobody reads the log any more. A failed write must not end the process before its work is done.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
    process.kill(process.pid, "SIGTERM")
  })
}
