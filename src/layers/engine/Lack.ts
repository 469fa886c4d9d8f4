/**
 * What lacked if a process could not start or could not begin, by what Node, Python or the launcher has printed. In each
 * alternative the first group is for files, the second for processes and threads, the third for memory.
 */
const lacking = new RegExp(
  [
    String.raw`(\bE[MN]FILE\b|\[Errno 2[34]\])`,
    String.raw`(\bEAGAIN\b|\[Errno 11\]|uv_thread_create|Resource temporarily unavailable)`,
    String.raw`(\bENOMEM\b|\[Errno 12\]|Cannot allocate memory|Fatal process out of memory)`
  ].join("|")
)

/** The reason for users; undefined if nothing lacked. All of this may pass, so a start is worth repeating. */
export const lackIn = (tail: string): string | undefined => {
  const found = lacking.exec(tail)
  if (found === null) return undefined
  const [, files, processes] = found
  if (files !== undefined) return "no more files may be opened (ulimit -n)"
  if (processes !== undefined)
    return "no more processes or threads may be started (ulimit -u, or the container's limit)"
  return "no memory is free for it, or its address space is limited (ulimit -v)"
}

/** Whether a process found no room for another file, process or thread, by what it has printed. */
export const lacksRoom = (tail: string): boolean => {
  const [, files, processes] = lacking.exec(tail) ?? []
  return files !== undefined || processes !== undefined
}
