/**
 * Both engines behind one engine contract. Both run every request with a trace, and the run throws if their events are
 * not the same bytes. So everything that plays on an engine compares traces too.
 */
import type { Engine, EngineSession, EngineTransaction } from '#evm/engine.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { createNativeEngine } from '#evm/engine-native.ts'
import { NO_WANTS, type TraceWants, WANT } from '#evm/trace/events.ts'
import { describeChanges } from '../../adversarial/fuzz-engines/play.ts'
import { differenceOf } from './difference.ts'
import { EventTape } from './event-tape.ts'

const NAMES = Object.keys(WANT) as (keyof TraceWants)[]
const EVERYTHING = wantsOf(() => true)

export interface Comparison {
  readonly engine: Engine
  readonly counts: { transactions: number; bytes: number; known: number }
}

export async function createComparingEngine(): Promise<Comparison> {
  const native = createNativeEngine(process.env.CAIRN_NATIVE_ADDON)
  if (!native.ok) throw new Error(`The native engine did not load. ${native.sentence}`)
  const js = await createJsEngine()
  const counts = { transactions: 0, bytes: 0, known: 0 }
  const engine: Engine = {
    name: 'native',
    open: (...parts) => compare(js.open(...parts), native.engine.open(...parts), counts),
  }
  return { engine, counts }
}

function compare(js: EngineSession, native: EngineSession, counts: Comparison['counts']): EngineSession {
  return {
    get gasUsed() {
      return native.gasUsed
    },
    get blobGasUsed() {
      return native.blobGasUsed
    },
    run: async (transactions) => {
      const wants = chooseWants(counts.transactions)
      const [a, b] = [new EventTape(), new EventTape()]
      await js.run(transactions, { wants, onEvents: (chunk) => a.add(chunk) })
      const result = await native.run(transactions, { wants, onEvents: (chunk) => b.add(chunk) })
      counts.transactions += transactions.length
      counts.bytes += b.length
      if (!a.equals(b)) counts.known += judge(a, b, wants, transactions)
      return result
    },
    systemCall: async (to, input) => {
      await js.systemCall(to, input)
      return await native.systemCall(to, input)
    },
    credit: (address, wei) => {
      js.credit(address, wei)
      native.credit(address, wei)
    },
    sweep: (from, to) => {
      js.sweep(from, to)
      native.sweep(from, to)
    },
    hasCode: (address) => native.hasCode(address),
    checkpoint: () => {
      js.checkpoint()
      return native.checkpoint()
    },
    revert: (checkpoint) => {
      js.revert(checkpoint)
      native.revert(checkpoint)
    },
    changes: () => native.changes(),
    finish: () => {
      const changes = native.finish()
      const [a, b] = [changes, js.finish()].map((bytes) => describeChanges(bytes).join('\n'))
      if (a !== b) throw new Error('Traced, the engines changed different state.')
      return changes
    },
    [Symbol.dispose]: () => {
      native[Symbol.dispose]()
      js[Symbol.dispose]()
    },
  }
}

/** 1 for differences that are explained; throws at others. */
function judge(
  js: EventTape,
  native: EventTape,
  wants: TraceWants,
  transactions: readonly EngineTransaction[],
): number {
  const difference = differenceOf(js, native)
  if (difference === undefined) return 1
  const asked = NAMES.filter((name) => wants[name]).join(' ')
  throw new Error(`traces of ${transactions.length} transactions (${asked}) differ\n${difference}`)
}

/** Everything every other time; else one or another part of it. */
function chooseWants(turn: number): TraceWants {
  if (turn % 2 === 0) return EVERYTHING
  const bits = Math.imul(turn, 0x9e3779b1) >>> 8
  return wantsOf((_, place) => ((bits >> place) & 1) === 1)
}

function wantsOf(isWanted: (name: string, place: number) => boolean): TraceWants {
  const wanted = NAMES.map((name, place) => [name, isWanted(name, place)] as const)
  return { ...NO_WANTS, ...Object.fromEntries(wanted) }
}
