import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import type { TestContext } from 'node:test'

/** Cores that other programs may use before a time says more about them than about the node. */
const OTHERS_MAX_CORES = 0.5
const TICKS_PER_SECOND = 100
const IS_COUNTED = existsSync('/proc/stat')

export interface Machine {
  /** True if other programs used the machine since the watch began. Times are then printed and not judged. */
  isBusy(t: Pick<TestContext, 'diagnostic'>): boolean
}

/**
 * Counts the CPU time of other programs, excluding this process with its threads and ended children, and the processes in
 * `pids`. Outside Linux only the load of the last minute is known: it includes our own programs and misses a neighbour
 * that has just started.
 */
export function watchMachine(...pids: readonly number[]): Machine {
  return watchMachineOf(() => pids)
}

/** For programs that come and go: `pids` returns those that run now. */
export function watchMachineOf(pids: () => readonly number[]): Machine {
  const startMs = performance.now()
  const start = othersSeconds(pids())
  return {
    isBusy(t) {
      const cores = (othersSeconds(pids()) - start) / ((performance.now() - startMs) / 1_000)
      const load = loadavg()[0]!
      const isBusy = IS_COUNTED ? cores > OTHERS_MAX_CORES : load > 2 * availableParallelism()
      if (isBusy)
        t.diagnostic(
          `not judged: others use ${cores.toFixed(1)} cores, and the load of the last minute is ${load.toFixed(1)}`,
        )
      return isBusy
    },
  }
}

function othersSeconds(pids: readonly number[]): number {
  if (!IS_COUNTED) return 0
  const [, user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8').split(/ +/)
  const busy = [user, nice, system, irq, softirq, steal].reduce((sum, ticks) => sum + Number(ticks), 0)
  const own = ticksOf(process.pid) + pids.reduce((sum, pid) => sum + ticksOf(pid), 0)
  return (busy - own) / TICKS_PER_SECOND
}

/** The CPU ticks of a process and of its ended children. */
function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0)
}
