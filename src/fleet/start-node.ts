import type { FleetNode } from './network-directory.ts'
import { startProcess, wantRunning } from './node-process.ts'
import { SupervisorFile } from './supervisor-file.ts'

/** Where somebody watches the network, not being stopped is all it takes. */
export function startUnlessWatched(directory: string, node: FleetNode): void {
  wantRunning(node)
  if (new SupervisorFile(directory).pid() === undefined) startProcess(node)
}
