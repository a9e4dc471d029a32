/**
 * Traces random transactions with Cairn and with anvil: call trees, state changes and steps must be equal.
 *
 *   npm run nightly -- trace-anvil [--count 500] [--seed 1] [--iteration n] [--seconds s]
 *
 * `--count` is a number of transactions; `--seconds` limits the time. Iterations are independent worlds: the seed and the
 * iteration of a finding repeat it. normalise.ts lists the explained differences.
 */
import { parseArgs } from 'node:util'
import type { Hash } from '#types/hash.ts'
import { findAnvil } from '../../support/anvil.ts'
import { Random } from '../../support/random.ts'
import { type BlockHashes, type ChainPair, openPair } from './chain-pair.ts'
import { COMPARISONS, REPLAYED } from './comparisons.ts'
import { type Difference, firstDifference, type MayDiffer } from './difference.ts'
import {
  type Facts,
  isLast,
  isOtherReason,
  isUntoldSlot,
  type Json,
  type Rule,
  slotText,
  withOurBlockHashes,
} from './normalise.ts'

const BLOCKS_EACH = 16
const MAX_FINDINGS = 10
const UNTOLD_SLOT = 'access list slots that anvil omits (explained)'
const OTHER_REASON = 'errors with another of several reasons (explained)'
const STORAGE = new Set(['SLOAD', 'SSTORE'])
const SHOWN_CHARACTERS = 200

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    iteration: { type: 'string' },
    seconds: { type: 'string', default: '3600' },
  },
})

const PARTED = 'worlds that ended early: anvil gave too much gas back for an authority'
const tally = new Map<string, number>()
const count = (name: string): void => void tally.set(name, (tally.get(name) ?? 0) + 1)
let findings = 0

async function main(): Promise<number> {
  const program = findAnvil()
  if (program === undefined) {
    if (process.env.CI === 'true') throw new Error('anvil is missing; npm install brings @foundry-rs/anvil.')
    console.log('SKIPPED: anvil is not installed for this machine.')
    return 0
  }
  console.log(`seed ${values.seed}`)
  const end = performance.now() + Number(values.seconds) * 1_000
  let transactions = 0
  let iteration = Number(values.iteration ?? 0)
  do {
    transactions += await playWorld(program, iteration++, end)
  } while (
    values.iteration === undefined &&
    transactions < Number(values.count) &&
    findings < MAX_FINDINGS &&
    performance.now() < end
  )
  console.log(`${transactions} transactions in ${iteration - Number(values.iteration ?? 0)} worlds`)
  for (const [name, times] of tally) console.log(`  ${times} ${name}`)
  console.log(findings === 0 ? 'No difference.' : `${findings} differences.`)
  return findings === 0 && transactions > 0 ? 0 : 1
}

/** Returns the number of transactions. */
async function playWorld(program: string, iteration: number, end: number): Promise<number> {
  const pair = await openPair(program, new Random(Number(values.seed), iteration))
  let transactions = 0
  try {
    for (let block = 1; block <= BLOCKS_EACH && performance.now() < end; block++) {
      const hashes = await pair.extend()
      if (hashes === undefined) {
        count(PARTED)
        break
      }
      transactions += hashes.length
      await compareBlock(pair, `--seed ${values.seed} --iteration ${iteration}`, block, hashes)
    }
  } finally {
    pair.stop()
  }
  return transactions
}

async function compareBlock(
  pair: ChainPair,
  repeat: string,
  block: number,
  hashes: readonly Hash[],
): Promise<void> {
  const number = `0x${block.toString(16)}`
  const replays = await Promise.all(
    [pair.ask, pair.anvil.ask].map((ask) =>
      ask<Json[]>('trace_replayBlockTransactions', number, ['trace', 'stateDiff']),
    ),
  )
  for (const [index, hash] of hashes.entries()) {
    const facts = await factsOf(pair, hash)
    const report = (name: string, difference: Difference | undefined): void => {
      count(name)
      if (difference === undefined) return
      findings++
      const { path, ours, theirs } = difference
      console.log(
        `\nDIFFERENCE ${repeat}, ${name}, block ${block}, ${hash}\n  ${path.slice(-SHOWN_CHARACTERS)}`,
      )
      console.log(`  ours  ${shown(ours)}\n  anvil ${shown(theirs)}`)
    }
    for (const { name, method, options, rules } of COMPARISONS) {
      const answers = [pair.ask(method, hash, ...options), pair.anvil.ask(method, hash, ...options)]
      report(name, differenceAfter(rules, facts, await Promise.all(answers), pair.blockHashes))
    }
    for (const { name, pick, rules } of REPLAYED) {
      report(
        name,
        differenceAfter(
          rules,
          facts,
          replays.map((all) => pick(all[index])),
          pair.blockHashes,
        ),
      )
    }
  }
}

async function factsOf({ anvil: { ask } }: ChainPair, hash: Hash): Promise<Facts> {
  const { gasUsed } = await ask<{ gasUsed: string }>('eth_getTransactionReceipt', hash)
  const { gas } = await ask<{ gas: string }>('eth_getTransactionByHash', hash)
  const { structLogs } = await ask<{ structLogs: Json[] }>('debug_traceTransaction', hash)
  const failed = structLogs.filter(({ op }, index) => STORAGE.has(op) && isLast(structLogs, index))
  const slots = failed.map(({ stack }) => slotText(stack.at(-1)))
  return { gasUsed, gasLimit: gas, unpaidSlots: new Set(slots) }
}

function differenceAfter(
  rules: readonly Rule[],
  facts: Facts,
  answers: readonly Json[],
  hashes: readonly BlockHashes[],
): Difference | undefined {
  const comparable = [answers[0], withOurBlockHashes(answers[1], hashes)]
  const [ours, theirs] = comparable.map((answer, index) =>
    rules.reduce((made, rule) => rule(made, index === 0 ? 'ours' : 'anvil', facts), answer),
  )
  return firstDifference(ours, theirs, mayDiffer)
}

/** Counted, so an increase is noticed. */
const mayDiffer: MayDiffer = (path, ours, theirs) => {
  if (isUntoldSlot(path, theirs)) count(UNTOLD_SLOT)
  else if (isOtherReason(path, ours, theirs)) count(OTHER_REASON)
  else return false
  return true
}

function shown(value: unknown): string {
  return String(JSON.stringify(value)).slice(0, SHOWN_CHARACTERS)
}

process.exitCode = await main()
