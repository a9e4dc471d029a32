/**
 * Compares the speed of the native engine with the JavaScript engine, with bare revm in Rust, and with @ethereumjs/evm and
 * its own loop, which the JavaScript engine replaces (ADR 7). All run the same programs until their gas is used up.
 *
 *   npm run bench -- engine [--only keccak --gas 1000000]
 *
 * Every engine is warmed up and does the same work, which takes the JavaScript engines seconds; --gas sets the amount.
 * Figures are Mgas per CPU second of the running thread, the best of several runs; other work on the machine affects them
 * less than wall time.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createCustomCommon, Mainnet } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import { BLOCK, bytes, CONTRACT, rulesOf, SENDER, stateOf, transaction } from '#evm/engine.fixture.ts'
import { type Engine, NO_WAIVERS } from '#evm/engine.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { createNativeEngine } from '#evm/engine-native.ts'
import { decodeOutcome } from '#evm/outcome.ts'
import { threadCpuMs } from './cpu-seconds.ts'
import { PROGRAMS, type Program } from './engine-programs.ts'

const BLOCK_GAS = 30_000_000
/** Native and bare take turns, so a temporarily slow machine affects both. */
const TURNS = 3
const RUNS = 2
/** A thread's clock has steps of 4 ms. */
const MIN_SAMPLE_MS = 100
/** Warm-up time of every engine. */
const WARM_UP_MS = 300
const WIDTH = 11
const GOAL_OF_BARE = 0.9
const GOAL_OF_JS = 30
const GOAL_BLOCK_SECONDS = 1
const RULES = {
  london: rulesOf({ londonBlock: 0 }),
  prague: rulesOf({ pragueTime: 0 }),
  osaka: rulesOf({ osakaTime: 0 }),
}
const REVM_FORKS = { london: 'London', prague: 'Prague', osaka: 'Osaka' }

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, gas: { type: 'string', default: String(BLOCK_GAS) } },
})
/** The gas of one run, in every engine. */
const runGas = Number(values.gas)
const programs = PROGRAMS.filter(({ name }) => name.includes(values.only))
const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-engine-'))

try {
  process.exitCode = await main()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function main(): Promise<number> {
  const native = createNativeEngine()
  if (!native.ok) throw new Error(`${native.sentence} Run npm run build:native.`)
  const js = await createJsEngine()
  const bareProgram = buildBare()
  const misses: string[] = []
  const columns = ['native', 'bare', 'of bare', 'js', 'times js', 'library', 'times it', '30 Mgas, s']
  console.log('Mgas/s'.padEnd(28) + columns.map((column) => column.padStart(WIDTH)).join(''))
  for (const program of programs) {
    const run = engineRun(native.engine, program, runGas)
    let [rate, bare] = [0, 0]
    for (let turn = 0; turn < TURNS; turn++) {
      bare = Math.max(bare, runBare(bareProgram, program))
      rate = Math.max(rate, await best(RUNS, run))
    }
    const jsRate = program.group === 'worst' ? undefined : await best(RUNS, engineRun(js, program, runGas))
    const library =
      program.group === 'compute' ? await best(RUNS, await libraryRun(program, runGas)) : undefined
    const seconds = BLOCK_GAS / rate / 1e6
    const times = (other: number | undefined) => other && rate / other
    const cells = [rate, bare, rate / bare, jsRate, times(jsRate), library, times(library), seconds]
    console.log(program.name.padEnd(28) + cells.map(format).join(''))
    if (program.group === 'compute' && rate < GOAL_OF_BARE * bare) misses.push(`${program.name}: of bare`)
    if (program.group === 'compute' && rate < GOAL_OF_JS * jsRate!) misses.push(`${program.name}: times js`)
    if (seconds > GOAL_BLOCK_SECONDS) misses.push(`${program.name}: ${seconds.toFixed(2)} s`)
  }
  console.log(misses.length === 0 ? 'Every goal is met.' : `Goals missed: ${misses.join('; ')}.`)
  return misses.length === 0 ? 0 : 1
}

/** The path of the compiled native/benches/bare.rs. */
function buildBare(): string {
  const script = join(import.meta.dirname, '../scripts/build-native.ts')
  return execFileSync('node', [script, '--bench'], { encoding: 'utf8' }).trim()
}

/** Gas per microsecond. */
function runBare(bareProgram: string, { name, fork, code, input }: Program): number {
  const file = join(folder, 'program')
  writeFileSync(file, [name, REVM_FORKS[fork], code, input].join('|'))
  const output = execFileSync(bareProgram, [file, String(runGas), String(RUNS)], { encoding: 'utf8' })
  return Number(output.trim().split('|').at(-1))
}

/** Runs a program until its gas is used up, and returns the amount. */
type Run = () => Promise<number>

function engineRun(engine: Engine, program: Program, gas: number): Run {
  const state = stateOf({
    [SENDER]: { balance: 10n ** 30n },
    [CONTRACT]: { code: program.code, balance: 1n },
  })
  const call = transaction({ to: CONTRACT, gasLimit: BigInt(gas), data: bytes(program.input) })
  const waivers = { ...NO_WAIVERS, gasLimit: true }
  return async () => {
    using session = engine.open(BLOCK, RULES[program.fork], state, { waivers })
    const { outcomes } = await session.run([call])
    const { gasUsed } = decodeOutcome(outcomes[0]!)
    if (gasUsed !== BigInt(gas)) throw new Error(`${program.name} ended before its gas did, at ${gasUsed}.`)
    return gas
  }
}

async function libraryRun({ name, fork, code }: Program, gas: number): Promise<Run> {
  const common = createCustomCommon({ chainId: 1 }, Mainnet, { hardfork: fork })
  const evm = await createEVM({ common })
  return async () => {
    const { executionGasUsed } = await evm.runCode({ code: bytes(code), gasLimit: BigInt(gas) })
    if (executionGasUsed !== BigInt(gas)) {
      throw new Error(`${name} ended before its gas did, at ${executionGasUsed}.`)
    }
    return gas
  }
}

/** Gas per microsecond in the best of several samples, after the warm-up. */
async function best(samples: number, run: Run): Promise<number> {
  const cold = threadCpuMs()
  while (threadCpuMs() - cold < WARM_UP_MS) await run()
  let rate = 0
  for (let sample = 0; sample < samples; sample++) {
    const begun = threadCpuMs()
    let [gas, spent] = [0, 0]
    while (spent < MIN_SAMPLE_MS) {
      gas += await run()
      spent = threadCpuMs() - begun
    }
    rate = Math.max(rate, gas / spent / 1000)
  }
  return rate
}

function format(figure: number | undefined): string {
  return (figure === undefined ? '-' : figure.toFixed(figure < 10 ? 2 : 0)).padStart(WIDTH)
}
