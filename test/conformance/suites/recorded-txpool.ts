/** The answers of Besu's two pools on a chain that did not grow, compared with ours on the same chain. */
import assert from 'node:assert/strict'
import { formatData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import type { RecordedEntry } from '../recorded/entry.ts'
import { readEntries } from '../recorded/entry.ts'
import { differenceOf } from '../rpc/compare.ts'
import type { Deviation } from '../rpc/deviation.ts'
import { encodeShownBlock } from '../rpc/shown-block.ts'
import type { RpcTarget } from '../rpc/target.ts'
import { COMPARED_WITH_LIST, SHORTENED, TXPOOL_RULES } from '../rpc/txpool-rules.ts'
import { type Outcome, outcomeOfPlay, type Suite } from '../suite.ts'

const FILES: Readonly<Record<string, readonly string[]>> = {
  'txpool-layered.json': [],
  'txpool-sequenced.json': ['--tx-pool-max-size=50', '--tx-pool-limit-by-account-percentage=0.5'],
}

const suite: Suite = {
  name: 'recorded/txpool',
  async *run(pack, openTarget) {
    for (const [file, options] of Object.entries(FILES)) {
      const entries = readEntries(pack, file)
      // Block 1 was produced at once; the next would have come after an hour.
      const { result } = JSON.parse(entries[0]!.response!) as {
        readonly result: Readonly<Record<string, string>>
      }
      const target = await openTarget(pack, {
        folder: 'recorded/config',
        genesisFile: 'glong.json',
        blocks: [encodeShownBlock(result)],
        options,
      })
      for (const [index, entry] of entries.entries()) {
        const unit = `recorded/jsonrpc/${file}#${index}`
        const list = COMPARED_WITH_LIST.test(entry.note) ? listOf(entries, entry) : undefined
        yield outcomeOfPlay(unit, () => play(target, unit, `${file}#${index}`, entry, list))
      }
      await target.stop()
    }
  },
}

export default suite

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

async function play(
  target: RpcTarget,
  unit: string,
  name: string,
  entry: RecordedEntry,
  list: Deviation | undefined,
): Promise<Outcome> {
  const request = SHORTENED.test(entry.note) ? withLargeInitCode(entry.request!) : entry.request!
  const reply = await target.ask(request)
  const { method, params = [] } = JSON.parse(request) as { method: string; params?: unknown[] | null }
  const recorded = JSON.parse(entry.response!) as Answer
  const actual = JSON.parse(reply.body) as Answer
  const rule = list ?? TXPOOL_RULES[name] ?? TXPOOL_RULES[entry.note]
  const expected = (rule?.instead(recorded, '') ?? recorded) as Answer
  const [theirs, ours] = [normalise(method, expected), normalise(method, actual)]
  const difference = differenceOf(...limited(method, params ?? [], theirs, ours))
  if (difference !== undefined) return { unit, status: 'failed', reason: `${entry.note}: ${difference}` }
  if (rule !== undefined) return { unit, status: 'deviates', decision: rule.decision }
  return hasPoolTransactions(method, recorded)
    ? { unit, status: 'deviates', decision: 'J6' }
    : { unit, status: 'met' }
}

/** The recording has its beginning and length; the answer does not depend on the signature at the end. */
function withLargeInitCode(shortened: string): string {
  const { encoded } = signTransaction(
    {
      type: 0,
      chainId: 1337n,
      nonce: 0n,
      gasPrice: 3_000_000_000n,
      gasLimit: 10_000_000n,
      to: null,
      value: 0n,
      data: new Uint8Array(49_153),
    },
    new Uint8Array(32).fill(7),
  )
  const params = [formatData(encoded)]
  const whole = JSON.stringify({ jsonrpc: '2.0', method: 'eth_sendRawTransaction', params, id: 200 })
  const [, beginning, length] = /^(.*)\.\.\.\((\d+) bytes\)$/.exec(shortened)!
  assert.ok(whole.startsWith(beginning!) && whole.length === Number(length), 'the request as it was')
  return whole
}

/** The result of a price filter on Besu's complete list. */
function listOf(entries: readonly RecordedEntry[], { request }: RecordedEntry): Deviation {
  const shownBefore = entries.find(({ note }) => note === 'filled pool: txpool_besuPendingTransactions')!
  const all = JSON.parse(shownBefore.response!).result as Readonly<Record<string, string>>[]
  const fields = JSON.parse(request!).params[1] as Readonly<Record<string, Readonly<Record<string, string>>>>
  const [[field, condition]] = Object.entries(fields) as [[string, Readonly<Record<string, string>>]]
  const [[operator, bound]] = Object.entries(condition) as [[string, string]]
  const meets = (value: bigint) =>
    operator === 'eq'
      ? value === BigInt(bound)
      : operator === 'gt'
        ? value > BigInt(bound)
        : value < BigInt(bound)
  return {
    decision: '17',
    instead: (recorded) => {
      const { jsonrpc, id } = recorded as { readonly jsonrpc: string; readonly id: unknown }
      return { jsonrpc, id, result: all.filter((one) => meets(BigInt(one[field]!))) }
    },
  }
}

/** Keeps the values that do not depend on the run: order, times and arrival numbers do. */
function normalise(method: string, { error, ...answer }: Answer): Answer {
  if (error !== undefined) return { ...answer, error: { code: error.code, message: error.message } }
  if (method === 'txpool_inspect') return mapLines(answer)
  const isList = Array.isArray(answer.result)
  if (/ransactions$/.test(method) && isList)
    return { ...answer, result: (answer.result as object[]).map(shown).sort(byHash) }
  if (/^txpool_content/.test(method)) return mapObjects(answer)
  return answer
}

const SEQUENCE = /sequence: \d+, addedAt: \d+,/
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

function mapLines(answer: Answer): Answer {
  return JSON.parse(JSON.stringify(answer).replaceAll(new RegExp(SEQUENCE, 'g'), ''))
}

function mapObjects(answer: Answer): Answer {
  return JSON.parse(JSON.stringify(answer), (_, value) => (value?.hash === undefined ? value : shown(value)))
}

/** A transaction with the members that the specification adds: the type's name, and full-length signatures. */
function shown(value: object): object {
  const { addedToPoolAt, raw, r, s, type, ...rest } = value as Readonly<Record<string, string>>
  if (addedToPoolAt !== undefined) return { ...rest, addedToPoolAt: INSTANT.test(addedToPoolAt) }
  if (raw === undefined) return value
  const names = ['FRONTIER', 'ACCESS_LIST', 'EIP1559', 'BLOB', 'DELEGATE_CODE']
  const whole = (text: string) => `0x${text.slice(2).padStart(64, '0')}`
  return { ...rest, raw, type, transactionType: names[Number(type)], r: whole(r!), s: whole(s!) }
}

function byHash(a: object, b: object): number {
  const [first, second] = [a, b].map((value) => (value as { readonly hash: string }).hash) as [string, string]
  return first < second ? -1 : 1
}

/** A limit may select any of them: only their number and form are compared. */
function limited(
  method: string,
  params: readonly unknown[],
  theirs: Answer,
  ours: Answer,
): [unknown, unknown] {
  const [limit] = params
  const isLimited = limit !== undefined && limit !== null && Number(limit) < 10
  if (!/PendingTransactions$/.test(method) || !isLimited || !Array.isArray(theirs.result))
    return [theirs, ours]
  const count = ({ result, ...answer }: Answer) => ({
    ...answer,
    result: (result as unknown[] | undefined)?.length,
  })
  return [count(theirs), count(ours)]
}

function hasPoolTransactions(method: string, recorded: Answer): boolean {
  return /PendingTransactions$|content/.test(method) && JSON.stringify(recorded).includes('"raw"')
}
