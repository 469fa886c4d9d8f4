/**
 * Maximum number of records that pass between nodes at once. A batch has a fixed cost that a thousand records share;
 * larger batches would only hold memory and delay signals.
 */
export const batchRecords = 1000

/** Number of input characters after which a batch is sent, even with fewer records. */
export const batchCharacters = 262_144
