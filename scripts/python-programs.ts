import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { installOnce } from './install-once.ts'

/** A folder with the programs of Python packages (`name==version`), installed once on this machine. */
export function installPrograms(packages: readonly string[]): string {
  const folder = installOnce(packages.join('-').replaceAll('==', '-'), (empty) => {
    try {
      execFileSync('python3', ['-m', 'venv', '--clear', empty], { stdio: ['ignore', 2, 2] })
    } catch (cause) {
      const sentence = 'python3 with its module venv is missing; install it (python3-venv in Debian).'
      throw new Error(sentence, { cause })
    }
    const pip = ['install', '--quiet', '--disable-pip-version-check', ...packages]
    execFileSync(join(empty, 'bin', 'pip'), pip, { stdio: ['ignore', 2, 2] })
  })
  return join(folder, 'bin')
}
