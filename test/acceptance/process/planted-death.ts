import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A Node flag: every thread writes its limits to a file when it starts, and ends when a file with its name appears.
 */
export function plantDeath(folder: string): string {
  const file = join(folder, 'planted-death.cjs')
  writeFileSync(
    file,
    `const { existsSync, rmSync, writeFileSync } = require('node:fs')
    const { resourceLimits, workerData } = require('node:worker_threads')
    const name = workerData?.cairnThread?.name
    if (name !== undefined) {
      const path = ${JSON.stringify(folder)} + '/' + name
      writeFileSync(path + '.limits', JSON.stringify(resourceLimits))
      setInterval(() => {
        if (!existsSync(path)) return
        rmSync(path)
        process.exit(1)
      }, 20).unref()
    }`,
  )
  return `--require=${file}`
}

export function endThread(folder: string, thread: string): void {
  writeFileSync(join(folder, thread), '')
}
