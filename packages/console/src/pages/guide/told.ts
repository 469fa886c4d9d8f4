import { GatewayError } from "@flow-gateway/client/light"
import { gateway } from "../../app/gateway.ts"

const lineOf = (line: number | undefined): string => (line === undefined ? "" : `line ${line}: `)

/**
 * The faults that the gateway reports for a configuration file that it uses by itself; undefined for files on which it
 * does not report.
 */
export const toldOf = async (
  tenant: string,
  path: string,
  signal: AbortSignal
): Promise<ReadonlyArray<string> | undefined> => {
  const channel = /^channels\/([^/]+)\//.exec(path)?.[1]
  if (channel !== undefined) {
    try {
      const { reason } = await gateway.channels.status({ params: { tenant, channel } }, { signal })
      return reason === undefined ? [] : reason.split("\n")
    } catch (error) {
      if (error instanceof GatewayError && error.status === 404) return undefined
      throw error
    }
  }
  if (/^nodes\/.*\.py$/.test(path)) {
    const nodes = await gateway.scan.pybatch({ params: { tenant } }, { signal })
    const own = nodes.filter(({ source }) => source === path)
    if (own.length === 0) return undefined
    return own.flatMap(({ error }) => (error === undefined ? [] : [lineOf(error.line) + error.message]))
  }
  if (path.startsWith("patterns/")) {
    const { leftOut } = await gateway.operators.patterns({ query: { tenant } }, { signal })
    const own = leftOut.filter((reason) => reason.startsWith(`${path}:`))
    return own.length === 0 ? undefined : own
  }
  return undefined
}
