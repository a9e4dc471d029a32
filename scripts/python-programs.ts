import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installOnce } from './install-once.ts'

/** `name==version`, and the SHA-256 of its files for the systems on which it is used. */
export interface PinnedPackage {
  readonly requirement: string
  readonly sha256: readonly string[]
}

/** Programs with known bytes: pip installs no other file and nothing that is not listed. */
export function installPinned(packages: readonly PinnedPackage[]): string {
  const lines = packages.map(
    ({ requirement, sha256 }) =>
      `${requirement} ${sha256.map((hash) => `--hash=sha256:${hash}`).join(' ')}\n`,
  )
  const names = packages.map(({ requirement }) => requirement)
  return install(names, (folder) => {
    const file = join(folder, 'requirements.txt')
    writeFileSync(file, lines.join(''))
    return ['--require-hashes', '--only-binary=:all:', '--requirement', file]
  })
}

/** A folder with the programs of Python packages (`name==version`) for tests, installed once on this machine. */
export function installPrograms(packages: readonly string[]): string {
  return install(packages, () => packages)
}

function install(packages: readonly string[], wantedIn: (folder: string) => readonly string[]): string {
  const folder = installOnce(packages.join('-').replaceAll('==', '-'), (empty) => {
    try {
      execFileSync('python3', ['-m', 'venv', '--clear', empty], { stdio: ['ignore', 2, 2] })
    } catch (cause) {
      const sentence = 'python3 with its module venv is missing; install it (python3-venv in Debian).'
      throw new Error(sentence, { cause })
    }
    const pip = ['install', '--quiet', '--disable-pip-version-check', ...wantedIn(empty)]
    execFileSync(join(empty, 'bin', 'pip'), pip, { stdio: ['ignore', 2, 2] })
  })
  return join(folder, 'bin')
}
