import { totalmem } from 'node:os'

/** What this process may use: what its control group allows, or all that the machine has. */
export function memoryLimitBytes(): number {
  const totalBytes = totalmem()
  const constrainedBytes = process.constrainedMemory()
  // Without a limit the system names one that no machine has, or none.
  return constrainedBytes > 0 ? Math.min(constrainedBytes, totalBytes) : totalBytes
}
