import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installOnce } from '../../scripts/install-once.ts'

/** Installs packages (`name@version`) once on this machine, outside any checkout; returns the folder. */
export function installNpmPackages(folderName: string, packages: readonly string[]): string {
  return installOnce(folderName, (empty) => {
    writeFileSync(join(empty, 'package.json'), '{"type":"module","private":true}')
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    execFileSync('npm', ['--prefix', empty, 'install', ...quiet, ...packages], { stdio: ['ignore', 2, 2] })
  })
}
