import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import type { TestContext } from 'node:test'

/** Cores: what others may use before a time says more about them than about the node. */
const OTHERS_MAX_CORES = 0.5
const TICKS_PER_SECOND = 100
const IS_COUNTED = existsSync('/proc/stat')

export interface Machine {
  /** Whether others had the machine since the watch began; then times are printed and not judged. */
  isBusy(t: Pick<TestContext, 'diagnostic'>): boolean
}

/**
 * Counts what is not ours: this process with all its threads and the programs it waited for, and those of `pids`. The
 * load of the last minute is all there is outside Linux: it has our own programs in it, and misses a neighbour that has
 * just begun.
 */
export function watchMachine(...pids: readonly number[]): Machine {
  return watchMachineOf(() => pids)
}

/** Of programs that come and go: those that run now. */
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

/** Of a process and of its children that have ended. */
function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0)
}
