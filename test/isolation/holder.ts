import { leaseUser } from "../../src/drivers/isolation/UserLease.ts"

/** Numbers that no program has, so that no other test waits for them. */
export const range = { first: 900_001, last: 900_005 }

// Holds a user until it is killed.
if (import.meta.main) {
  const { user } = await leaseUser(range)
  console.log(`holds ${user}`)
  setInterval(() => undefined, 60_000)
}
