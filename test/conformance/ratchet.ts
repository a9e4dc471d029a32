import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Outcome } from './suite.ts'

/** The result that a suite must reach. `unmet` lists every unmet unit with its reason. */
export interface RatchetRow {
  readonly total: number
  readonly met: number
  readonly unmet: Readonly<Record<string, string>>
}

export type Ratchet = Readonly<Record<string, RatchetRow>>

const FAILED = 'FAILED: '
const FILE = join(import.meta.dirname, 'ratchet.json')

export function loadRatchet(): Ratchet {
  return JSON.parse(readFileSync(FILE, 'utf8'))
}

export function saveRatchet(ratchet: Ratchet): void {
  const sorted = Object.fromEntries(Object.entries(ratchet).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 2)}\n`)
}

export function rowOf(outcomes: readonly Outcome[]): RatchetRow {
  const unmet = outcomes.filter(({ status }) => status !== 'met')
  return {
    total: outcomes.length,
    met: outcomes.length - unmet.length,
    unmet: Object.fromEntries(unmet.map((outcome) => [outcome.unit, describe(outcome)])),
  }
}

function describe(outcome: Outcome): string {
  switch (outcome.status) {
    case 'met':
      return 'met'
    case 'deviates':
      return `deviates by decision ${outcome.decision}`
    case 'waits':
      return `waits: ${outcome.reason}`
    case 'failed':
      return `${FAILED}${outcome.reason}`
  }
}

/**
 * Lists everything that is worse than the recorded result or differs from it silently. A wrong answer is always a
 * problem; other reasons may change only while the ratchet is raised.
 */
export function regressions(
  suite: string,
  before: RatchetRow,
  now: RatchetRow,
  { newReasonsAllowed }: { newReasonsAllowed: boolean },
): string[] {
  const changed = Object.entries(now.unmet).filter(
    ([unit, reason]) => reason.startsWith(FAILED) || (!newReasonsAllowed && before.unmet[unit] !== reason),
  )
  return [
    ...(now.met < before.met ? [`${suite}: ${now.met} met, but ${before.met} were reached before`] : []),
    ...(now.total < before.total
      ? [`${suite}: ${now.total} units seen, but there were ${before.total}`]
      : []),
    ...changed.map(([unit, reason]) => `${suite}: ${unit}: ${reason}`),
  ]
}
