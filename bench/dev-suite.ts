/*
 * Measures a suite of 200 tests of a token and a vault, with a fixture that each test restores from a snapshot: on Cairn
 * embedded, and on Hardhat in-process, ganache in-process and anvil, as far as they run on this machine.
 *
 *   npm run bench -- dev-suite [--rounds 3] [--tests 200] [--targets cairn,hardhat] [--methods] [--judge]
 *
 * Every program runs the same tests through an EIP-1193 `request`, in a new process each time; the programs take turns.
 * The target `cairn-threads` is Cairn with a server and a writer thread. `--methods` prints the mean time from a request to its
 * answer, by method. `--judge` fails if Cairn's median is slower than ganache's, or below 0.7 of Hardhat's speed; for an idle
 * machine.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compileSolidity } from '../test/support/compile-solidity.ts'
import { percentile } from '../test/support/rpc-client.ts'
import { buildPackage } from './build-package.ts'
import { runOnTarget, type SuiteRun } from './dev-target-run.ts'
import { devTargetEntries } from './dev-targets.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    tests: { type: 'string', default: '200' },
    targets: { type: 'string', default: 'cairn,hardhat,ganache,anvil' },
    methods: { type: 'boolean', default: false },
    judge: { type: 'boolean', default: false },
  },
})

/** Cairn's minimum speed, as a multiple of another program's. */
const LEAST: Readonly<Record<string, number>> = { ganache: 1, hardhat: 0.7 }

const place = mkdtempSync(join(tmpdir(), 'cairn-dev-suite-'))
try {
  buildPackage(place)
  const { Token, Vault } = compileSolidity(join(import.meta.dirname, 'contracts', 'Vault.sol'))
  const suite = { contracts: { Token: Token!, Vault: Vault! }, tests: Number(values.tests) }
  const wanted = new Set(values.targets.split(','))
  const targets = Object.entries(devTargetEntries(place)).filter(([name]) => wanted.has(name))
  const runs = new Map<string, SuiteRun[]>(targets.map(([target]) => [target, []]))
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [target, entry] of targets) {
      try {
        const run = await runOnTarget({ target, entry, starts: 1, suite })
        runs.get(target)!.push(run.suite!)
      } catch (error) {
        // On a busy machine anvil estimates gas before the last block is there, or mines too late.
        if (target !== 'anvil') throw error
        console.log('anvil: a round failed and does not count')
      }
    }
  }
  report(runs)
} finally {
  rmSync(place, { recursive: true, force: true })
}

function report(runs: ReadonlyMap<string, readonly SuiteRun[]>): void {
  const median = (target: string, of: (run: SuiteRun) => number): number =>
    percentile((runs.get(target) ?? []).map(of), 50)
  const cairnMs = median('cairn', ({ ms }) => ms)
  for (const [target, [first]] of runs) {
    if (first === undefined) continue
    const ms = median(target, (run) => run.ms)
    const perTest = `${(ms / first.tests).toFixed(2)} ms each, ${(median(target, ({ cpuMs }) => cpuMs) / first.tests).toFixed(2)} ms of CPU`
    const speed = ms / cairnMs
    console.log(
      `${target}: ${first.tests} tests in ${(ms / 1_000).toFixed(2)} s (${perTest}); Cairn has ${speed.toFixed(2)} of its speed`,
    )
    if (values.methods) for (const line of methodLines(runs.get(target)!)) console.log(line)
    const least = LEAST[target]
    if (!values.judge || least === undefined || speed >= least) continue
    console.log(`FAILED: Cairn has less than ${least} of ${target}'s speed`)
    process.exitCode = 1
  }
}

/** The median of the rounds, by method. */
function methodLines(runs: readonly SuiteRun[]): string[] {
  return Object.entries(runs[0]!.methods).map(([method, { requests }]) => {
    const meanMs = percentile(
      runs.map(({ methods }) => methods[method]!.ms / methods[method]!.requests),
      50,
    )
    return `  ${method}: ${requests} requests, ${meanMs.toFixed(3)} ms each`
  })
}
