import { isatty } from "node:tty"

/**
 * Lets the end of the terminal stop the gateway as SIGTERM does. Without a terminal SIGHUP changes nothing: Node takes
 * back that `nohup` has it ignored.
 */
export const stopWithTerminal = (): void => {
  const hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor))
  process.on("SIGHUP", () => {
    if (!hasTerminal) return
    // What is still said has no reader any more, which is no reason to end before the work does.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
    process.kill(process.pid, "SIGTERM")
  })
}
