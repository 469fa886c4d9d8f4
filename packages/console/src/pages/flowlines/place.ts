/** A marker put at the cursor while its place is determined. */
export const mark = "zz__cursor__zz"

/** Length up to which the place is determined at each key. */
export const longest = 512 * 1024
