/** The engine on its own journal: recovers senders and executes transactions, and keeps only the state. */
import type { Crypto } from '#evm/crypto.ts'
import type { Engine } from '#evm/engine.ts'
import { rulesAt } from '#evm/rules.ts'
import { createStateLookup, type StateAccount } from '#evm/state-lookup.ts'
import { type Address, addressFromBytes } from '#types/address.ts'
import type { Block } from '#types/block/block.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { hashToBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import {
  ACCOUNT_BALANCE,
  ACCOUNT_CODE_HASH,
  accountNonceAt,
  readStateChanges,
  STORAGE_SLOT,
  STORAGE_VALUE,
  wordAt,
} from '#types/state-changes.ts'
import { recoverSender } from '#types/transaction/transaction-sender.ts'
import { TOKEN, type Workload } from './import-workload.ts'

export interface BareFigures {
  readonly cpuMs: number
  readonly recoveryMs: number
  readonly executionMs: number
}

/** Accounts that changed since the genesis file. Kept between scenarios, because their nonces continue. */
const changed = new Map<Address, StateAccount>()
const slots = new Map<string, Uint8Array>()

export async function runBare(
  engine: Engine,
  { keccak, recover }: Crypto,
  workload: Workload,
  blocks: readonly { readonly block: Block }[],
): Promise<BareFigures> {
  const { genesis } = workload
  const lookup = createStateLookup(stateOf(workload, keccak))
  let recoveryMs = 0
  let executionMs = 0
  let cpuMs = 0
  for (const { block } of blocks) {
    const { header } = block
    const cpu = process.cpuUsage()
    const start = performance.now()
    const transactions = block.transactions.map((transaction) => ({
      transaction,
      sender: recoverSender(transaction, recover, keccak),
    }))
    const recovered = performance.now()
    const session = engine.open(
      {
        number: header.number,
        timestamp: header.timestamp,
        gasLimit: header.gasLimit,
        coinbase: header.coinbase,
        difficulty: header.difficulty,
        prevRandao: hashToBytes(header.mixHash),
        baseFeePerGas: header.baseFeePerGas ?? 0n,
        blobBaseFee: 0n,
      },
      rulesAt(genesis.config, header),
      lookup,
    )
    const { refusal } = await session.run(transactions)
    if (refusal !== undefined) throw new Error(refusal.sentence)
    const changes = session.finish()
    recoveryMs += recovered - start
    executionMs += performance.now() - recovered
    const { user, system } = process.cpuUsage(cpu)
    cpuMs += (user + system) / 1000
    apply(changes)
  }
  return { cpuMs, recoveryMs, executionMs }
}

function stateOf({ genesis, plainAccount, tokenStorage }: Workload, keccak: Keccak) {
  const token = genesis.alloc.get(TOKEN)!
  const plain: StateAccount = { ...plainAccount, codeHash: keccak(new Uint8Array(0)) }
  const contract: StateAccount = { ...token, codeHash: keccak(token.code) }
  return {
    account: (bytes: Uint8Array) => {
      const address = addressFromBytes(bytes)
      return changed.get(address) ?? (address === TOKEN ? contract : plain)
    },
    storage: (bytes: Uint8Array, slot: Uint8Array) => {
      const known = slots.get(keyOf(bytes, slot))
      if (known !== undefined) return known
      const value = tokenStorage.get(wordAt(slot, 0))
      return value === undefined ? undefined : bigintToBytes(value, 32)
    },
    code: () => token.code,
    blockHash: () => undefined,
  }
}

function apply(changes: Uint8Array): void {
  readStateChanges(changes, {
    account: (bytes, at) => {
      changed.set(addressFromBytes(bytes.subarray(at, at + 20)), {
        nonce: accountNonceAt(bytes, at),
        balance: wordAt(bytes, at + ACCOUNT_BALANCE),
        codeHash: bytes.slice(at + ACCOUNT_CODE_HASH, at + ACCOUNT_CODE_HASH + 32),
      })
    },
    storage: (bytes, at) => {
      const slot = bytes.subarray(at + STORAGE_SLOT, at + STORAGE_VALUE)
      slots.set(
        keyOf(bytes.subarray(at, at + 20), slot),
        bytes.slice(at + STORAGE_VALUE, at + STORAGE_VALUE + 32),
      )
    },
  })
}

function keyOf(address: Uint8Array, slot: Uint8Array): string {
  return Buffer.concat([address, slot]).toString('latin1')
}
