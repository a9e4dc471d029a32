/**
 *   npm run mutate -- <area> [<area> …]
 *
 * Mutation testing with Stryker: every condition, operator and call of an area's files is changed in turn, and the tests
 * of the area must fail. Prints the survivors and the score, and writes no file into the checkout. For nights and changes of
 * what it covers: an area takes minutes to half an hour.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { installOnce } from '../../scripts/install-once.ts'
import { AREAS } from './areas.ts'

const STRYKER = '10.1.1'
const CHECKOUT = join(import.meta.dirname, '..', '..')

function strykerProgram(): string {
  const folder = installOnce(`stryker-${STRYKER}`, (empty) => {
    const args = [
      'install',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      `@stryker-mutator/core@${STRYKER}`,
    ]
    execFileSync('npm', ['--prefix', empty, ...args], { stdio: ['ignore', 2, 2] })
  })
  return join(folder, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js')
}

interface Mutant {
  readonly status: string
  readonly mutatorName: string
  readonly replacement?: string
  readonly location: { readonly start: { readonly line: number } }
}

type Report = { readonly files: Readonly<Record<string, { readonly mutants: readonly Mutant[] }>> }

/** Texts for people are not judged here: they have tests where somebody relies on them. */
const EXCLUDED = ['StringLiteral']

function runArea(name: string, folder: string): Report {
  const { files, tests } = AREAS[name]!
  const report = join(folder, `${name}.json`)
  const config = {
    testRunner: 'command',
    commandRunner: { command: `node --test --test-isolation=none ${tests.join(' ')}` },
    mutate: files,
    mutator: { excludedMutations: EXCLUDED },
    reporters: ['progress-append-only', 'json'],
    jsonReporter: { fileName: report },
    tempDirName: join(folder, 'sandbox'),
    // The compiler of this checkout has no interface that Stryker could read the file with.
    tsconfigFile: 'none.json',
    concurrency: availableParallelism(),
  }
  const configFile = join(folder, `${name}.config.json`)
  writeFileSync(configFile, JSON.stringify(config))
  const { status } = spawnSync(process.execPath, [strykerProgram(), 'run', configFile], {
    cwd: CHECKOUT,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) throw new Error(`Stryker ended with ${status} in the area ${name}.`)
  return JSON.parse(readFileSync(report, 'utf8'))
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const names = process.argv.slice(2)
const unknown = names.find((name) => AREAS[name] === undefined)
if (names.length === 0 || unknown !== undefined) {
  throw new Error(`Name areas: ${Object.keys(AREAS).join(', ')}.`)
}
const folder = mkdtempSync(join(tmpdir(), 'cairn-mutation-'))
try {
  for (const name of names) {
    const mutants = Object.entries(runArea(name, folder).files).flatMap(([file, { mutants }]) =>
      mutants.map((mutant) => ({ file, ...mutant })),
    )
    const survivors = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    for (const { file, location, mutatorName, replacement } of survivors) {
      say(
        `${file}:${location.start.line} ${mutatorName}: ${(replacement ?? '').replaceAll(/\s+/g, ' ').slice(0, 120)}`,
      )
    }
    const score = (100 * (1 - survivors.length / mutants.length)).toFixed(1)
    say(`${name}: ${mutants.length} mutants, ${survivors.length} survived, score ${score}`)
  }
} finally {
  rmSync(folder, { recursive: true })
}
