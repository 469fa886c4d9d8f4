/**
 * Records that pass between nodes at once, at most. A batch costs the same work whatever it holds, which a thousand
 * records share; many more would only hold memory and keep signals waiting.
 */
export const batchRecords = 1000

/** Characters of input after which a batch is sent, however few records they are. */
export const batchCharacters = 262_144
