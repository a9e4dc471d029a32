/** The mutants of an area, all in one copy of its files, each behind a switch. Stryker's instrumenter creates them. */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { installOnce } from '../../../scripts/install-once.ts'
import type { Area } from './areas.ts'

const STRYKER = '10.1.1'
/** Texts for people are not mutated: the important ones have their own tests. */
const EXCLUDED = ['StringLiteral']

export interface Mutant {
  readonly id: string
  readonly fileName: string
  readonly mutatorName: string
  readonly replacement: string
  /** `Ignored` means that it was not created. */
  readonly status?: string
  /** Zero-based. */
  readonly location: { readonly start: { readonly line: number; readonly column: number } }
}

interface Source {
  readonly name: string
  readonly content: string
  readonly mutate: true
}

interface InstrumenterModule {
  readonly Instrumenter: new (
    logger: object,
  ) => {
    instrument(
      files: readonly Source[],
      options: object,
    ): Promise<{ readonly files: readonly Source[]; readonly mutants: readonly Mutant[] }>
  }
}

/** Works in a copy of the checkout. */
export async function instrument({ files }: Area, folder: string): Promise<readonly Mutant[]> {
  const { Instrumenter } = await loadInstrumenter()
  const names = globSync([...files], { cwd: folder }).filter((name) => !/\.(test|fixture)\.ts$/.test(name))
  const sources = names
    .toSorted()
    .map((name): Source => ({ name, content: readFileSync(join(folder, name), 'utf8'), mutate: true }))
  const silent = { debug() {}, info() {}, warn() {}, isDebugEnabled: () => false }
  const options = { plugins: null, ignorers: [], excludedMutations: EXCLUDED }
  const instrumented = await new Instrumenter(silent).instrument(sources, options)
  for (const { name, content } of instrumented.files) writeFileSync(join(folder, name), content)
  return instrumented.mutants.filter(({ status }) => status !== 'Ignored')
}

function loadInstrumenter(): Promise<InstrumenterModule> {
  const name = '@stryker-mutator/instrumenter'
  const folder = installOnce(`stryker-instrumenter-${STRYKER}`, (empty) => {
    const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', `${name}@${STRYKER}`]
    execFileSync('npm', ['--prefix', empty, ...args], { stdio: ['ignore', 2, 2] })
  })
  return import(pathToFileURL(join(folder, 'node_modules', name, 'dist', 'src', 'index.js')).href)
}
