/**
 * Measures the cost of trace events: the same transactions without events and with each kind of event, as a factor of the
 * plain run, and the size of the events. A second figure includes the reader, which keeps stack and memory of every step.
 *
 *   node bench/trace-events.ts [--engine js] [--runs 5]
 *
 * The figures are the thread's CPU time, the best of several runs.
 */
import { parseArgs } from 'node:util'
import { BLOCK, bytes, CONTRACT, rulesOf, SENDER, stateOf, transaction } from '#evm/engine.fixture.ts'
import type { Engine, EngineTransaction } from '#evm/engine.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { createNativeEngine } from '#evm/engine-native.ts'
import type { ExecutionError } from '#evm/execution-error.ts'
import { decodeOutcome } from '#evm/outcome.ts'
import { TraceEventReader } from '#evm/trace/event-reader.ts'
import { NO_WANTS, type TraceWants } from '#evm/trace/events.ts'
import type { Address } from '#types/address.ts'
import { formatDigits } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { threadCpuMs } from './cpu-seconds.ts'
import { ERC20_CODE } from './erc20-code.ts'

const { values } = parseArgs({
  options: { engine: { type: 'string', default: 'native' }, runs: { type: 'string', default: '5' } },
})

const RULES = rulesOf({ shanghaiTime: 0 })
const TRANSFERS = 200
/** Repetitions of short runs, because the clock of a thread is coarse. */
const REPEATS = values.engine === 'js' ? 1 : 30
const LOOP_GAS = values.engine === 'js' ? 1_000_000n : 10_000_000n
const digitsOf = (address: Address): string => address.slice(2).padStart(64, '0')
const BALANCE_SLOT = formatDigits(keccak256(bytes(digitsOf(SENDER) + '00'.repeat(32))))

const ASKED: readonly (readonly [string, Partial<TraceWants>])[] = [
  ['frames', {}],
  ['calls', { calls: true }],
  ['changes', { changes: true }],
  ['touched', { touched: true }],
  ['steps', { steps: true }],
  ['steps, stack', { steps: true, stack: true }],
  ['steps, stack, memory, storage', { steps: true, stack: true, memory: true, storage: true }],
  [
    'everything',
    Object.fromEntries(Object.keys(NO_WANTS).map((name) => [name, true])) as Partial<TraceWants>,
  ],
]

interface Workload {
  readonly name: string
  readonly code: string
  readonly ending: ExecutionError
  readonly repeats: number
  readonly transactions: readonly EngineTransaction[]
}

const WORKLOADS: readonly Workload[] = [
  {
    name: `${TRANSFERS} ERC-20 transfers`,
    code: ERC20_CODE,
    ending: 'none',
    repeats: REPEATS,
    transactions: Array.from({ length: TRANSFERS }, (_, nonce) => {
      const to = (nonce + 1).toString(16).padStart(64, '0')
      const data = bytes(`a9059cbb${to}${'1'.padStart(64, '0')}`)
      return transaction({ to: CONTRACT, data, nonce: BigInt(nonce), gasLimit: 100_000n })
    }),
  },
  {
    name: `a loop of arithmetic, ${LOOP_GAS} gas`,
    code: '60015b600302600501600790046001900360ff1661000256',
    ending: 'outOfGas',
    repeats: 1,
    transactions: [transaction({ to: CONTRACT, gasLimit: LOOP_GAS })],
  },
]

async function main(): Promise<void> {
  const engine = await chosenEngine()
  for (const workload of WORKLOADS) {
    await warmUp(engine, workload)
    const plain = await best(engine, workload, undefined)
    const steps = await countSteps(engine, workload)
    console.log(
      `\n${workload.name} on ${engine.name}: ${(plain.us / 1000).toFixed(2)} ms plain, ${steps} steps`,
    )
    console.log(`${''.padEnd(32)} factor  bytes/step  ns/step  with reader  ns/step`)
    for (const [name, asked] of ASKED) {
      const wants = { ...NO_WANTS, ...asked }
      const written = await best(engine, workload, { wants, isRead: false })
      const read = await best(engine, workload, { wants, isRead: true })
      const perStep = (us: number) => (((us - plain.us) * 1000) / steps).toFixed(1)
      console.log(
        [
          name.padEnd(32),
          (written.us / plain.us).toFixed(2).padStart(7),
          (written.bytes / steps).toFixed(1).padStart(11),
          perStep(written.us).padStart(8),
          (read.us / plain.us).toFixed(2).padStart(12),
          perStep(read.us).padStart(8),
        ].join(' '),
      )
    }
  }
}

async function chosenEngine(): Promise<Engine> {
  if (values.engine === 'js') return await createJsEngine()
  const native = createNativeEngine(process.env.CAIRN_NATIVE_ADDON)
  if (!native.ok) throw new Error(`${native.sentence} Run npm run build:native.`)
  return native.engine
}

interface Asked {
  readonly wants: TraceWants
  readonly isRead: boolean
}

async function best(engine: Engine, workload: Workload, asked: Asked | undefined) {
  let us = Number.POSITIVE_INFINITY
  let length = 0
  for (let run = 0; run < Number(values.runs); run++) {
    const sessions = Array.from({ length: workload.repeats }, () => open(engine, workload))
    const reader = new TraceEventReader({ step: () => {}, stepped: () => {} })
    length = 0
    const onEvents = (chunk: Uint8Array): void => {
      length += chunk.length
      if (asked?.isRead) reader.read(chunk)
    }
    const begun = threadCpuMs()
    const request = asked === undefined ? undefined : { wants: asked.wants, onEvents }
    for (const session of sessions) await session.run(workload.transactions, request)
    us = Math.min(us, (threadCpuMs() - begun) * 1000)
  }
  return { us: us / workload.repeats, bytes: length / workload.repeats }
}

/** And makes sure that it is what it says. */
async function warmUp(engine: Engine, workload: Workload): Promise<void> {
  const { outcomes } = await open(engine, workload).run(workload.transactions)
  const errors = new Set(outcomes.map((outcome) => decodeOutcome(outcome).error))
  if (!errors.has(workload.ending) || errors.size !== 1) throw new Error(`${workload.name}: ${[...errors]}`)
  await best(engine, workload, { wants: { ...NO_WANTS, steps: true, stack: true }, isRead: true })
}

async function countSteps(engine: Engine, workload: Workload): Promise<number> {
  let steps = 0
  const reader = new TraceEventReader({
    step: () => {
      steps++
    },
  })
  const wants = { ...NO_WANTS, steps: true }
  await open(engine, workload).run(workload.transactions, { wants, onEvents: (chunk) => reader.read(chunk) })
  return steps
}

function open(engine: Engine, { code }: Workload) {
  const storage = { [BALANCE_SLOT]: 'ffff'.padStart(64, '0') }
  const accounts = { [SENDER]: { balance: 10n ** 30n }, [CONTRACT]: { code, storage } }
  return engine.open({ ...BLOCK, gasLimit: 10n ** 9n }, RULES, stateOf(accounts), { callTree: false })
}

await main()
