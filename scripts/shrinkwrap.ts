/**
 * The package's pinned dependencies. npm installs a package's direct dependencies as its manifest says, and the newest
 * versions below them, unless npm-shrinkwrap.json in the package pins them: this is the checkout's lockfile without
 * development dependencies. It is in the checkout only while it is packed (`prepack`, `postpack`), because npm would
 * prefer it there.
 *
 *   node scripts/shrinkwrap.ts write | remove
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface LockedPackage {
  readonly version: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly devDependencies?: unknown
  /** True for a folder of the checkout that stands for the package. */
  readonly link?: boolean
  readonly resolved?: string
}

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

export const SHRINKWRAP = 'npm-shrinkwrap.json'

const root = join(import.meta.dirname, '..')

/** Every package below the program, with its version and the hash of its tarball. */
export function shrinkwrapOf(lockfile: Lockfile): Lockfile {
  const packages: Record<string, LockedPackage> = {}
  for (const [place, entry] of Object.entries(lockfile.packages)) {
    if (entry.dev || entry.devOptional || (entry.link && lockfile.packages[entry.resolved!]?.dev)) continue
    const { devDependencies, ...kept } = entry
    if (place !== '' && kept.integrity === undefined)
      throw new Error(`package-lock.json has no integrity of ${place}; run npm install.`)
    packages[place] = kept
  }
  return { ...lockfile, packages }
}

export function readLockfile(): Lockfile {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
}

if (import.meta.main) {
  const file = join(root, SHRINKWRAP)
  if (process.argv[2] === 'remove') rmSync(file, { force: true })
  else writeFileSync(file, `${JSON.stringify(shrinkwrapOf(readLockfile()), null, 2)}\n`)
}
