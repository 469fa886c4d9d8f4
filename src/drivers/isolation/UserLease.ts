import { once } from "node:events"
import { createServer } from "node:net"
import { Failure } from "../Failure.ts"

/** The users that programs run as: a range that neither systemd nor a distribution gives to anybody. */
export const programUsers = { first: 60_578, last: 61_183 }

/** A user of this machine that nobody else has until it is released, or until this process has ended. */
export interface UserLease {
  readonly user: number
  readonly release: () => void
}

/**
 * Takes a free user. The lease is a socket with an abstract name: the kernel gives the name to one process of the
 * machine at a time, and takes it back when that process ends, however it does.
 */
export const leaseUser = async ({ first, last } = programUsers): Promise<UserLease> => {
  const size = last - first + 1
  const start = Math.floor(Math.random() * size)
  for (let step = 0; step < size; step++) {
    const user = first + ((start + step) % size)
    const server = createServer((socket) => socket.destroy()).unref()
    server.listen(`\0flow-gateway/user/${user}`)
    const isFree = await once(server, "listening").then(
      () => true,
      () => false
    )
    if (isFree) return { user, release: () => void server.close() }
  }
  throw new Failure(`All ${size} users for isolated programs are taken on this machine; try again later`)
}
