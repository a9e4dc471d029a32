import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Candidate,
  type CandidateSlices,
  type CandidateSource,
  sliceCandidates,
} from '#chain/build/candidates.ts'
import { candidatesOf, openArchive, silentLog } from '#chain/chain.fixture.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { buildAnswerOf } from '#chain/writer/build-answer.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { createFakeClock, type FakeClock } from '#platform/fake-clock.fixture.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { createSignal, type Signal } from '#platform/signal.ts'
import { createMemoryKv } from '#store/kv/memory-kv.fixture.ts'
import { parseAddress } from '#types/address.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import type { Hash } from '#types/hash.ts'
import { parseData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { DEV_ACCOUNTS } from './dev-accounts.ts'
import { DEV_CHAIN_ID, devGenesisText } from './dev-genesis.ts'
import { type DevProposerOptions, type RunningDevProposer, startDevProposer } from './dev-proposer.ts'

const crypto = await loadCrypto()
const engine = await createJsEngine()
const [SENDER] = DEV_ACCOUNTS
const KEY = parseData(SENDER!.privateKey)
const TO = parseAddress('22'.repeat(20))
const COINBASE = parseAddress('33'.repeat(20))
const START_MS = 1_700_000_000_000

function transfer(nonce: number): Transaction {
  const fees = { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n, accessList: [] }
  const fields = { chainId: BigInt(DEV_CHAIN_ID), nonce: BigInt(nonce), to: TO, value: 1n, gasLimit: 21_000n }
  return signTransaction({ type: 2, ...fields, data: new Uint8Array(0), ...fees }, KEY)
}

/** Offers the transactions that no block includes yet. */
class Waiting implements CandidateSource {
  readonly candidates: Candidate[] = []

  select(): Iterable<Candidate> {
    return [...this.candidates]
  }

  leftOut(): void {}
}

class Net {
  readonly chain: Chain
  readonly clock: FakeClock
  readonly waiting = new Waiting()
  /** The number of transactions that fill a block. */
  readonly perBlock: number
  readonly added: Signal<unknown> = createSignal(() => undefined)
  failures = 0
  builds = 0
  proposer: RunningDevProposer | undefined

  constructor(chain: Chain, clock: FakeClock, perBlock: number) {
    this.chain = chain
    this.clock = clock
    this.perBlock = perBlock
    chain.headMoved.subscribe(({ added }) => {
      if (added.length === 0) return
      this.waiting.candidates.splice(0, Math.min(perBlock, this.waiting.candidates.length))
    })
  }

  async start(options: Partial<DevProposerOptions> = {}): Promise<void> {
    this.proposer = await startDevProposer({
      clock: this.clock,
      log: silentLog,
      keccak: crypto.keccak,
      writer: this.#writer(),
      headMoved: this.chain.headMoved,
      candidates: this.waiting,
      added: this.added,
      hasWaiting: () => this.waiting.candidates.length > 0,
      building: () => ({ targetGasLimit: undefined, extraData: Uint8Array.of(7) }),
      coinbase: COINBASE,
      periodSeconds: 0,
      budgetMs: 5_000,
      ...options,
    })
    this.clock.advance(0)
    await this.settle()
  }

  /** A failing build stands for any error in the writer thread. */
  #writer(): DevProposerOptions['writer'] {
    const { chain } = this
    return {
      head: async () => chain.announcedHead,
      build: async (template, source, { signal = new AbortController().signal } = {}) => {
        this.builds++
        if (this.failures-- > 0) throw new Error('the disk is full')
        const { perBlock } = this
        const candidates: CandidateSlices = async function* (terms) {
          for await (const slice of sliceCandidates(source, { ...terms, deadlineAtMs: 0, signal })) {
            yield slice.slice(0, perBlock)
          }
        }
        const built = await chain.build(template, { candidates })
        source.leftOut(built.leftOut)
        return buildAnswerOf(built)
      },
      edit: (edits) => chain.edit(edits),
      snapshot: () => chain.snapshot(),
      revert: (id) => chain.revert(id),
      reset: () => chain.reset(),
      importBlock: (block, validation) => chain.importBlock(chain.receive(block), { validation }),
    }
  }

  send(...nonces: number[]): void {
    this.waiting.candidates.push(...candidatesOf(nonces.map(transfer)))
    this.added.emit(nonces)
  }

  /** Completes all pending work without advancing time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 200; turn++) await nextTurn()
  }

  get height(): number {
    return Number(this.chain.head.header.number)
  }
}

async function openNet(perBlock = Number.POSITIVE_INFINITY): Promise<Net> {
  const verdict = parseGenesis(devGenesisText(DEV_ACCOUNTS))
  ok(verdict.ok)
  const clock = createFakeClock(START_MS)
  const options = { engine, clock, isDevelopment: true }
  return new Net(await openArchive(verdict.genesis, createMemoryKv(), options), clock, perBlock)
}

test('a block follows each transaction immediately, and only then', async () => {
  const net = await openNet()
  await net.start()
  net.clock.advance(60_000)
  await net.settle()
  equal(net.height, 0)
  net.send(0)
  await net.settle()
  equal(net.height, 1)
  const { header } = net.chain.head
  deepEqual([header.coinbase, header.extraData], [COINBASE, Uint8Array.of(7)])
  equal(header.timestamp, BigInt(START_MS / 1_000 + 60))
  equal(header.gasUsed, 21_000n)
  await net.proposer?.stop()
})

test('transactions that arrive during a build are in the next block', async () => {
  const net = await openNet(2)
  await net.start()
  net.send(0)
  net.send(1, 2, 3)
  net.send(4)
  await net.settle()
  equal(net.waiting.candidates.length, 0)
  equal(net.chain.store.headState().account(parseData(SENDER!.address))?.nonce, 5n)
  // Their times differ although the clock stood still.
  equal(net.chain.head.header.timestamp, BigInt(START_MS / 1_000 + net.height - 1))
  await net.proposer?.stop()
})

test('one transaction causes one build', async () => {
  const net = await openNet()
  await net.start()
  const before = net.builds
  net.send(0)
  await net.settle()
  equal(net.builds - before, 1)
  await net.proposer?.stop()
})

test('a transaction that cannot be included causes no block', async () => {
  const net = await openNet()
  await net.start()
  net.send(5)
  await net.settle()
  equal(net.height, 0)
  await net.proposer?.stop()
})

test('with a period, blocks follow the clock with or without transactions', async () => {
  const net = await openNet()
  await net.start({ periodSeconds: 3 })
  equal(net.height, 1, 'block 0 is long past')
  net.send(0)
  for (let second = 1; second <= 9; second++) {
    net.clock.advance(1_000)
    await net.settle()
    equal(net.height, 1 + Math.floor(second / 3), `after ${second} s`)
  }
  equal(net.chain.store.headState().account(parseData(SENDER!.address))?.nonce, 1n)
  await net.proposer?.stop()
  net.clock.advance(10_000)
  await net.settle()
  equal(net.height, 4)
})

for (const periodSeconds of [0, 2]) {
  test(`a failed block is retried a second later: period ${periodSeconds}`, async () => {
    const net = await openNet()
    net.send(0)
    net.failures = 2
    await net.start({ periodSeconds })
    for (const height of [0, 0, 1]) {
      equal(net.height, height)
      net.clock.advance(1_000)
      await net.settle()
    }
    await net.proposer?.stop()
  })
}

test('a head that moves meanwhile is the parent of the next block', async () => {
  const net = await openNet()
  await net.start()
  net.send(0)
  await net.settle()
  await net.chain.unwind(0)
  await net.send(0)
  await net.settle()
  equal(net.height, 1)
  await net.proposer?.stop()
})

test('senders wait for the attempt at a block, not for a transaction that no block can include', async () => {
  const net = await openNet()
  await net.start()
  net.send(0)
  await net.proposer!.settled(() => net.height === 0)
  equal(net.height, 1)
  net.send(5)
  await net.proposer!.settled(() => true)
  equal(net.height, 1)
  net.failures = 1
  net.send(1)
  await net.proposer!.settled(() => true)
  equal(net.height, 1, 'the attempt failed, and the next one is a second later')
  await net.proposer!.stop()
})

test('senders do not wait if blocks follow the clock', async () => {
  const net = await openNet()
  await net.start({ periodSeconds: 3 })
  net.send(0)
  await net.proposer!.settled(() => true)
  await net.proposer!.stop()
})

test('blocks on request may be empty, and follow each other in time', async () => {
  const net = await openNet()
  await net.start()
  const now = START_MS / 1_000
  const timeOf = () => Number(net.chain.head.header.timestamp)
  await net.proposer!.mine({ blocks: 2, intervalSeconds: 60, timestamp: undefined })
  deepEqual([net.height, timeOf()], [2, now + 60])
  await net.proposer!.mine({ blocks: 1, intervalSeconds: 1, timestamp: now + 1_000 })
  deepEqual([net.height, timeOf()], [3, now + 1_000])
  net.clock.advance(5_000)
  net.send(0)
  await net.settle()
  deepEqual([net.height, timeOf()], [4, now + 1_005])
  net.failures = 1
  await rejects(net.proposer!.mine({ blocks: 1, intervalSeconds: 1, timestamp: undefined }), /disk is full/)
  net.send(1)
  await net.settle()
  equal(net.height, 5)
  await net.proposer!.stop()
})

test('the time of blocks can be moved forward', async () => {
  const net = await openNet()
  await net.start()
  const now = START_MS / 1_000
  const mine = async () => {
    await net.proposer!.mine({ blocks: 1, intervalSeconds: 1, timestamp: undefined })
    return Number(net.chain.head.header.timestamp) - now
  }
  equal(net.proposer!.increaseTime(3_600), 3_600)
  equal(await mine(), 3_600)
  equal(net.proposer!.setNextTimestamp(now + 3_600), false)
  ok(net.proposer!.setNextTimestamp(now + 9_000))
  equal(await mine(), 9_000)
  net.clock.advance(10_000)
  equal(await mine(), 9_010)
  await net.proposer!.stop()
})

test('after a rewind, blocks continue from the earlier head', async () => {
  const net = await openNet()
  await net.start()
  const request = { intervalSeconds: 1_000, timestamp: undefined }
  await net.proposer!.mine({ blocks: 1, ...request })
  const id = await net.proposer!.snapshot()
  await net.proposer!.mine({ blocks: 2, ...request })
  ok(await net.proposer!.revert(id))
  equal(net.height, 1)
  net.send(0)
  await net.settle()
  deepEqual([net.height, Number(net.chain.head.header.timestamp)], [2, START_MS / 1_000 + 1])
  equal(await net.proposer!.revert(id), false)
  equal(net.height, 2)
  await net.proposer!.stop()
})

test('without automine, transactions wait for a block on request', async () => {
  const net = await openNet()
  await net.start()
  await net.proposer!.setAutomine(false)
  net.send(0, 1)
  await net.proposer!.settled(() => true)
  await net.settle()
  deepEqual([net.height, net.proposer!.automines()], [0, false])
  await net.proposer!.mine({ blocks: 1, intervalSeconds: 1, timestamp: undefined })
  deepEqual([net.height, net.waiting.candidates.length], [1, 0])
  net.send(2)
  await net.proposer!.setAutomine(true)
  await net.settle()
  equal(net.height, 2)
  await net.proposer!.stop()
})

test('a build that is under way when automine is switched off takes no later transaction', async () => {
  const net = await openNet()
  await net.start()
  const isSelecting = Promise.withResolvers<void>()
  const select = net.waiting.select.bind(net.waiting)
  net.waiting.select = async function* () {
    await isSelecting.promise
    yield* select()
  } as never
  net.added.emit([])
  const isOff = net.proposer!.setAutomine(false).then(() => net.send(0))
  await net.settle()
  isSelecting.resolve()
  await isOff
  await net.settle()
  deepEqual([net.height, net.waiting.candidates.length], [0, 1])
  await net.proposer!.stop()
})

test('an edit makes a waiting transaction executable', async () => {
  const net = await openNet()
  await net.start()
  net.send(1)
  await net.settle()
  equal(net.height, 0)
  await net.proposer!.edit([{ address: SENDER!.address, nonce: 1n }])
  await net.settle()
  equal(net.height, 1)
  await net.proposer!.stop()
})

test('fields of the next block apply once, and the gas limit stays', async () => {
  const net = await openNet()
  await net.start()
  const mixHash = `0x${'0a'.repeat(32)}` as Hash
  net.proposer!.setNextBlock({ gasLimit: 30_000_000n, baseFeeWei: 1_000_000_000n })
  net.proposer!.setNextBlock({ mixHash })
  net.proposer!.setCoinbase(TO)
  const mine = async () => {
    await net.proposer!.mine({ blocks: 1, intervalSeconds: 1, timestamp: undefined })
    return net.chain.head.header
  }
  const first = await mine()
  deepEqual([first.gasLimit, first.baseFeePerGas, first.mixHash], [30_000_000n, 1_000_000_000n, mixHash])
  const second = await mine()
  deepEqual([second.gasLimit, second.baseFeePerGas], [30_000_000n, 875_000_000n])
  ok(second.mixHash !== mixHash)
  equal(second.coinbase, TO)
  await net.proposer!.reset()
  equal(net.height, 0)
  equal((await mine()).coinbase, COINBASE)
  await net.proposer!.stop()
})

test('a period produces blocks without transactions until it ends', async () => {
  const net = await openNet()
  await net.start()
  net.proposer!.setPeriod(5)
  equal(net.proposer!.automines(), false)
  for (let seconds = 0; seconds < 20; seconds++) {
    net.clock.advance(1_000)
    await net.settle()
  }
  const { height } = net
  ok(height >= 4, String(height))
  net.proposer!.setPeriod(0)
  net.clock.advance(60_000)
  await net.settle()
  deepEqual([net.height, net.proposer!.automines()], [height, true])
  net.send(0)
  await net.settle()
  equal(net.height, height + 1)
  await net.proposer!.stop()
})

test('blocks keep the interval of their times until it is removed', async () => {
  const net = await openNet()
  await net.start()
  const mine = async () => {
    await net.proposer!.mine({ blocks: 1, intervalSeconds: 1, timestamp: undefined })
    return Number(net.chain.head.header.timestamp)
  }
  const first = await mine()
  net.proposer!.setTimestampInterval(100)
  deepEqual([await mine(), await mine()], [first + 100, first + 200])
  net.proposer!.setTimestampInterval(undefined)
  equal(await mine(), first + 201)
  await net.proposer!.stop()
})
