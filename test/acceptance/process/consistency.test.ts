import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GENESIS_TEXT, SOMEBODY } from '#chain/chain.fixture.ts'
import { createNode, type EmbeddedNode } from '#node/create-node.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import type { Random } from '#platform/random.ts'
import { openRpcClient, type RpcClient } from '../../support/rpc-client.ts'
import { growTree, type ModelBlock } from './chain-tree.ts'

const SECONDS = Number(process.env.CAIRN_CONSISTENCY_SECONDS ?? 20)
const SEED = Number(process.env.CAIRN_SEED ?? Math.floor(Math.random() * 2 ** 31))
const BLOCKS = 120
const CLIENTS = 4
const UNWIND_MAX = 3

/** EVM code that returns the block number and the balance of SOMEBODY: two facts of one state in one answer. */
const WITNESS = `0x4360005273${SOMEBODY.slice(2)}3160205260406000f3`
const WITNESS_ADDRESS = `0x${'99'.repeat(20)}`

test('no answer at "latest" mixes two blocks while blocks arrive and are unwound', async (t) => {
  t.diagnostic(`seed ${SEED}; CAIRN_SEED repeats it, CAIRN_CONSISTENCY_SECONDS sets how long`)
  const root = await growTree(BLOCKS, createSeededRandom(SEED))
  const options = {
    logging: 'ERROR',
    'rpc-http-enabled': true,
    'rpc-http-port': 0,
    'rpc-threads': 2,
  } as const
  const node = await createNode({ genesis: GENESIS_TEXT, options })
  t.after(() => node.stop())
  const heads = new HeadHistory(root)
  const end = performance.now() + SECONDS * 1_000
  const counts = new Map<string, number>()
  const clients = Array.from({ length: CLIENTS }, (_, index) =>
    readUntil(end, node, heads, createSeededRandom(SEED + 1 + index), counts),
  )
  const moves = await moveUntil(end, node, heads, createSeededRandom(SEED))
  await Promise.all(clients)
  t.diagnostic(
    `${moves} moves of the head; ${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}`,
  )
  for (const question of QUESTIONS)
    assert((counts.get(question.name) ?? 0) > 0, `no call of ${question.name} succeeded`)
})

/** The blocks that may be the head at a moment: two of them while the head moves. */
class HeadHistory {
  readonly #spans: { readonly block: ModelBlock; readonly fromMs: number; toMs: number }[] = []
  #head: ModelBlock

  constructor(root: ModelBlock) {
    this.#head = root
    this.#spans.push({ block: root, fromMs: 0, toMs: Number.POSITIVE_INFINITY })
  }

  get head(): ModelBlock {
    return this.#head
  }

  async move(to: ModelBlock, work: () => Promise<unknown>): Promise<void> {
    const before = this.#spans.at(-1)!
    this.#spans.push({ block: to, fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY })
    await work()
    before.toMs = performance.now()
    this.#head = to
  }

  between(startMs: number, endMs: number): ModelBlock[] {
    const possible: ModelBlock[] = []
    for (let index = this.#spans.length - 1; index >= 0; index--) {
      const { block, fromMs, toMs } = this.#spans[index]!
      if (toMs < startMs) break
      if (fromMs <= endMs) possible.push(block)
    }
    return possible
  }
}

async function moveUntil(
  end: number,
  node: EmbeddedNode,
  heads: HeadHistory,
  random: Random,
): Promise<number> {
  let moves = 0
  for (; performance.now() < end; moves++) {
    const { head } = heads
    const next = head.children[random.randomBelow(Math.max(1, head.children.length))]
    if (next !== undefined && random.randomBelow(4) > 0) {
      await heads.move(next, async () => {
        const verdict = await node.importBlock(next.rlp, 'none')
        assert(verdict.ok, JSON.stringify(verdict))
      })
      continue
    }
    let to = head
    for (let back = random.randomBelow(UNWIND_MAX) + 1; back > 0 && to.parent !== undefined; back--)
      to = to.parent
    if (to !== head) await heads.move(to, () => node.unwind(to.number))
  }
  return moves
}

interface Question {
  readonly name: string
  ask(client: RpcClient): ReturnType<RpcClient['call']>
  /** True if the node may answer this while the block is the head. */
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire
  fits(result: any, block: ModelBlock): boolean
}

const QUESTIONS: readonly Question[] = [
  {
    name: 'eth_blockNumber',
    ask: (client) => client.call('eth_blockNumber'),
    fits: (result, { number }) => Number(result) === number,
  },
  {
    name: 'eth_getBalance',
    ask: (client) => client.call('eth_getBalance', SOMEBODY, 'latest'),
    fits: (result, { balance }) => BigInt(result) === balance,
  },
  {
    name: 'eth_getBlockByNumber',
    ask: (client) => client.call('eth_getBlockByNumber', 'latest', false),
    fits: (result, { hash, number, parent, transactions }) =>
      result.hash === hash &&
      Number(result.number) === number &&
      (parent === undefined || result.parentHash === parent.hash) &&
      sameList(result.transactions, transactions),
  },
  {
    name: 'eth_getBlockReceipts',
    ask: (client) => client.call('eth_getBlockReceipts', 'latest'),
    fits: (result: Receipt[], { hash, number, transactions }) =>
      result.every((each) => each.blockHash === hash && Number(each.blockNumber) === number) &&
      sameList(
        result.map(({ transactionHash }) => transactionHash),
        transactions,
      ),
  },
  {
    name: 'eth_getLogs',
    ask: (client) => client.call('eth_getLogs', { fromBlock: 'latest', toBlock: 'latest' }),
    fits: (result: Receipt[], { hash, logging }) =>
      result.every((each) => each.blockHash === hash) &&
      sameList(
        result.map(({ transactionHash }) => transactionHash),
        logging,
      ),
  },
  {
    name: 'eth_call',
    ask: (client) =>
      client.call('eth_call', { to: WITNESS_ADDRESS }, 'latest', { [WITNESS_ADDRESS]: { code: WITNESS } }),
    fits: (result: string, { number, balance }) =>
      BigInt(result.slice(0, 66)) === BigInt(number) && BigInt(`0x${result.slice(66)}`) === balance,
  },
]

interface Receipt {
  readonly blockHash: string
  readonly blockNumber: string
  readonly transactionHash: string
}

async function readUntil(
  end: number,
  node: EmbeddedNode,
  heads: HeadHistory,
  random: Random,
  counts: Map<string, number>,
): Promise<void> {
  const client = openRpcClient(node.http!.port)
  while (performance.now() < end) {
    const question = QUESTIONS[random.randomBelow(QUESTIONS.length)]!
    const startMs = performance.now()
    const answer = await question.ask(client)
    const possible = heads.between(startMs, performance.now())
    const fits = answer.error === undefined && possible.some((block) => question.fits(answer.result, block))
    if (!fits) {
      const expected = possible.map(({ number, hash, balance }) => `${number} ${hash} ${balance}`).join('\n')
      assert.fail(
        `seed ${SEED}: ${question.name} answered ${JSON.stringify(answer)}; possible heads:\n${expected}`,
      )
    }
    counts.set(question.name, (counts.get(question.name) ?? 0) + 1)
  }
  client.close()
}

function sameList(actual: readonly unknown[], expected: readonly unknown[]): boolean {
  return actual.length === expected.length && actual.every((each, index) => each === expected[index])
}
