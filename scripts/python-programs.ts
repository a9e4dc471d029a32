import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from './build-native.ts'

/** A folder with the programs of Python packages (`name==version`), installed once on this machine. */
export function installPrograms(packages: readonly string[]): string {
  const folder = join(cacheFolder(), packages.join('-').replaceAll('==', '-'))
  const mark = join(folder, 'complete')
  if (!existsSync(mark)) {
    try {
      execFileSync('python3', ['-m', 'venv', '--clear', folder], { stdio: ['ignore', 2, 2] })
    } catch (cause) {
      const sentence = 'python3 with its module venv is missing; install it (python3-venv in Debian).'
      throw new Error(sentence, { cause })
    }
    const pip = ['install', '--quiet', '--disable-pip-version-check', ...packages]
    execFileSync(join(folder, 'bin', 'pip'), pip, { stdio: ['ignore', 2, 2] })
    writeFileSync(mark, '')
  }
  return join(folder, 'bin')
}
