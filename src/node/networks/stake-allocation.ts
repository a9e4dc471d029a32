/** Accounts of networks that are proof of stake from block 1 on: what all of them have, and the funded ones. */
import { createHash } from 'node:crypto'
import { SYSTEM_CONTRACTS } from '#consensus/dev/system-contracts.ts'
import { DEPOSIT_CONTRACT_CODE } from './deposit-contract.ts'

export const DEPOSIT_CONTRACT = '0x00000000219ab540356cbb839cbe05303d7705fa'
const DEPOSIT_TREE_DEPTH = 32
/** The slot of the first stored hash of an empty subtree; the hash of an empty leaf is 0 and not stored. */
const FIRST_EMPTY_HASH_SLOT = 0x22
/** Every address below it has 1 wei. */
const PRECOMPILED_ADDRESSES = 256
const WEI_PER_ETHER = 10n ** 18n
/** Contracts of EIP-7002 and EIP-7251 start with this excess, which blocks requests until the first block of Prague. */
const INHIBITED = { [word(0)]: `0x${'ff'.repeat(32)}` }
const REQUEST_CONTRACTS: ReadonlySet<string> = new Set([
  '0x00000961ef480eb55e80d19ad83579a64c007002',
  '0x0000bbddc7ce488642fb579f8b00f3a590007251',
])

/** Accounts by their balance in ether, without 0x. */
export type FundedAccounts = readonly (readonly [ether: bigint, addresses: readonly string[]])[]

/** The accounts of a genesis file by address. */
export type Allocation = Readonly<Record<string, object>>

export function fundedAllocation(funded: FundedAccounts): Allocation {
  return Object.fromEntries(
    funded.flatMap(([ether, addresses]) =>
      addresses.map((address) => [`0x${address}`, { balance: `0x${(ether * WEI_PER_ETHER).toString(16)}` }]),
    ),
  )
}

/** Precompiled addresses, system contracts, the deposit contract and funded accounts. */
export function stakeAllocation(funded: FundedAccounts): Allocation {
  const precompiled = Array.from({ length: PRECOMPILED_ADDRESSES }, (_, index) => [
    `0x${index.toString(16).padStart(40, '0')}`,
    { balance: '0x1' },
  ])
  const system = Object.entries(SYSTEM_CONTRACTS).map(([address, code]) => [
    address,
    { balance: '0x0', nonce: '0x1', code, ...(REQUEST_CONTRACTS.has(address) && { storage: INHIBITED }) },
  ])
  return {
    ...Object.fromEntries([...precompiled, ...system]),
    ...fundedAllocation(funded),
    [DEPOSIT_CONTRACT]: { balance: '0x0', code: DEPOSIT_CONTRACT_CODE, storage: emptyHashes() },
  }
}

/** The hashes of empty subtrees, which the constructor of the deposit contract computes. */
function emptyHashes(): Readonly<Record<string, string>> {
  const slots: Record<string, string> = {}
  let hash: Uint8Array = new Uint8Array(32)
  for (let height = 1; height < DEPOSIT_TREE_DEPTH; height++) {
    hash = createHash('sha256').update(hash).update(hash).digest()
    slots[word(FIRST_EMPTY_HASH_SLOT + height - 1)] = `0x${Buffer.from(hash).toString('hex')}`
  }
  return slots
}

function word(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}
