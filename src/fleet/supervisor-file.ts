import { join } from 'node:path'
import { type Clock, pause, systemClock } from '#platform/clock.ts'
import { ClaimFile } from './claim-file.ts'
import type { FleetNode } from './network-directory.ts'
import { STOP_MS, startProcess, wantRunning } from './node-process.ts'
import { refusal } from './plan-network.ts'

const LOOK_MS = 50

/** Names the process that restarts a network's nodes, so there is only one. */
export class SupervisorFile extends ClaimFile {
  constructor(directory: string) {
    super(join(directory, 'supervisor.pid'))
  }

  /** Resolves when there is no supervisor. It polls its network and ends once it sees that it should. */
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

/**
 * A supervisor starts every node that is not stopped. Returns false if the node is already running or another command is
 * starting it.
 */
export function startUnlessWatched(directory: string, node: FleetNode): boolean {
  wantRunning(node)
  return new SupervisorFile(directory).pid() !== undefined || startProcess(node)
}
