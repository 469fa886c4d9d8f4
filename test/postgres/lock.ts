import { Effect } from "effect"
import { lockFolder } from "../../src/layers/postgres/embedded/FolderLock.ts"

// Locks the folder that is given.
await Effect.runPromise(Effect.scoped(lockFolder(process.argv[2]!)))
