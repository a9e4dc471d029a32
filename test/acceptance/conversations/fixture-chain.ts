/**
 * The chain for conversations: a QBFT network with Cancun rules and five blocks, the same bytes in
 * every run. RICH sends all transactions; COUNTER counts, logs and returns; REVERTER reverts with text.
 *
 *   1  a transfer to SOMEBODY (legacy)
 *   2  a call of COUNTER (access list), a transfer to SOMEBODY (fee market)
 *   3  a creation of a contract like COUNTER
 *   4  a failing call of REVERTER, and a call of COUNTER
 *   5  empty
 */
import { offer } from '#chain/chain.fixture.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { bftTemplate } from '#consensus/bft/block-template.ts'
import { parseAddress } from '#types/address.ts'
import { encodeGenesisExtraData } from '#types/block/bft-extra-data.ts'
import { BFT_MIX_HASH } from '#types/block/bft-header.ts'
import { encodeBlock } from '#types/block/block.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { parseHash } from '#types/hash.ts'
import { formatData, parseData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import type { Transaction, UnsignedTransaction } from '#types/transaction/transaction.ts'
import { openMemoryChain, parseGenesisText } from '../../conformance/chains/memory-chain.ts'
import type { LocalChain } from './chain-resources.ts'

const KEY = new Uint8Array(32).fill(7)
export const RICH = addressFromPublicKey(publicKeyFromPrivate('secp256k1', KEY))
export const SOMEBODY = parseAddress('22'.repeat(20))
export const COUNTER = parseAddress('33'.repeat(20))
export const REVERTER = parseAddress('44'.repeat(20))
const VALIDATOR = parseAddress('11'.repeat(20))
const GWEI = 10n ** 9n
const CHAIN_ID = 1337n

/** Increments slot 0, logs the result with topic 7 and returns it. */
const COUNTER_CODE = '60005460010180600055600052600760206000a160206000f3'
/** Reverts with Error("no"). */
const REVERTER_CODE =
  '7f08c379a000000000000000000000000000000000000000000000000000000000600052' +
  '60206004526002602452616e6f60f01b60445260646000fd'

/** Nine bytes of init code that return the code after them. */
const CREATION = parseData(`0x60${(COUNTER_CODE.length / 2).toString(16)}8060093d393df3${COUNTER_CODE}`)

const GENESIS = {
  config: {
    chainId: Number(CHAIN_ID),
    berlinBlock: 0,
    londonBlock: 0,
    shanghaiTime: 0,
    cancunTime: 0,
    qbft: { blockperiodseconds: 2, epochlength: 30_000, requesttimeoutseconds: 4 },
  },
  timestamp: '0x65000000',
  extraData: formatData(encodeGenesisExtraData('qbft', [VALIDATOR])),
  gasLimit: '0x1c9c380',
  difficulty: '0x1',
  mixHash: BFT_MIX_HASH,
  alloc: {
    [RICH]: { balance: '0xde0b6b3a7640000' },
    [COUNTER]: { balance: '0x0', code: `0x${COUNTER_CODE}`, storage: { '0x0': '0x29' } },
    [REVERTER]: { balance: '0x0', code: `0x${REVERTER_CODE}` },
  },
}

export const GENESIS_TEXT = JSON.stringify(GENESIS)

let opened: Promise<LocalChain> | undefined

/** All conversations of a process share this chain, because they only read it. */
export function fixtureChain(): Promise<LocalChain> {
  opened ??= openFixtureChain()
  return opened
}

/** A separate chain for conversations that write. */
export async function openFixtureChain(): Promise<LocalChain> {
  const genesis = parseGenesisText(GENESIS_TEXT)
  const { chain, engine } = await openMemoryChain(genesis)
  for (const transactions of blocks()) await extendFixture(chain, transactions)
  return { chain, genesis, engine }
}

/** Builds a block and makes it the head. `timestamp` distinguishes blocks with the same transactions. */
export async function extendFixture(
  chain: Chain,
  candidates: readonly Transaction[],
  timestamp: bigint = chain.head.header.timestamp + 2n,
): Promise<void> {
  const template = bftTemplate({
    parent: chain.head.hash,
    timestamp,
    coinbase: VALIDATOR,
    extraData: encodeGenesisExtraData('qbft', [VALIDATOR]),
  })
  const { executed } = await chain.build(template, offer(candidates))
  const verdict = await chain.importBlock(chain.receive(encodeBlock(executed.block)), { validation: 'light' })
  if (!verdict.ok) throw new Error(verdict.sentence)
}

const CALL = { gasLimit: 100_000n, value: 0n, data: new Uint8Array(0) }
const FEES = { maxFeePerGas: 2n * GWEI, maxPriorityFeePerGas: GWEI / 10n, accessList: [] }

function blocks(): Transaction[][] {
  const slot = parseHash('00'.repeat(32))
  return [
    [sign({ type: 0, ...CALL, chainId: CHAIN_ID, nonce: 0n, to: SOMEBODY, value: 5n, gasPrice: 2n * GWEI })],
    [
      sign({
        type: 1,
        ...CALL,
        chainId: CHAIN_ID,
        nonce: 1n,
        to: COUNTER,
        gasPrice: 2n * GWEI,
        accessList: [{ address: COUNTER, storageKeys: [slot] }],
      }),
      sign({ type: 2, ...CALL, ...FEES, chainId: CHAIN_ID, nonce: 2n, to: SOMEBODY, value: 7n }),
    ],
    [sign({ type: 2, ...CALL, ...FEES, chainId: CHAIN_ID, nonce: 3n, to: null, data: CREATION })],
    [
      sign({ type: 2, ...CALL, ...FEES, chainId: CHAIN_ID, nonce: 4n, to: REVERTER }),
      sign({ type: 2, ...CALL, ...FEES, chainId: CHAIN_ID, nonce: 5n, to: COUNTER }),
    ],
    [],
  ]
}

export function sign(unsigned: UnsignedTransaction): Transaction {
  return signTransaction(unsigned, KEY)
}
