import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tally } from './run-stage.ts'
import type { Stage } from './stages.ts'

/** The fewest passed checks of each stage that counts them. They are raised by --raise, and lowered by hand alone. */
export type Floors = Readonly<Record<string, number>>

const FILE = join(import.meta.dirname, 'floors.json')

export function loadFloors(): Floors {
  return JSON.parse(readFileSync(FILE, 'utf8'))
}

export function saveFloors(floors: Floors): void {
  writeFileSync(FILE, `${JSON.stringify(floors, null, 2)}\n`)
}

/** No floor sinks: what counted less keeps the one it had. */
export function raisedFloors(floors: Floors, counted: Floors): Floors {
  const raised = { ...floors }
  for (const [stage, count] of Object.entries(counted)) raised[stage] = Math.max(count, floors[stage] ?? 0)
  return raised
}

/** A floor may trail its count by this share, or by two checks, so that a lost test file is noticed. */
const MAX_TRAIL = 0.01

/** Why the floor of a stage and its count do not fit; empty if they do. */
export function unfitFloor(stage: Stage, tally: Tally, floors: Floors): string[] {
  if (stage.counts === 'exit code') return []
  // A floor is what passed where it was counted. On the machine of a person, a check that cannot run there counts too.
  const count = process.env.CI === 'true' ? tally.passed : tally.passed + tally.skipped
  const floor = floors[stage.name]
  if (floor === undefined) return ['has no floor; record one by --raise']
  if (count < floor) {
    return [`${count} passed, but the floor is ${floor}; scripts/floors.json is lowered by hand alone`]
  }
  if (count - floor <= Math.max(2, floor * MAX_TRAIL)) return []
  return [`${count} passed, but the floor is only ${floor}; record the count by --raise`]
}
