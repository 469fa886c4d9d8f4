import type { TenantFiles } from "../drivers/files/TenantFiles.ts"
import type { Network } from "../nodes/Network.ts"
import type { RunContext } from "../nodes/Node.ts"
import type { StoredFiles } from "./files/StoredFiles.ts"

// Few runs follow files or use the network, so these modules are loaded on first use.
const lazyNetwork = (allowed: ReadonlyArray<string>): Network => {
  let loaded: Promise<Network> | undefined
  const load = async () => {
    const [{ network }, { Outbound }] = await Promise.all([import("./Sockets.ts"), import("../drivers/Outbound.ts")])
    return network(new Outbound(allowed))
  }
  const network = () => {
    loaded ??= load()
    return loaded
  }
  return {
    tcp: async (at, serve) => (await network()).tcp(at, serve),
    udp: async (at, receive) => (await network()).udp(at, receive),
    http: async (at, serve) => (await network()).http(at, serve),
    post: async (request) => (await network()).post(request)
  }
}

/** The parts of a run's context that nodes read from. `outbound` lists what they may connect to; see drivers/Outbound. */
export const inputs = (
  files: TenantFiles,
  stored: StoredFiles,
  scratch: string,
  signal: AbortSignal,
  outbound: ReadonlyArray<string>
): Pick<RunContext, "glob" | "read" | "openFile" | "open" | "parquet" | "tail" | "network"> => ({
  glob: (pattern) => files.glob(pattern),
  read: (path) => files.read(path),
  openFile: (path) => files.openFile(path),
  open: (reference) => stored.open(reference),
  parquet: async function* (source) {
    yield* (await import("./files/Parquet.ts")).parquet(source, { files, stored, scratch })
  },
  tail: async function* (pattern, position, how) {
    const { Tail } = await import("./files/tail/Tail.ts")
    yield* new Tail(pattern, files, position, how, signal).run()
  },
  network: lazyNetwork(outbound)
})
