import type { Outcome } from '../suite.ts'

/** What playing a unit came to; what it threw is a failure of the unit and not of the suite. */
export async function outcomeOf(unit: string, play: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await play()
  } catch (error) {
    return { unit, status: 'failed', reason: error instanceof Error ? error.message : String(error) }
  }
}
