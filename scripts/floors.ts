import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tally } from './run-stage.ts'
import type { Stage } from './stages.ts'

/** The number of checks that each counting stage passed when `npm run floors` recorded it. */
export type Floors = Readonly<Record<string, number>>

const FILE = join(import.meta.dirname, 'floors.json')

export function loadFloors(): Floors {
  return JSON.parse(readFileSync(FILE, 'utf8'))
}

export function saveFloors(floors: Floors): void {
  writeFileSync(FILE, `${JSON.stringify(floors, null, 2)}\n`)
}

/** The maximum difference between a count and its floor. A lost test file or suite is more. */
const MAX_DIFFERENCE = 0.03

/** The reason why a stage's count does not fit its floor; empty if it does. */
export function unfitFloor(stage: Stage, tally: Tally, floors: Floors): string[] {
  if (stage.counts === 'exit code') return []
  // A floor is the count in CI. On a developer's machine, a check that cannot run there counts too.
  const count = process.env.CI === 'true' ? tally.passed : tally.passed + tally.skipped
  const floor = floors[stage.name]
  if (floor === undefined) return [`has no floor; record one: npm run floors -- '${stage.name}'`]
  if (count < floor * (1 - MAX_DIFFERENCE)) {
    const fewer = `${count} passed, more than 3 % fewer than the floor of ${floor}`
    return [`${fewer}; if that is meant, record it: npm run floors -- '${stage.name}'`]
  }
  // A floor that stays behind would let as many tests disappear.
  if (count - floor <= Math.max(2, floor * MAX_DIFFERENCE)) return []
  return [`${count} passed, but the floor is only ${floor}; record it: npm run floors -- '${stage.name}'`]
}
