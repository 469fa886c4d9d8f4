import { Context } from "effect"

/**
 * The ports that the gateway itself listens on. No run may listen on them, not even on another address of the machine:
 * clients that find both by the name `localhost` may come to the run, with their passwords.
 */
export class OwnPorts extends Context.Service<
  OwnPorts,
  { readonly all: () => ReadonlyArray<number>; readonly add: (port: number) => void }
>()("flow/shared/OwnPorts") {
  /** Port 0 stands for one that is not known yet. */
  static readonly from = (known: Iterable<number>): OwnPorts["Service"] => {
    const ports = new Set(known)
    ports.delete(0)
    return OwnPorts.of({ all: () => [...ports], add: (port) => ports.add(port) })
  }
}
