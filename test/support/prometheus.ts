/** A metric of `/metrics`. */
export interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  /** The names of its labels, without those that the format defines. */
  readonly labels: ReadonlyArray<string>
  readonly samples: ReadonlyArray<{ readonly labels: Readonly<Record<string, string>>; readonly value: number }>
}

const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/

const labelsOf = (text = ""): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name, value]))

/** Parses Prometheus' text format. Throws at a sample without preceding `HELP` and `TYPE`. */
export const parseMetrics = (text: string): ReadonlyArray<Family> => {
  const found = new Map<string, { type: string; help: string; samples: Array<Family["samples"][number]> }>()
  let help: readonly [string, string] | undefined
  let current = ""
  for (const line of text.split("\n")) {
    const [, told, explanation] = /^# HELP (\S+) (.+)$/.exec(line) ?? []
    if (told !== undefined && explanation !== undefined) {
      help = [told, explanation]
      continue
    }
    const [, typed, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? []
    if (typed !== undefined && type !== undefined) {
      if (help?.[0] !== typed || found.has(typed)) throw new Error(`No help, or twice: ${line}`)
      found.set(typed, { type, help: help[1], samples: [] })
      current = typed
      continue
    }
    if (line === "") continue
    const [, name, labels, value] = sampleLine.exec(line) ?? []
    const family = found.get(current)
    const base = family?.type === "histogram" ? name?.replace(/_(bucket|sum|count)$/, "") : name
    if (family === undefined || base !== current) throw new Error(`Not a sample of ${current}: ${line}`)
    family.samples.push({ labels: labelsOf(labels), value: Number(value) })
  }
  return [...found].map(([name, { type, help, samples }]) => {
    const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)))
    labels.delete("le")
    return { name, type, help, samples, labels: [...labels] }
  })
}
