/*
 * Full validation accepts whatever light validation accepts, except for the commit seals of the block itself. A block that only
 * validators accept would split them from all followers. CAIRN_SEED repeats a run, CAIRN_RUNS extends it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { InvalidBlock } from '#chain/block/stages.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { type BftProtocol, decodeBftExtraData, encodeBftExtraData } from '#types/block/bft-extra-data.ts'
import { type Block, decodeBlock, encodeBlock } from '#types/block/block.ts'
import { type BlockHeader, NO_OPTIONAL_FIELDS } from '#types/block/block-header.ts'
import { ommersHash, withdrawalsRoot } from '#types/block/block-roots.ts'
import { MAX_UINT64, MAX_UINT256 } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { hashFromBytes } from '#types/hash.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '#types/rlp.ts'
import {
  makeBlock,
  openTestNetwork,
  sealBlock,
  type TestValidator,
  testNetwork,
  testValidators,
} from './network.fixture.ts'

const FORKS = { berlin: {}, london: { londonBlock: 0 }, shanghai: { shanghaiTime: 0 } } as const
const LATER = { cancunTime: 0, pragueTime: 0, osakaTime: 0 }
/** One network for each form of headers. */
const NETWORKS: readonly (readonly [string, BftProtocol, object])[] = [
  ['qbft, Berlin', 'qbft', { ...FORKS.berlin, londonBlock: undefined, zeroBaseFee: undefined }],
  ['ibft2, London', 'ibft2', { ...FORKS.london, zeroBaseFee: undefined }],
  ['qbft, Shanghai, zero base fee', 'qbft', { ...FORKS.london, ...FORKS.shanghai }],
  ['qbft, Osaka', 'qbft', { ...FORKS.london, ...FORKS.shanghai, ...LATER, zeroBaseFee: undefined }],
  ['ibft2, Osaka, zero base fee', 'ibft2', { ...FORKS.london, ...FORKS.shanghai, ...LATER }],
  [
    'qbft, Osaka, fixed base fee',
    'qbft',
    { ...FORKS.london, ...FORKS.shanghai, ...LATER, zeroBaseFee: undefined, fixedBaseFee: true },
  ],
]
const SEED = process.env.CAIRN_SEED === undefined ? {} : { seed: Number(process.env.CAIRN_SEED) }
const RUNS = Number(process.env.CAIRN_RUNS ?? 60)
const validators = testValidators(5)
const stranger = validators[4]!
const four = validators.slice(0, 4)

interface Hostile {
  readonly protocol: BftProtocol
  readonly honest: Block
  readonly parent: BlockHeader
}

type Change = (block: Block, hostile: Hostile) => Block

const numbers = fc.oneof(
  fc.constantFrom(0n, 1n, 2n, 7n, 131_072n, 2n ** 32n, 2n ** 63n, MAX_UINT64),
  fc.bigInt({ min: 0n, max: MAX_UINT64 }),
)
const hashes = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(hashFromBytes)
/** A field gets another value, the honest one plus or minus one, or none. */
const fieldChanges: fc.Arbitrary<Change> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('number', 'gasLimit', 'gasUsed', 'timestamp', 'nonce', 'difficulty', 'baseFeePerGas'),
      fc.oneof(numbers, fc.constantFrom('more', 'less')),
    )
    .map(([field, value]) => withField(field as keyof BlockHeader, value)),
  fc
    .tuple(
      fc.constantFrom('blobGasUsed', 'excessBlobGas', 'slotNumber'),
      fc.oneof(numbers, fc.constantFrom('more', 'less')),
    )
    .map(([field, value]) => withField(field as keyof BlockHeader, value)),
  fc.constantFrom(MAX_UINT256, 875_000_000n, 10n ** 30n).map((fee) => withField('baseFeePerGas', fee)),
  fc
    .tuple(
      fc.constantFrom('parentHash', 'ommersHash', 'mixHash', 'withdrawalsRoot', 'parentBeaconBlockRoot'),
      hashes,
    )
    .map(([field, value]) => withField(field as keyof BlockHeader, value)),
  fc
    .tuple(fc.constantFrom('requestsHash', 'blockAccessListHash', 'stateRoot', 'receiptsRoot'), hashes)
    .map(([field, value]) => withField(field as keyof BlockHeader, value)),
  fc.constantFrom(...Object.keys(NO_OPTIONAL_FIELDS)).map((field) => withoutFieldsFrom(field)),
  fc
    .constantFrom(...validators.map(({ address }) => address))
    .map((coinbase) => withField('coinbase', coinbase)),
)
const bodyChanges: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ index: numbers, validatorIndex: numbers, amountGwei: numbers }).map(
    (values): Change =>
      (block) => {
        const withdrawals = [{ ...values, address: stranger.address }]
        return {
          ...block,
          withdrawals,
          header: { ...block.header, withdrawalsRoot: withdrawalsRoot(withdrawals) },
        }
      },
  ),
  fc.constantFrom<Change>((block) => ({ ...block, withdrawals: block.withdrawals ? undefined : [] })),
  fc.boolean().map(
    (isNamed): Change =>
      (block, { parent }) => {
        const ommers = [{ ...parent, nonce: 77n }]
        const header = isNamed ? { ...block.header, ommersHash: ommersHash(ommers) } : block.header
        return { ...block, ommers, header }
      },
  ),
)
const extraDataChanges: fc.Arbitrary<Change> = fc.oneof(
  fc.uint8Array({ maxLength: 80 }).map((bytes) => withItems((items) => [...items, bytes])),
  fc.uint8Array({ maxLength: 80 }).map((vanity) => withItems(([, ...rest]) => [vanity, ...rest])),
  fc
    .uint8Array({ maxLength: 2 })
    .map((type) =>
      withItems(([vanity, listed, , ...rest]) => [vanity!, listed!, [new Uint8Array(20), type], ...rest]),
    ),
  fc.integer({ min: 0, max: 2 ** 32 - 1 }).map((round) => withContent((content) => ({ ...content, round }))),
  fc
    .shuffledSubarray(validators.map(({ address }) => address))
    .map((listed) => withContent((content) => ({ ...content, validators: listed }))),
  fc
    .constantFrom('add' as const, 'drop' as const)
    .map((type) => withContent((content) => ({ ...content, vote: { recipient: stranger.address, type } }))),
)
const changes = fc.array(fc.oneof(fieldChanges, bodyChanges, extraDataChanges), {
  minLength: 1,
  maxLength: 3,
})

for (const [name, protocol, config] of NETWORKS) {
  test(`${name}: every node accepts a block that a validator accepts as a proposal`, async (context) => {
    const network = await openNetwork(protocol, config)
    let accepted = 0
    const hostileBlocks = fc.asyncProperty(
      changes,
      fc.subarray([...four], { minLength: 2 }),
      async (list, sealers) => {
        const encoded = hostileBlock(network, list, sealers)
        if (encoded === undefined) return
        const light = await judge(network.chain, encoded, 'light')
        const full = await judge(network.other, encoded, 'full')
        const again = await judge(network.chain, encoded, 'full')
        if (light === undefined) accepted++
        if (light !== undefined) assert.ok(full !== undefined && again !== undefined, light.sentence)
        else if (sealers.length >= 3) assert.deepEqual([full, again], [undefined, undefined])
        else for (const each of [full, again]) assert.match(each?.sentence ?? '', /^It has 2 seals/)
      },
    )
    await fc.assert(hostileBlocks, { numRuns: RUNS, ...SEED })
    context.diagnostic(`${RUNS} hostile blocks, ${accepted} accepted as proposals`)
  })
}

/** Two chains with the same two blocks, and the honest third block. */
async function openNetwork(protocol: BftProtocol, config: object) {
  const genesis = testNetwork({ ...config, [protocol]: {} }, four)
  const { chain, clock } = await openTestNetwork(genesis)
  const { chain: other, clock: otherClock } = await openTestNetwork(genesis)
  for (const each of [clock, otherClock]) each.setWall(10_000)
  const next = { protocol, validators: four, author: four[0]! }
  for (let number = 1; number <= 2; number++) {
    const block = await makeBlock(chain, next)
    for (const each of [chain, other]) assert.ok((await each.importBlock(each.receive(block))).ok)
  }
  const honest = decodeBlock(await makeBlock(chain, next))
  return { chain, other, protocol, honest, parent: chain.head.header }
}

/** The changed block with its seals; undefined if it cannot be encoded. */
function hostileBlock(
  hostile: Hostile,
  list: readonly Change[],
  sealers: readonly TestValidator[],
): Uint8Array | undefined {
  try {
    const changed = list.reduce((block, change) => change(block, hostile), hostile.honest)
    const encoded = encodeBlock(changed)
    return sealed(hostile.protocol, encoded, sealers)
  } catch {
    return undefined
  }
}

/** Seals the block and keeps the rest of its extra data. */
function sealed(protocol: BftProtocol, encoded: Uint8Array, sealers: readonly TestValidator[]): Uint8Array {
  const canonical = decodeBlock(sealBlock(protocol, encoded, sealers)).header.extraData
  const block = decodeBlock(encoded)
  const items = decodeRlp(block.header.extraData) as readonly RlpItem[]
  const seals = (decodeRlp(canonical) as readonly RlpItem[])[4]!
  const extraData = encodeRlp([...items.slice(0, 4), seals, ...items.slice(5)])
  return encodeBlock({ ...block, header: { ...block.header, extraData } })
}

async function judge(
  chain: Chain,
  encoded: Uint8Array,
  validation: 'light' | 'full',
): Promise<Pick<InvalidBlock, 'sentence'> | undefined> {
  try {
    const verdict = await chain.validate(chain.receive(encoded), { validation })
    return verdict.ok ? undefined : verdict
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { sentence: error.data.sentence }
  }
}

function withField(field: keyof BlockHeader, value: unknown): Change {
  return (block, { honest }) => {
    const before = honest.header[field]
    const step = value === 'more' ? 1n : -1n
    const isStep = typeof value === 'string' && !value.startsWith('0x')
    const changed = isStep ? (typeof before === 'bigint' ? before + step : 1n) : value
    return { ...block, header: { ...block.header, [field]: changed } }
  }
}

/** A header ends with its first absent field. */
function withoutFieldsFrom(first: string): Change {
  const names = Object.keys(NO_OPTIONAL_FIELDS)
  const absent = Object.fromEntries(names.slice(names.indexOf(first)).map((name) => [name, undefined]))
  return (block) => ({ ...block, header: { ...block.header, ...absent } })
}

function withItems(change: (items: readonly RlpItem[]) => RlpItem): Change {
  return (block) => {
    const items = decodeRlp(block.header.extraData) as readonly RlpItem[]
    return { ...block, header: { ...block.header, extraData: encodeRlp(change(items)) } }
  }
}

function withContent(
  change: (content: ReturnType<typeof decodeBftExtraData>) => ReturnType<typeof decodeBftExtraData>,
): Change {
  return (block, { protocol }) => {
    const content = change(decodeBftExtraData(protocol, block.header.extraData))
    return { ...block, header: { ...block.header, extraData: encodeBftExtraData(protocol, content) } }
  }
}
