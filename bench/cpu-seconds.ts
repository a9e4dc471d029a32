import { readdirSync, readFileSync } from 'node:fs'

const CLOCK_TICKS_PER_SECOND = 100

/** CPU time of this thread, in milliseconds. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** CPU time of all threads of the process, in user and kernel mode. */
export function cpuSecondsOf(pid: number): number {
  return readStat(`/proc/${pid}`).seconds
}

/** CPU time of the running threads of the process in microseconds, fine enough for slices of a second. */
export function cpuMicrosOf(pid: number, counts: (threadName: string) => boolean = () => true): number {
  return [...threadMicrosOf(pid)].reduce((sum, [name, micros]) => (counts(name) ? sum + micros : sum), 0)
}

/** The same by thread name. */
export function threadMicrosOf(pid: number): ReadonlyMap<string, number> {
  const micros = new Map<string, number>()
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`
    const name = readFileSync(`${folder}/comm`, 'utf8').trim()
    const nanos = Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0])
    micros.set(name, (micros.get(name) ?? 0) + nanos / 1_000)
  }
  return micros
}

/** CPU time by thread name; threads with the same name are added up. */
export function threadSecondsOf(pid: number): ReadonlyMap<string, number> {
  const seconds = new Map<string, number>()
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const stat = readStat(`/proc/${pid}/task/${thread}`)
    seconds.set(stat.name, (seconds.get(stat.name) ?? 0) + stat.seconds)
  }
  return seconds
}

function readStat(folder: string): { readonly name: string; readonly seconds: number } {
  const stat = readFileSync(`${folder}/stat`, 'utf8')
  const end = stat.lastIndexOf(')')
  const fields = stat.slice(end + 2).split(' ')
  const ticks = Number(fields[11]) + Number(fields[12])
  return { name: stat.slice(stat.indexOf('(') + 1, end), seconds: ticks / CLOCK_TICKS_PER_SECOND }
}
