/** The fork schedule under which the stored blocks were made, and whether another one may go on with them. */
import type { Fork } from '#types/genesis/fork-schedule.ts'
import { storeFault } from './faults.ts'
import type { Head } from './store.ts'

interface ForkRow {
  readonly name: string
  readonly trigger: string
  readonly from: bigint
}

export function formatSchedule(forks: readonly Fork[]): string {
  return forks.map(({ name, trigger, from }) => `${name} ${trigger} ${from}`).join('\n')
}

/** Refuses a schedule that differs where the stored blocks already are; above the head it may change. */
export function requireSameSchedule(stored: string, forks: readonly Fork[], head: Head): void {
  const before = inEffect(parseSchedule(stored))
  const now = inEffect(forks)
  const hasPassed = ({ trigger, from }: ForkRow): boolean =>
    from <= BigInt(trigger === 'block' ? head.number : head.timestamp)
  for (const fork of [...before, ...now]) {
    const old = before.find(({ name }) => name === fork.name)
    const current = now.find(({ name }) => name === fork.name)
    if (old?.from === current?.from || !hasPassed(fork)) continue
    const sentence =
      `The fork ${fork.name} was ${told(old)} when the stored blocks were made and is ${told(current)} in the ` +
      `genesis file, but the head, block ${head.number}, is past it. Restore the genesis file, or give the node ` +
      'a new --data-path.'
    throw storeFault('STORE_OTHER_SCHEDULE', { sentence, fork: fork.name })
  }
}

function told(fork: ForkRow | undefined): string {
  return fork === undefined ? 'not scheduled' : `at ${fork.trigger} ${fork.from}`
}

/** Without forks that a later one hides, so that naming them or not makes no difference. */
function inEffect(forks: readonly ForkRow[]): ForkRow[] {
  return forks.filter((fork, index) => {
    const later = forks.slice(index + 1)
    return !later.some(({ trigger, from }) => from <= (trigger === fork.trigger ? fork.from : 0n))
  })
}

function parseSchedule(text: string): ForkRow[] {
  return text.split('\n').flatMap((line) => {
    const [name, trigger, from] = line.split(' ')
    return name && trigger && from ? [{ name, trigger, from: BigInt(from) }] : []
  })
}
