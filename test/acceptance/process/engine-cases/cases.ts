/** Cases of the Engine API specification with their answers. The node gives them in a test, and the documentation lists them. */
import { isDeepStrictEqual } from 'node:util'
import {
  choiceVersion,
  type EngineWorld,
  FORKS,
  type Fork,
  getPayloadVersion,
  newPayloadVersion,
  type Offer,
  offerParams,
  rehashed,
  UNKNOWN,
  ZERO,
} from './engine-world.ts'

export interface EngineCase {
  readonly name: string
  readonly answer: string
  /** Resolves with the answer in words. */
  readonly run: (chain: PreparedChain) => Promise<string>
}

/** The chain that the cases of one node share. */
export interface PreparedChain {
  readonly world: EngineWorld
  /** A canonical block of each fork, at 5, 15, 25, 35 and 45 seconds. */
  readonly blocks: Readonly<Record<Fork, Offer>>
  /** The block of Osaka, which is the head. */
  readonly head: string
  /** A block on the head, not offered, with a transfer. */
  readonly next: Offer
  /** Answers of versions that were asked while the fork was the latest. */
  readonly versions: ReadonlyMap<string, string>
}

const NEW_PAYLOAD_VERSIONS = [1, 2, 3, 4]
const CHOICE_VERSIONS = [1, 2, 3]
const GET_PAYLOAD_VERSIONS = [1, 2, 3, 4, 5]
const REORG_BLOCKS = 64
/** After the blocks of the long reorg. */
const LATER_SECONDS = 200
/** After the blocks of all other cases. */
const REPEATED_SECONDS = 400
const VALID = 'VALID'
const SYNCING = 'SYNCING'
const ON_HEAD = 'INVALID, the last valid block is the parent'
const BAD_CHOICE = '-38002 Invalid forkchoice state'
const BAD_ATTRIBUTES = '-38003 Invalid payload attributes'
const UNSUPPORTED = '-38005 Unsupported fork'

export async function prepareChain(world: EngineWorld): Promise<PreparedChain> {
  let head = await world.hashOf('0x0')
  const blocks: Partial<Record<Fork, Offer>> = {}
  const versions = new Map<string, string>()
  for (const [index, fork] of FORKS.entries()) {
    const attributes = world.attributes(index * 10 + 5)
    for (const version of CHOICE_VERSIONS) {
      const answer = await world.choose(head, { version, attributes })
      versions.set(`choose ${version} ${fork}`, world.words(answer))
    }
    const id = await world.begin(head, index * 10 + 5)
    for (const version of GET_PAYLOAD_VERSIONS) {
      const answer = await world.rpc.call(`engine_getPayloadV${version}`, id)
      versions.set(`get ${version} ${fork}`, answer.error === undefined ? 'the block' : world.words(answer))
    }
    const offer = await world.build(head, index * 10 + 5)
    await world.offer(offer)
    head = offer.payload.blockHash
    blocks[fork] = offer
  }
  await world.choose(head)
  world.names.set(head, 'the parent')
  await world.sendTransfer()
  const next = await world.build(head, 50)
  if (next.payload.transactions.length !== 1) throw new Error('The block lacks its transfer.')
  return { world, blocks: blocks as Record<Fork, Offer>, head, next, versions }
}

/** A change of the next block with a correct hash. */
const changed =
  (change: (offer: Offer) => object, sides?: (offer: Offer) => Partial<Omit<Offer, 'payload'>>) =>
  async ({ world, next }: PreparedChain) =>
    world.words(await world.offer(rehashed(next, change(next), sides?.(next))))

const plus = (quantity: unknown, more: bigint): string =>
  `0x${(BigInt(quantity as string) + more).toString(16)}`

const INVALID_PAYLOADS: readonly EngineCase[] = [
  {
    name: 'the block hash is another one',
    answer: 'INVALID',
    run: async ({ world, next }) =>
      world.words(await world.offer({ ...next, payload: { ...next.payload, blockHash: UNKNOWN } })),
  },
  {
    name: 'the block hash is another one, in version 1',
    answer: 'INVALID_BLOCK_HASH',
    run: async ({ world, blocks: { paris } }) =>
      world.words(await world.offer({ ...paris, payload: { ...paris.payload, blockHash: UNKNOWN } })),
  },
  { name: 'parentHash is unknown', answer: SYNCING, run: changed(() => ({ parentHash: UNKNOWN })) },
  {
    name: 'parentHash is the block itself',
    answer: 'INVALID',
    run: async ({ world, next }) => {
      const { blockHash } = next.payload
      return world.words(await world.offer({ ...next, payload: { ...next.payload, parentHash: blockHash } }))
    },
  },
  ...(
    [
      ['stateRoot is wrong', () => ({ stateRoot: UNKNOWN })],
      ['receiptsRoot is wrong', () => ({ receiptsRoot: UNKNOWN })],
      ['logsBloom is wrong', () => ({ logsBloom: `0x${'ff'.repeat(256)}` })],
      ['feeRecipient is another one', () => ({ feeRecipient: `0x${'12'.repeat(20)}` })],
      ['blockNumber is one too high', ({ payload }) => ({ blockNumber: plus(payload.blockNumber, 1n) })],
      ["blockNumber equals the parent's", ({ payload }) => ({ blockNumber: plus(payload.blockNumber, -1n) })],
      [
        'gasLimit doubles',
        ({ payload }) => ({ gasLimit: plus(payload.gasLimit, BigInt(payload.gasLimit as string)) }),
      ],
      ['gasLimit is below 5,000', () => ({ gasLimit: '0x1387' })],
      ['gasUsed is one too high', ({ payload }) => ({ gasUsed: plus(payload.gasUsed, 1n) })],
      ['gasUsed is above the limit', ({ payload }) => ({ gasUsed: plus(payload.gasLimit, 1n) })],
      ["timestamp equals the parent's", () => ({ timestamp: '0x2d' })],
      ["timestamp is before the parent's", () => ({ timestamp: '0x2c' })],
      ['extraData has 33 bytes', () => ({ extraData: `0x${'00'.repeat(33)}` })],
      [
        'baseFeePerGas is one too high',
        ({ payload }) => ({ baseFeePerGas: plus(payload.baseFeePerGas, 1n) }),
      ],
      ['baseFeePerGas is 0', () => ({ baseFeePerGas: '0x0' })],
      ['blobGasUsed without blobs', () => ({ blobGasUsed: '0x20000' })],
      ['excessBlobGas is wrong', () => ({ excessBlobGas: '0x20000' })],
      ['a transaction is missing', () => ({ transactions: [] })],
      [
        'a transaction is repeated',
        ({ payload: { transactions } }) => ({ transactions: [...transactions, ...transactions] }),
      ],
      [
        'a withdrawal is added',
        () => ({
          withdrawals: [
            { index: '0x0', validatorIndex: '0x0', address: `0x${'11'.repeat(20)}`, amount: '0x1' },
          ],
        }),
      ],
    ] satisfies [string, (offer: Offer) => object][]
  ).map(([name, change]) => ({ name, answer: ON_HEAD, run: changed(change) })),
  {
    name: 'prevRandao is another one, which no transaction reads',
    answer: VALID,
    run: changed(() => ({ prevRandao: UNKNOWN })),
  },
  {
    name: 'a transaction is not decodable',
    answer: 'INVALID',
    run: changed(() => ({ transactions: ['0xc0'] })),
  },
  {
    name: 'a transaction has an unknown type',
    answer: 'INVALID',
    run: changed(() => ({ transactions: ['0x7f00'] })),
  },
  {
    name: 'the signature of a transaction is changed',
    answer: ON_HEAD,
    run: changed(({ payload }) => ({
      transactions: payload.transactions.map((one) => `${one.slice(0, -1)}0`),
    })),
  },
  {
    name: 'parentBeaconBlockRoot is another one',
    answer: ON_HEAD,
    run: changed(
      () => ({}),
      () => ({ beaconRoot: UNKNOWN }),
    ),
  },
  {
    name: 'expected blob hashes without blob transactions',
    answer: 'INVALID',
    run: async ({ world, next }) => world.words(await world.offer({ ...next, versionedHashes: [UNKNOWN] })),
  },
  {
    name: 'a request that no contract emitted',
    answer: ON_HEAD,
    run: changed(
      () => ({}),
      () => ({ requests: [`0x00${'00'.repeat(192)}`] }),
    ),
  },
  {
    name: 'an empty request',
    answer: '-32602 Invalid execution requests params',
    run: changed(
      () => ({}),
      () => ({ requests: ['0x00'] }),
    ),
  },
  {
    name: 'requests out of order',
    answer: '-32602 Invalid execution requests params',
    run: changed(
      () => ({}),
      () => ({ requests: ['0x0101', '0x0001'] }),
    ),
  },
  {
    name: 'the block is valid',
    answer: VALID,
    run: async ({ world, next }) => world.words(await world.offer(next)),
  },
  {
    name: 'the same block again',
    answer: VALID,
    run: async ({ world, next }) => world.words(await world.offer(next)),
  },
]

/** Whether a version of a method is for blocks of a fork; version 2 is also for blocks of Paris. */
const isFor = (version: number, fork: Fork, own: (fork: Fork) => number): boolean =>
  version === own(fork) || (version === 2 && fork === 'paris')

const VERSIONS: readonly EngineCase[] = FORKS.flatMap((fork) => [
  ...NEW_PAYLOAD_VERSIONS.map(
    (version): EngineCase => ({
      name: `engine_newPayloadV${version}, block of ${fork}`,
      answer: isFor(version, fork, newPayloadVersion) ? VALID : UNSUPPORTED,
      run: async ({ world, blocks }) => world.words(await world.offer(blocks[fork], version)),
    }),
  ),
  ...CHOICE_VERSIONS.map(
    (version): EngineCase => ({
      name: `engine_forkchoiceUpdatedV${version}, attributes of ${fork}`,
      answer: isFor(version, fork, choiceVersion) ? VALID : BAD_ATTRIBUTES,
      run: async ({ versions }) => versions.get(`choose ${version} ${fork}`)!,
    }),
  ),
  ...GET_PAYLOAD_VERSIONS.map(
    (version): EngineCase => ({
      name: `engine_getPayloadV${version}, block of ${fork}`,
      answer: isFor(version, fork, getPayloadVersion) ? 'the block' : UNSUPPORTED,
      run: async ({ versions }) => versions.get(`get ${version} ${fork}`)!,
    }),
  ),
])

const CHOICES: readonly EngineCase[] = [
  {
    name: 'the head is unknown',
    answer: SYNCING,
    run: async ({ world }) => world.words(await world.choose(UNKNOWN)),
  },
  {
    name: 'the safe block is unknown',
    answer: BAD_CHOICE,
    run: async ({ world, head }) => world.words(await world.choose(head, { safe: UNKNOWN })),
  },
  {
    name: 'the final block is unknown',
    answer: BAD_CHOICE,
    run: async ({ world, head }) => world.words(await world.choose(head, { finalized: UNKNOWN })),
  },
  {
    name: 'the final block is not an ancestor of the head',
    answer: BAD_CHOICE,
    run: async ({ world, head, next }) =>
      world.words(await world.choose(head, { finalized: next.payload.blockHash })),
  },
  {
    name: "the attributes' timestamp equals the head's",
    answer: BAD_ATTRIBUTES,
    run: async ({ world, head }) =>
      world.words(await world.choose(head, { attributes: world.attributes(45) })),
  },
  {
    name: 'the attributes lack withdrawals',
    answer: BAD_ATTRIBUTES,
    run: async ({ world, head }) =>
      world.words(await world.choose(head, { attributes: world.attributes(50, { withdrawals: null }) })),
  },
  {
    name: 'the attributes lack the root of the beacon block',
    answer: BAD_ATTRIBUTES,
    run: async ({ world, head }) => {
      const attributes = world.attributes(50, { parentBeaconBlockRoot: null })
      return world.words(await world.choose(head, { attributes }))
    },
  },
  {
    name: 'an ancestor of the head is chosen: the head remains',
    answer: 'VALID, the head is the parent',
    run: async ({ world, head, blocks }) => {
      const answer = world.words(await world.choose(blocks.paris.payload.blockHash))
      return (await world.hashOf('latest')) === head ? `${answer}, the head is the parent` : answer
    },
  },
  {
    name: 'the payload id is unknown',
    answer: '-38001 Unknown payload',
    run: async ({ world }) => world.words(await world.rpc.call('engine_getPayloadV5', '0x0000000000000001')),
  },
  {
    name: 'a child of a refused block',
    answer: ON_HEAD,
    run: async ({ world, next }) => {
      const bad = rehashed(next, { stateRoot: UNKNOWN })
      await world.offer(bad)
      const { blockHash, blockNumber } = bad.payload
      const child = { parentHash: blockHash, blockNumber: plus(blockNumber, 1n), timestamp: '0x33' }
      return world.words(await world.offer(rehashed(next, child)))
    },
  },
  {
    name: 'a refused block is chosen',
    answer: ON_HEAD,
    run: async ({ world, next }) => {
      const bad = rehashed(next, { stateRoot: UNKNOWN })
      await world.offer(bad)
      return world.words(await world.choose(bad.payload.blockHash))
    },
  },
]

const REORGS: readonly EngineCase[] = [
  {
    name: 'a reorg of 64 blocks, and back',
    answer: 'VALID, then VALID',
    run: async ({ world, head }) => {
      const [one, other] = await world.branches(head, REORG_BLOCKS)
      const words: string[] = []
      for (const tip of [one.at(-1)!, other.at(-1)!]) {
        words.push(world.words(await world.choose(tip)))
        if ((await world.hashOf('latest')) !== tip) throw new Error(`The head is not ${tip}.`)
      }
      return words.join(', then ')
    },
  },
  {
    name: 'a reorg to a block whose ancestor has a wrong state root',
    answer: 'INVALID, the last valid block is the first of the branch',
    run: async ({ world }) => {
      const [one, other] = await world.branches(await world.hashOf('latest'), 3, LATER_SECONDS)
      await world.choose(one.at(-1)!)
      const first = other[0]!
      world.names.set(first, 'the first of the branch')
      let parent = first
      for (const [index, stateRoot] of [UNKNOWN, undefined].entries()) {
        const offer = world.offered.get(other[index + 1]!)!
        const change = { parentHash: parent, ...(stateRoot !== undefined && { stateRoot }) }
        const bad = rehashed(offer, change)
        const kept = world.words(await world.offer(bad))
        if (kept !== 'ACCEPTED') throw new Error(`Block ${index + 1} is ${kept}.`)
        parent = bad.payload.blockHash
      }
      return world.words(await world.choose(parent))
    },
  },
]

/** Builds a block on the head; each case has its own time. */
const buildOnHead = async (world: EngineWorld, seconds: number): Promise<Offer> =>
  world.build(await world.hashOf('latest'), REPEATED_SECONDS + seconds)

/** A client that waits no longer closes the connection, and repeats its request. */
const REPEATED: readonly EngineCase[] = [
  {
    name: 'engine_newPayloadV4 without waiting for the answer, then again',
    answer: VALID,
    run: async ({ world }) => {
      const offer = await buildOnHead(world, 0)
      await world.abandon('engine_newPayloadV4', ...offerParams(offer))
      return world.words(await world.offer(offer))
    },
  },
  {
    name: 'engine_newPayloadV4 twice at the same time',
    answer: 'VALID and VALID',
    run: async ({ world }) => {
      const offer = await buildOnHead(world, 1)
      const answers = await Promise.all([world.offer(offer), world.offer(offer)])
      return answers.map((answer) => world.words(answer)).join(' and ')
    },
  },
  {
    name: 'engine_forkchoiceUpdatedV3 without waiting for the answer, then again',
    answer: 'VALID, the head is the block',
    run: async ({ world }) => {
      const offer = await buildOnHead(world, 2)
      await world.offer(offer)
      const { blockHash } = offer.payload
      const choice = { headBlockHash: blockHash, safeBlockHash: ZERO, finalizedBlockHash: ZERO }
      await world.abandon('engine_forkchoiceUpdatedV3', choice, null)
      const words = world.words(await world.choose(blockHash))
      return (await world.hashOf('latest')) === blockHash ? `${words}, the head is the block` : words
    },
  },
  {
    name: 'engine_getPayloadV5 twice',
    answer: 'the same block',
    run: async ({ world }) => {
      const id = await world.begin(await world.hashOf('latest'), REPEATED_SECONDS + 3)
      await world.abandon('engine_getPayloadV5', id)
      const [one, other] = [
        await world.rpc.call('engine_getPayloadV5', id),
        await world.rpc.call('engine_getPayloadV5', id),
      ]
      if (one.error !== undefined) return world.words(one)
      return isDeepStrictEqual(one, other) ? 'the same block' : 'another block'
    },
  },
]

export const ENGINE_CASES: Readonly<Record<string, readonly EngineCase[]>> = {
  'Invalid payloads': INVALID_PAYLOADS,
  'Choices and attributes': CHOICES,
  Reorgs: REORGS,
  'Repeated requests': REPEATED,
  'Versions and forks': VERSIONS,
}
