import { once } from "../drivers/Once.ts"
import type { RunContext } from "../nodes/Node.ts"
import type { OpenDatabase } from "../nodes/ports/Databases.ts"
import type { Network } from "../nodes/ports/Network.ts"
import { type SourceOrder, Sources } from "./files/Sources.ts"
import type { StoredFiles } from "./files/StoredFiles.ts"

// Few runs follow files or use the network, so these modules are loaded on first use.
const lazyNetwork = ({ outbound, ownPorts }: SourceOrder): Network => {
  const network = once(async () => {
    const [{ network }, { Outbound }] = await Promise.all([import("./Sockets.ts"), import("../drivers/Outbound.ts")])
    return network(new Outbound(outbound), ownPorts)
  })
  return {
    tcp: async (at, serve) => (await network()).tcp(at, serve),
    udp: async (at, receive) => (await network()).udp(at, receive),
    http: async (at, serve) => (await network()).http(at, serve),
    post: async (request) => (await network()).post(request),
    get: async (request) => (await network()).get(request)
  }
}

const lazyDatabase =
  (allowed: ReadonlyArray<string>, signal: AbortSignal): OpenDatabase =>
  async (address) => {
    const [{ openDatabase }, { Outbound }] = await Promise.all([
      import("../drivers/sql/SqlDatabase.ts"),
      import("../drivers/Outbound.ts")
    ])
    return openDatabase(new Outbound(allowed), signal)(address)
  }

/** The parts of a run's context that nodes read from. `outbound` of the order lists what they may connect to. */
export const inputs = (
  order: SourceOrder,
  stored: StoredFiles,
  signal: AbortSignal
): Pick<
  RunContext,
  "glob" | "read" | "openFile" | "versionOf" | "open" | "parquet" | "tail" | "filesIn" | "network" | "openDatabase"
> => {
  const sources = new Sources(order, stored, signal)
  return {
    ...sources.own(),
    filesIn: (storage) => sources.in(storage),
    open: (reference) => stored.open(reference),
    network: lazyNetwork(order),
    openDatabase: lazyDatabase(order.outbound, signal)
  }
}
