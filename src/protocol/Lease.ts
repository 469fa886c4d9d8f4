/**
 * Milliseconds that a run outlives the last sign of life of its gateway, once that gives any: where others take over
 * its work, a run whose gateway is frozen must be gone before that.
 */
export const lease = 4500
