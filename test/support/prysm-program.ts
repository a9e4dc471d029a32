/** Prysm's programs from Go's module proxy, built once on this machine and kept in a cache folder outside the checkout. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cacheFolder } from '../../scripts/build-native.ts'
import { findGo } from './go-program.ts'

const MODULE = 'github.com/OffchainLabs/prysm/v7'
const VERSION = 'v7.0.0'
const PROGRAMS = ['beacon-chain', 'validator', 'prysmctl'] as const

export type PrysmPrograms = Readonly<Record<(typeof PROGRAMS)[number], string>>

/** Undefined if Go is missing. `CAIRN_PRYSM` names a folder with the programs. */
export function findPrysm(): PrysmPrograms | undefined {
  const folder = process.env.CAIRN_PRYSM || join(cacheFolder(), `prysm-${VERSION}`)
  const paths = PROGRAMS.map((name) => join(folder, name))
  if (!paths.every(existsSync)) {
    const go = findGo()
    if (go === undefined) return undefined
    build(go, folder)
  }
  return Object.fromEntries(PROGRAMS.map((name, index) => [name, paths[index]])) as PrysmPrograms
}

/** `go install` refuses a module with replacements, so a copy of its source is built. */
function build(go: string, folder: string): void {
  console.log(`Building Prysm ${VERSION}, once on this machine: about eight minutes.`)
  const download = execFileSync(go, ['mod', 'download', '-json', `${MODULE}@${VERSION}`], {
    encoding: 'utf8',
    cwd: tmpdir(),
  })
  const { Dir } = JSON.parse(download) as { readonly Dir: string }
  const source = join(folder, 'source')
  cpSync(Dir, source, { recursive: true })
  execFileSync('chmod', ['-R', 'u+w', source])
  const packages = PROGRAMS.map((name) => `./cmd/${name}`)
  execFileSync(go, ['build', '-o', `${folder}/`, ...packages], { cwd: source, stdio: 'inherit' })
  rmSync(source, { recursive: true })
}
