import assert from 'node:assert/strict'
import { type Machine, watchMachineOf } from '../../support/busy-machine.ts'
import type { Lab } from './lab.ts'
import type { Member } from './member.ts'

/** How long a scenario is: minutes at night, seconds in the gate. */
export type Form = 'gate' | 'nightly'

/** It was not played, and shows nothing. */
export interface Skipped {
  readonly skipped: string
}

export interface Scenario {
  readonly name: string
  /** Each run of the gate has a few of these, of chance; the others every run has. */
  readonly isSampled?: true
  /** Finds a network in step, and leaves it so. Tells in figures what it saw, or why this machine cannot play it. */
  readonly run: (lab: Lab, form: Form) => Promise<string | Skipped>
}

/** No time without a block, or until the first one, was longer than two time-outs; not judged beside others' work. */
export function requireSoon(lab: Lab, gapMs: number, machine: Machine): void {
  const allowedMs = 2 * lab.timeoutMs + lab.settings.periodMs
  if (gapMs <= allowedMs || machine.isBusy({ diagnostic: (text) => console.log(text) })) return
  throw new Error(`no block for ${seconds(gapMs)}, and ${seconds(allowedMs)} are allowed`)
}

export function watchLab({ members }: Lab): Machine {
  return watchMachineOf(() => members.filter(({ isRunning }) => isRunning).map(({ pid }) => pid))
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}

/** Until bft_status of the node says so. */
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
