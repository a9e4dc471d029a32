import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { kindOfPath, writeFileNew } from '#platform/files/files.ts'
import { pidIn } from './node-process.ts'
import { refusal } from './plan-network.ts'

/**
 * One command at a time changes the nodes of a network: two at once would each count on validators that the other takes away.
 * Whoever was killed meanwhile left its file behind, and its process is gone.
 */
export async function whileChanging(directory: string, change: () => Promise<void>): Promise<void> {
  const file = join(directory, 'changing.pid')
  const other = pidIn(file, 'network')
  if (other !== undefined) {
    throw refusal(`Process ${other} changes this network just now; wait until it is done, or end it by kill.`)
  }
  if (kindOfPath(file) !== undefined) rmSync(file)
  // Of two that came here at once, one finds the file of the other.
  writeFileNew(file, String(process.pid))
  try {
    await change()
  } finally {
    rmSync(file, { force: true })
  }
}
