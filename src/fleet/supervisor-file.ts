import { join } from 'node:path'
import { type Clock, pause, systemClock } from '#platform/clock.ts'
import { ClaimFile } from './claim-file.ts'
import { STOP_MS } from './node-process.ts'
import { refusal } from './plan-network.ts'

const LOOK_MS = 50

/** Which process restarts the nodes of a network, so that no two do. */
export class SupervisorFile extends ClaimFile {
  constructor(directory: string) {
    super(join(directory, 'supervisor.pid'))
  }

  /** Until nobody does: it looks at its network now and then, and ends when it has seen that it should. */
  async untilFree(limitMs = STOP_MS, clock: Clock = systemClock): Promise<void> {
    const endMs = clock.monotonicMs() + limitMs
    while (this.pid() !== undefined) {
      if (clock.monotonicMs() >= endMs) {
        throw refusal(
          `Process ${this.pid()}, which watches the network, did not end in time; end it by kill.`,
        )
      }
      await pause(clock, LOOK_MS)
    }
  }
}
