import assert from 'node:assert/strict'
import { type Machine, watchMachineOf } from '../../support/busy-machine.ts'
import type { Lab } from './lab.ts'
import type { Member } from './member.ts'

/** The length of a scenario: seconds in the gate, minutes at night. */
export type Form = 'gate' | 'nightly'

/** The scenario did not run on this machine. */
export interface Skipped {
  readonly skipped: string
}

export interface Scenario {
  readonly name: string
  /** The gate plays a random sample of these scenarios, and all of the others. */
  readonly isSampled?: true
  /**
   * Starts and ends with a network in sync. Returns the measured figures, or the reason why this machine
   * cannot play it.
   */
  readonly run: (lab: Lab, form: Form) => Promise<string | Skipped>
}

/** Requires that no wait for a block was longer than two timeouts. A busy machine is not judged. */
export function requireSoon(lab: Lab, gapMs: number, machine: Machine): void {
  const allowedMs = 2 * lab.timeoutMs + lab.settings.periodMs
  if (gapMs <= allowedMs || machine.isBusy({ diagnostic: (text) => console.log(text) })) return
  throw new Error(`no block for ${seconds(gapMs)}; the limit is ${seconds(allowedMs)}`)
}

export function watchLab({ members }: Lab): Machine {
  return watchMachineOf(() => members.filter(({ isRunning }) => isRunning).map(({ pid }) => pid))
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}

/** Waits until the node's `bft_status` reports the cause. */
export async function untilCause(lab: Lab, member: Member, wanted: RegExp): Promise<void> {
  let cause = ''
  try {
    await lab.until(
      '',
      async () => {
        cause = (await member.status()).cause
        return wanted.test(cause)
      },
      60_000,
    )
  } catch {
    assert.match(cause, wanted, member.name)
  }
}
