import type { FleetNode } from './network-directory.ts'
import { startProcess, wantRunning } from './node-process.ts'
import { SupervisorFile } from './supervisor-file.ts'

/** A supervisor starts every node that is not stopped. False if the node runs already, or another command is starting it. */
export function startUnlessWatched(directory: string, node: FleetNode): boolean {
  wantRunning(node)
  return new SupervisorFile(directory).pid() !== undefined || startProcess(node)
}
