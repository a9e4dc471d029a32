/** The content and timing of one validator's blocks, by options, MINER methods and genesis file. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type BuildingSettings, LiveBuilding } from '#chain/build/building-settings.ts'
import type { Candidate, CandidateSource } from '#chain/build/candidates.ts'
import { candidatesOf, silentLog } from '#chain/chain.fixture.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { FakeClock } from '#platform/fake-clock.fixture.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { type Address, addressToBytes, parseAddress } from '#types/address.ts'
import { decodeBftExtraData } from '#types/block/bft-extra-data.ts'
import { type BlockHeader, decodeHeader } from '#types/block/block-header.ts'
import { sign } from '#types/curve.ts'
import type { GenesisConfig } from '#types/genesis/genesis-config.ts'
import { parseHash } from '#types/hash.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import { NO_NETWORK, openTestNetwork, testNetwork, testValidators } from './network.fixture.ts'
import { type ConsensusOptions, type RunningConsensus, startConsensus } from './start-consensus.ts'
import { LocalVotes } from './validators/local-votes.ts'
import { writerOf } from './writer.fixture.ts'

const root = mkdtempSync(join(tmpdir(), 'cairn-made-'))
const crypto = await loadCrypto()
after(() => rmSync(root, { recursive: true }))
const [VALIDATOR] = testValidators(1)
const [A, B] = [parseAddress('aa'.repeat(20)), parseAddress('bb'.repeat(20))]
const SETTINGS: BuildingSettings = {
  targetGasLimit: undefined,
  minGasPriceWei: 0n,
  minPriorityFeeWei: 0n,
  extraData: new Uint8Array(0),
}

/** Event loop turns for pending work that needs no time. */
const TURNS = 30

/** One validator, its chain and its clock. */
class Producer {
  readonly chain: Chain
  readonly clock: FakeClock
  readonly building = new LiveBuilding(SETTINGS)
  readonly candidates: Candidate[] = []
  /** The build time of the writer. */
  buildMs = 0
  #running: RunningConsensus | undefined

  constructor(chain: Chain, clock: FakeClock) {
    this.chain = chain
    this.clock = clock
  }

  async start(config: GenesisConfig, name: string): Promise<void> {
    const { chain, clock } = this
    chain.headMoved.subscribe(() => {
      this.candidates.length = 0
    })
    const source: CandidateSource = { select: () => [...this.candidates], leftOut: () => {} }
    this.#running = await startConsensus({
      clock,
      log: silentLog,
      metrics: createMetrics({ prefix: '', onSourceError: () => undefined }),
      crypto,
      config,
      genesis: parseHash('77'.repeat(32)),
      writer: this.#writer(),
      headMoved: chain.headMoved,
      address: VALIDATOR!.address,
      signDigest: async (digest) => sign(VALIDATOR!.key, digest),
      network: NO_NETWORK,
      signatureLogPath: join(root, name),
      generation: 'current',
      maxRoundTimeoutMs: 60_000,
      signsWithoutLog: false,
      building: () => this.building.settings(),
      fixedBaseFeeWei: 0n,
      votes: new LocalVotes(),
      selectionMaxTime: 75,
      candidates: source,
      onPeerAhead: () => {},
      expectPeers: () => {},
      isCatchingUp: () => false,
      importProblem: () => undefined,
    })
  }

  #writer(): ConsensusOptions['writer'] {
    const writer = writerOf(this.chain)
    return {
      ...writer,
      build: async (...order) => {
        const built = await writer.build(...order)
        if (this.buildMs > 0) await new Promise<void>((resolve) => this.clock.after(this.buildMs, resolve))
        return built
      },
    }
  }

  /** Advances virtual time; disk writes take real time. */
  async advance(ms: number): Promise<void> {
    for (let gone = 0; gone < ms; gone += 20) {
      this.clock.advance(20)
      for (let pause = 0; pause < TURNS || this.#running?.driver.state()?.isPersisting; pause++) {
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
  }

  get height(): number {
    return Number(this.chain.head.header.number)
  }

  header(number: number): BlockHeader {
    const { store } = this.chain
    return decodeHeader(store.read('header', number, store.canonicalHash(number)!)!)
  }

  balance(address: Address): bigint {
    return this.chain.store.headState().account(addressToBytes(address))?.balance ?? 0n
  }

  async stop(): Promise<void> {
    await this.#running?.stop()
  }
}

const FUNDED = { [VALIDATOR!.address]: { balance: '0xffffffffffffffff' } }
let networks = 0

async function startProducer(config: Readonly<Record<string, unknown>>): Promise<Producer> {
  const genesis = testNetwork(config, [VALIDATOR!], FUNDED)
  const { chain, clock } = await openTestNetwork(genesis)
  const producer = new Producer(chain, clock)
  await producer.start(genesis.config, `votes-${++networks}`)
  // Block 0 is long past, so the first block is due at once.
  while (producer.height < 1) await producer.advance(20)
  return producer
}

function transfer(nonce: bigint) {
  const fees = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n, accessList: [] }
  const value = { to: A, value: 1n, gasLimit: 21_000n, data: new Uint8Array(0) }
  return signTransaction({ type: 2, chainId: 1337n, nonce, ...value, ...fees }, VALIDATOR!.key)
}

test('a period in milliseconds yields several blocks per second whose times never go back', async () => {
  const producer = await startProducer({ qbft: { blockperiodseconds: 5, xblockperiodmilliseconds: 200 } })
  await producer.advance(2_000)
  ok(producer.height >= 8 && producer.height <= 12, `${producer.height} blocks in two seconds`)
  for (let number = 2; number <= producer.height; number++) {
    ok(producer.header(number).timestamp >= producer.header(number - 1).timestamp, `block ${number}`)
  }
  await producer.stop()
})

for (const protocol of ['qbft', 'ibft2'])
  test(`a block of ${protocol} that takes 300 ms to build is on time once that is known`, async () => {
    const producer = await startProducer({ [protocol]: { blockperiodseconds: 1, requesttimeoutseconds: 10 } })
    producer.buildMs = 300
    const lateMs: number[] = []
    for (let nonce = 0n; nonce < 4n; nonce++) {
      const next = producer.height + 1
      producer.candidates.push(...candidatesOf([transfer(nonce)]))
      while (producer.height < next) await producer.advance(20)
      const { timestamp, gasUsed } = producer.header(next)
      equal(gasUsed, 21_000n)
      equal(timestamp, producer.header(next - 1).timestamp + 1n)
      lateMs.push(producer.clock.wallMs() - Number(timestamp) * 1_000)
    }
    const [first, ...later] = lateMs
    ok(first! >= 200, `the first block came ${first} ms after its time`)
    ok(
      later.every((each) => each >= 0 && each <= 60),
      `blocks came ${later} ms after their time`,
    )
    await producer.stop()
  })

test('an empty block waits for the empty block period, and a transaction only for the block period', async () => {
  const producer = await startProducer({ qbft: { blockperiodseconds: 1, xemptyblockperiodseconds: 10 } })
  const before = producer.height
  await producer.advance(8_000)
  equal(producer.height, before, 'nothing to include')
  producer.candidates.push(...candidatesOf([transfer(0n)]))
  await producer.advance(1_100)
  equal(producer.height, before + 1)
  equal(producer.chain.head.header.gasUsed, 21_000n)
  await producer.advance(9_500)
  equal(producer.height, before + 1, 'nothing to include again')
  await producer.advance(1_500)
  equal(producer.height, before + 2)
  await producer.stop()
})

test('the reward goes to the beneficiary in the genesis file or a transition, or to the proposer', async () => {
  const producer = await startProducer({
    qbft: { blockperiodseconds: 1, blockreward: '5', miningbeneficiary: A },
    transitions: {
      qbft: [
        { block: 3, miningbeneficiary: B, blockreward: '0x7' },
        { block: 5, miningbeneficiary: '' },
      ],
    },
  })
  const own = producer.balance(VALIDATOR!.address)
  while (producer.height < 6) await producer.advance(100)
  deepEqual([producer.balance(A), producer.balance(B)], [10n, 14n])
  equal(producer.balance(VALIDATOR!.address) - own, 14n)
  // The header always names the proposer as coinbase.
  for (let number = 1; number <= 6; number++) equal(producer.header(number).coinbase, VALIDATOR!.address)
  await producer.stop()
})

test('the gas limit moves to a target set at run time, by less than 1/1024 per block, and stays there', async () => {
  const producer = await startProducer({ qbft: { blockperiodseconds: 1 } })
  const first = producer.chain.head.header.gasLimit
  const target = first + (first / 1_024n) * 2n
  const extraData = Uint8Array.of(1, 2)
  producer.building.change({ targetGasLimit: target, extraData })
  while (producer.height < 5) await producer.advance(100)
  const limits = [2, 3, 4, 5].map((number) => producer.header(number).gasLimit)
  const step = first / 1_024n - 1n
  equal(limits[0], first + step)
  ok(limits[1]! > limits[0]! && limits[1]! < limits[0]! + limits[0]! / 1_024n)
  deepEqual(limits.slice(2), [target, target])
  deepEqual(
    decodeBftExtraData('qbft', producer.header(2).extraData).vanity,
    Uint8Array.from([...new Array(30).fill(0), ...extraData]),
  )
  producer.building.change({ targetGasLimit: first })
  while (producer.height < 6) await producer.advance(100)
  ok(producer.chain.head.header.gasLimit < target)
  await producer.stop()
})
