import { join } from 'node:path'
import { ClaimFile } from './claim-file.ts'
import { refusal } from './plan-network.ts'

/** Only one command at a time changes a network's nodes: two would each count on validators that the other removes. */
export async function whileChanging(directory: string, change: () => Promise<void>): Promise<void> {
  const file = new ClaimFile(join(directory, 'changing.pid'))
  if (!file.claim()) {
    throw refusal(
      `Process ${file.pid() ?? 'of another command'} changes this network just now; wait until it is done, or end it by kill.`,
    )
  }
  try {
    await change()
  } finally {
    file.release()
  }
}
