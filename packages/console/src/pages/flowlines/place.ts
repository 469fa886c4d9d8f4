/** A text that stands at the cursor while the place is looked for. */
export const mark = "zz__cursor__zz"

/** Characters up to which places are looked for at each key. */
export const longest = 512 * 1024
