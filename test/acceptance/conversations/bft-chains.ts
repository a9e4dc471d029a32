/**
 * Networks for conversations about consensus. They use the keys of testValidators, so every run produces the same
 * bytes: A, B, C and D by rising address.
 *
 *   votes, ibft2  A, B and C validate; blocks 1 (by A) and 2 (by B) vote D in, blocks 3 (by D) and 4 (by C) are empty
 *   dev           the development network, with only block 0
 *   contract      a contract names the validator: A until block 1 changes it to B, which proposes block 2
 */
import { DEV_ACCOUNTS } from '#consensus/dev/dev-accounts.ts'
import { devGenesisText } from '#consensus/dev/dev-genesis.ts'
import {
  extend,
  type NextBlock,
  type TestValidator,
  testNetwork,
  testValidators,
} from '#consensus/network.fixture.ts'
import { parseAddress } from '#types/address.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { parseData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import { openMemoryChain, parseGenesisText } from '../../conformance/chains/memory-chain.ts'
import type { LocalChain } from './chain-resources.ts'

const [a, b, c, d] = testValidators(4) as [TestValidator, TestValidator, TestValidator, TestValidator]

const CHAINS: Readonly<Record<string, () => Promise<LocalChain>>> = {
  votes: () => openVotes('qbft'),
  ibft2: () => openVotes('ibft2'),
  contract: openContract,
  dev: openDev,
}

const opened = new Map<string, Promise<LocalChain>>()

/** Returns undefined for an unknown name. */
export function bftChain(name: string): Promise<LocalChain> | undefined {
  const chain = opened.get(name) ?? CHAINS[name]?.()
  if (chain !== undefined) opened.set(name, chain)
  return chain
}

async function openDev(): Promise<LocalChain> {
  const genesis = parseGenesisText(devGenesisText(DEV_ACCOUNTS.slice(-3)))
  return { ...(await openMemoryChain(genesis)), genesis }
}

async function openVotes(protocol: BftProtocol): Promise<LocalChain> {
  const config = { [protocol]: { blockperiodseconds: 2, requesttimeoutseconds: 4 } }
  const vote = { recipient: d.address, type: 'add' } as const
  const three = { protocol, laterSeconds: 2n, validators: [a, b, c] }
  const four = { ...three, validators: [a, b, c, d] }
  return openWith(testNetwork(config, [a, b, c]), [
    { ...three, author: a, vote },
    { ...three, author: b, vote },
    { ...four, author: d },
    { ...four, author: c },
  ])
}

/** Returns a list with one address, which is in slot 0; 32 bytes of input replace it. */
const CONTRACT_CODE = '0x36602014601c5760206000526001602052600054604052' + '60606000f35b60003560005500'
const CONTRACT = parseAddress('88'.repeat(20))
const RICH_KEY = new Uint8Array(32).fill(99)
const RICH = addressFromPublicKey(publicKeyFromPrivate('secp256k1', RICH_KEY))

async function openContract(): Promise<LocalChain> {
  const word = ({ address }: TestValidator) => `0x${'00'.repeat(12)}${address.slice(2)}`
  const alloc = {
    [CONTRACT]: { balance: '0x0', code: CONTRACT_CODE, storage: { '0x0': word(a) } },
    [RICH]: { balance: '0xffffffffffff' },
  }
  const call = { nonce: 0n, gasLimit: 100_000n, to: CONTRACT, value: 0n, data: parseData(word(b)) }
  const change = signTransaction({ type: 0, chainId: 1337n, gasPrice: 1n, ...call }, RICH_KEY)
  return openWith(testNetwork({ qbft: { validatorcontractaddress: CONTRACT } }, [], alloc), [
    { hasContract: true, validators: [a], author: a, transactions: [change] },
    { hasContract: true, validators: [b], author: b },
  ])
}

async function openWith(genesis: Genesis, blocks: readonly NextBlock[]): Promise<LocalChain> {
  const { chain, engine } = await openMemoryChain(genesis)
  for (const block of blocks) {
    const verdict = await extend(chain, block)
    if (!verdict.ok) throw new Error(verdict.sentence)
  }
  return { chain, genesis, engine }
}
