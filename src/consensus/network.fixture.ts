/** A validator network with known keys: blocks are built, sealed and imported with every rule. */
import { offer, openArchive } from '#chain/chain.fixture.ts'
import type { Chain, ImportVerdict } from '#chain/write/create-chain.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { createFakeClock, type FakeClock } from '#platform/fake-clock.fixture.ts'
import { createMemoryKv } from '#store/kv/memory-kv.fixture.ts'
import type { Address } from '#types/address.ts'
import {
  type BftProtocol,
  type BftVote,
  decodeBftExtraData,
  encodeBftExtraData,
  encodeGenesisExtraData,
} from '#types/block/bft-extra-data.ts'
import { BFT_MIX_HASH } from '#types/block/bft-header.ts'
import { bftCommittedSealHash } from '#types/block/bft-header-hash.ts'
import { decodeBlock, encodeBlock } from '#types/block/block.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { addressFromPublicKey, publicKeyFromPrivate, type Sign, sign } from '#types/curve.ts'
import { type Genesis, parseGenesis } from '#types/genesis/genesis.ts'
import { hashToBytes } from '#types/hash.ts'
import { formatData } from '#types/hex.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { bftTemplate } from './bft/block-template.ts'
import { createHeaderRules } from './create-header-rules.ts'
import type { BftNetwork } from './driver-parts.ts'

export interface TestValidator {
  readonly address: Address
  readonly key: Uint8Array
}

/** Sorted by address. */
export function testValidators(count: number): readonly TestValidator[] {
  const validators = Array.from({ length: count }, (_, index): TestValidator => {
    const key = new Uint8Array(32).fill(index + 1)
    return { key, address: addressFromPublicKey(publicKeyFromPrivate('secp256k1', key)) }
  })
  return validators.sort((a, b) => (a.address < b.address ? -1 : 1))
}

export function testNetwork(
  config: Readonly<Record<string, unknown>>,
  validators: readonly TestValidator[],
  alloc: Readonly<Record<string, unknown>> = {},
  gasLimit = '0x1c9c380',
): Genesis {
  const protocol = 'ibft2' in config ? 'ibft2' : 'qbft'
  const addresses = validators.map(({ address }) => address)
  const verdict = parseGenesis(
    JSON.stringify({
      config: { chainId: 1337, berlinBlock: 0, londonBlock: 0, zeroBaseFee: true, ...config },
      extraData: formatData(encodeGenesisExtraData(protocol, addresses)),
      gasLimit,
      difficulty: '0x1',
      mixHash: BFT_MIX_HASH,
      alloc,
    }),
  )
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.problems))
  return verdict.genesis
}

export interface TestChain {
  readonly chain: Chain
  readonly clock: FakeClock
}

export async function openTestNetwork(genesis: Genesis): Promise<TestChain> {
  const clock = createFakeClock()
  const engine = await createJsEngine()
  return { chain: await openArchive(genesis, createMemoryKv(), { engine, clock, createHeaderRules }), clock }
}

export interface NextBlock {
  readonly protocol?: BftProtocol
  /** The validators listed in the header. */
  readonly validators: readonly TestValidator[]
  readonly author: TestValidator
  /** All validators by default. */
  readonly sealers?: readonly TestValidator[]
  readonly vote?: BftVote
  readonly round?: number
  readonly laterSeconds?: bigint
  readonly transactions?: readonly Transaction[]
  /** A contract names the validators, so the header lists none. */
  readonly hasContract?: boolean
  /** Changes that break the header; it is sealed with them. */
  readonly change?: Partial<BlockHeader>
}

/** Builds and seals a block on the head. */
export async function makeBlock(chain: Chain, next: NextBlock): Promise<Uint8Array> {
  const { protocol = 'qbft', validators, author, sealers = validators, vote = null, round = 0 } = next
  const addresses = next.hasContract ? [] : validators.map(({ address }) => address)
  const template = bftTemplate({
    parent: chain.head.hash,
    timestamp: chain.head.header.timestamp + (next.laterSeconds ?? 1n),
    coinbase: author.address,
    extraData: encodeBftExtraData(protocol, {
      vanity: new Uint8Array(32),
      validators: addresses,
      vote,
      round,
      seals: [],
    }),
  })
  const { executed } = await chain.build(template, offer(next.transactions ?? []))
  const header = { ...executed.block.header, ...next.change }
  return sealBlock(protocol, encodeBlock({ ...executed.block, header }), sealers)
}

export function sealBlock(
  protocol: BftProtocol,
  encoded: Uint8Array,
  sealers: readonly Pick<TestValidator, 'key'>[],
  signs: Sign = sign,
): Uint8Array {
  const block = decodeBlock(encoded)
  const signed = hashToBytes(bftCommittedSealHash(protocol, block.header))
  const content = decodeBftExtraData(protocol, block.header.extraData)
  const seals = sealers.map(({ key }) => signs(key, signed))
  const extraData = encodeBftExtraData(protocol, { ...content, seals })
  return encodeBlock({ ...block, header: { ...block.header, extraData } })
}

/** Builds, seals and imports the next block. */
export async function extend(chain: Chain, next: NextBlock): Promise<ImportVerdict> {
  return chain.importBlock(chain.receive(await makeBlock(chain, next)))
}

/** The network of a node without peers. */
export const NO_NETWORK: BftNetwork = {
  send: () => {},
  connected: () => [],
  exchanging: () => [],
  turnedAway: () => [],
}
