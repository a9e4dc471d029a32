import { readFileSync } from 'node:fs'

const KIB_PER_MIB = 1_024

export interface Memory {
  /** A page shared by several processes counts once, divided among them. */
  readonly pssMb: number
  /** A shared page counts in each process. */
  readonly rssMb: number
}

/** The memory of several processes together, as Linux counts it. */
export function memoryOf(pids: readonly number[]): Memory {
  const texts = pids.map((pid) => readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))
  const sum = (name: string): number =>
    texts.reduce(
      (total, text) => total + Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)![1]),
      0,
    )
  return { pssMb: sum('Pss') / KIB_PER_MIB, rssMb: sum('Rss') / KIB_PER_MIB }
}
