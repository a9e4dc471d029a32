import { deepStrictEqual, match, ok, strictEqual } from 'node:assert'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Chain } from '#chain/write/create-chain.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { FakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import type { Address } from '#types/address.ts'
import { decodeBftExtraData } from '#types/block/bft-extra-data.ts'
import { decodeHeader } from '#types/block/block-header.ts'
import { sign } from '#types/curve.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { parseHash } from '#types/hash.ts'
import { openTestNetwork, type TestValidator, testNetwork, testValidators } from './network.fixture.ts'
import { type ConsensusOptions, type RunningConsensus, startConsensus } from './start-consensus.ts'
import { LocalVotes } from './validators/local-votes.ts'
import { writerOf } from './writer.fixture.ts'

const root = mkdtempSync(join(tmpdir(), 'cairn-consensus-'))
const crypto = await loadCrypto()
after(() => rmSync(root, { recursive: true }))
const lines: string[] = []
const log = createLog({ level: 'WARN', destination: { write: (line) => lines.push(line) } })
/** A minute, which is far more than the heights in these tests need. */
const MAX_TURNS = 3_000

interface Node {
  readonly validator: TestValidator
  readonly chain: Chain
  readonly clock: FakeClock
  readonly votes: LocalVotes
  running: RunningConsensus | undefined
}

class Net {
  readonly #genesis: Genesis
  readonly #name: string
  readonly nodes: Node[] = []

  constructor(genesis: Genesis, name: string) {
    this.#genesis = genesis
    this.#name = name
  }

  async add(validator: TestValidator): Promise<Node> {
    const { chain, clock } = await openTestNetwork(this.#genesis)
    const node: Node = { validator, chain, clock, votes: new LocalVotes(), running: undefined }
    this.nodes.push(node)
    return node
  }

  signatureLogPath({ validator: { address } }: Node): string {
    return join(root, `${this.#name}-${address}`)
  }

  async start(node: Node, more: Partial<ConsensusOptions> = {}): Promise<void> {
    const { validator, chain, clock, votes } = node
    const { address, key } = validator
    node.running = await startConsensus({
      clock,
      log,
      metrics: createMetrics({ prefix: '', onSourceError: () => undefined }),
      crypto,
      config: this.#genesis.config,
      genesis: parseHash('77'.repeat(32)),
      writer: writerOf(chain),
      headMoved: chain.headMoved,
      address,
      signDigest: async (digest) => sign(key, digest),
      network: {
        connected: () => this.nodes.filter(({ running }) => running).map((each) => each.validator.address),
        exchanging: () => [],
        turnedAway: () => [],
        send: (to, code, data) => this.#send(address, to, code, data),
      },
      signatureLogPath: this.signatureLogPath(node),
      generation: 'current',
      maxRoundTimeoutMs: 60_000,
      signsWithoutLog: false,
      building: () => ({ targetGasLimit: undefined, extraData: new Uint8Array() }),
      fixedBaseFeeWei: 0n,
      votes,
      selectionMaxTime: 75,
      candidates: { select: () => [], leftOut: () => {} },
      onPeerAhead: () => {},
      expectPeers: () => {},
      isCatchingUp: () => false,
      importProblem: () => undefined,
      ...more,
    })
  }

  /** Advances virtual time until the condition holds; disk writes take real time. */
  async until(isSo: () => boolean): Promise<void> {
    for (let turn = 0; turn < MAX_TURNS; turn++) {
      if (isSo()) return
      for (const { clock } of this.nodes) clock.advance(20)
      for (let pause = 0; pause < 10 || this.#waitsForDisk(); pause++) {
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    throw new Error(
      `It never was so: ${this.nodes.map(({ running }) => running?.status()?.cause).join(' | ')}`,
    )
  }

  #waitsForDisk(): boolean {
    return this.nodes.some(({ running }) => running?.driver.state()?.isPersisting)
  }

  heightsReach(height: number): boolean {
    return this.nodes.every(({ chain, running }) => !running || heightOf(chain) >= height)
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) {
      await node.running?.stop()
      node.running = undefined
    }
  }

  #send(from: Address, to: readonly Address[], code: number, data: Uint8Array): void {
    for (const { validator, running } of this.nodes) {
      if (to.includes(validator.address)) setImmediate(() => running?.driver.receive(from, code, data))
    }
  }
}

function heightOf(chain: Chain): number {
  return Number(chain.head.header.number)
}

const SETTINGS = { blockperiodseconds: 1, requesttimeoutseconds: 10 }

function openNet(protocol: 'qbft' | 'ibft2', count: number, name: string): Promise<Net> {
  return openNetOf({ [protocol]: SETTINGS }, count, name)
}

async function openNetOf(
  config: Readonly<Record<string, unknown>>,
  count: number,
  name: string,
): Promise<Net> {
  const validators = testValidators(count)
  const net = new Net(testNetwork(config, validators), name)
  for (const validator of validators) await net.start(await net.add(validator))
  return net
}

test('one validator produces blocks without a network, and continues after a restart', async () => {
  const net = await openNet('qbft', 1, 'one')
  const [node] = net.nodes as [Node]
  await net.until(() => heightOf(node.chain) >= 3)
  await node.running?.stop()
  const before = heightOf(node.chain)
  await net.start(node)
  await net.until(() => heightOf(node.chain) > before)
  await net.stop()
})

test('validators are requested from the writer once; later head changes contain them', async () => {
  const net = new Net(testNetwork({ qbft: SETTINGS }, testValidators(1)), 'asked')
  const node = await net.add(testValidators(1)[0]!)
  const writer = writerOf(node.chain)
  let asked = 0
  const nextValidators = () => {
    asked++
    return writer.nextValidators()
  }
  await net.start(node, { writer: { ...writer, nextValidators } })
  await net.until(() => heightOf(node.chain) >= 5)
  strictEqual(asked, 1)
  await net.stop()
})

test('a validator expects the validators of the next height, and another node expects none', async () => {
  const net = new Net(testNetwork({ qbft: SETTINGS }, testValidators(1)), 'expected')
  const [validator, other] = testValidators(2).map((each) => ({ each, expected: [] as Address[][] }))
  for (const { each, expected } of [validator!, other!]) {
    await net.start(await net.add(each), { expectPeers: (addresses) => void expected.push([...addresses]) })
  }
  await net.until(() => heightOf(net.nodes[0]!.chain) >= 2)
  deepStrictEqual(validator!.expected[0], [validator!.each.address])
  deepStrictEqual(other!.expected[0], [])
  await net.stop()
})

for (const protocol of ['qbft', 'ibft2'] as const) {
  test(`four validators of ${protocol} make the same blocks, each with a quorum of seals`, async () => {
    const net = await openNet(protocol, 4, protocol)
    await net.until(() => net.heightsReach(3))
    const [first] = net.nodes as [Node]
    const header = first.chain.head.header
    ok(decodeBftExtraData(protocol, header.extraData).seals.length >= 3)
    const hashes = net.nodes.map(({ chain }) => chain.store.canonicalHash(3))
    for (const hash of hashes) deepStrictEqual(hash, hashes[0])
    await net.stop()
  })
}

test('validators vote one of them out, and continue without it', async () => {
  const net = await openNet('qbft', 4, 'votes')
  const [, , , last] = net.nodes as [Node, Node, Node, Node]
  for (const { votes } of net.nodes) votes.propose(last.validator.address, 'drop')
  await net.until(() => last.running?.status()?.isValidator === false)
  ok(last.running?.status()?.cause.includes('not among the 3 validators'))
  const height = heightOf(last.chain)
  await net.until(() => net.nodes.slice(0, 3).every(({ chain }) => heightOf(chain) > height))
  // It gets blocks only by sync, which is another room.
  strictEqual(heightOf(last.chain), height)
  await net.stop()
})

for (const count of [1, 4]) {
  test(`a network migrates from IBFT 2.0 to QBFT at the configured height; validators: ${count}`, async () => {
    const config = { ibft2: SETTINGS, qbft: { ...SETTINGS, startblock: 4 } }
    const net = await openNetOf(config, count, `migration-${count}`)
    await net.until(() => net.heightsReach(3))
    strictEqual(net.nodes[0]!.running?.status()?.protocol, 'qbft')
    await net.until(() => net.heightsReach(6))
    const { store } = net.nodes[0]!.chain
    for (let number = 1; number <= 6; number++) {
      const { extraData } = decodeHeader(store.read('header', number, store.canonicalHash(number)!)!)
      const protocol = number < 4 ? 'ibft2' : 'qbft'
      ok(decodeBftExtraData(protocol, extraData).seals.length >= Math.min(count, 3), `block ${number}`)
    }
    for (const { running } of net.nodes) strictEqual(running?.status()?.round ?? 0, 0)
    await net.stop()
  })
}

test('validators that all lost their signature logs stop, name the remedy, and continue with the option', async () => {
  const net = await openNet('qbft', 4, 'lost')
  await net.until(() => net.heightsReach(2))
  await net.stop()
  const height = heightOf(net.nodes[0]!.chain)
  for (const node of net.nodes) {
    rmSync(net.signatureLogPath(node))
    await net.start(node)
  }
  lines.length = 0
  await net.until(() => net.nodes.every(({ running }) => (running?.status()?.round ?? 0) > 0))
  for (const { chain, running } of net.nodes) {
    strictEqual(heightOf(chain), height)
    match(running?.status()?.cause ?? '', /missing or older than the chain.*--bft-sign-without-votes/)
  }
  ok(
    lines.some(
      (line) => line.includes('Node abstains from voting') && line.includes('--bft-sign-without-votes'),
    ),
  )
  await net.stop()
  for (const node of net.nodes) await net.start(node, { signsWithoutLog: true })
  await net.until(() => net.heightsReach(height + 2))
  await net.stop()
})

test('one validator of four that lost its signature log waits out a height and takes part again', async () => {
  const net = await openNet('ibft2', 4, 'lost-one')
  await net.until(() => net.heightsReach(2))
  const node = net.nodes[2]!
  await node.running?.stop()
  rmSync(net.signatureLogPath(node))
  await net.start(node)
  await net.until(() => node.running?.status() !== undefined)
  match(node.running?.status()?.cause ?? '', /--bft-sign-without-votes/)
  strictEqual(node.running?.abstention(), node.running?.status()?.cause)
  strictEqual(net.nodes[0]!.running?.abstention(), undefined)
  await net.until(() => /votes file of this validator/.test(node.running?.status()?.cause ?? '') === false)
  strictEqual(node.running?.abstention(), undefined)
  const height = heightOf(node.chain)
  await net.until(() => net.heightsReach(height + 4))
  ok(node.running?.status()?.cause.includes('--bft-sign-without-votes') === false)
  await net.stop()
})

test('a validator whose chain lost signed blocks names the cause and the remedy', async () => {
  const net = await openNet('qbft', 1, 'set-back')
  await net.until(() => net.heightsReach(3))
  await net.stop()
  // The same signature log, with a chain at block 0 again.
  const again = await openNet('qbft', 1, 'set-back')
  lines.length = 0
  const isSaid = (line: string) =>
    /for block \d.*lost blocks.*[Ii]mport or sync.*--bft-sign-without-votes/.test(line)
  await again.until(() => lines.some(isSaid))
  strictEqual(heightOf(again.nodes[0]!.chain), 0)
  await again.stop()
})

for (const zeroBaseFee of [false, true]) {
  const fee = zeroBaseFee ? 'no base fee' : 'the base fee'
  test(`blocks have ${fee}, the configured gas limit and extra data`, async () => {
    const config = { qbft: SETTINGS, zeroBaseFee, fixedBaseFee: true }
    const net = new Net(testNetwork(config, testValidators(1)), `fees-${zeroBaseFee}`)
    const node = await net.add(testValidators(1)[0]!)
    const before = node.chain.head.header.gasLimit
    const extraData = Uint8Array.of(1, 2, 3)
    const building = () => ({ targetGasLimit: before + 10n, extraData })
    await net.start(node, { building, fixedBaseFeeWei: 77n })
    await net.until(() => heightOf(node.chain) >= 2)
    const { baseFeePerGas, gasLimit, extraData: written } = node.chain.head.header
    deepStrictEqual([baseFeePerGas, gasLimit], [zeroBaseFee ? 0n : 77n, before + 10n])
    deepStrictEqual(
      decodeBftExtraData('qbft', written).vanity,
      Uint8Array.from([...Array(29).fill(0), 1, 2, 3]),
    )
    await net.stop()
  })
}
