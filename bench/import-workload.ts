/** The workload of bench/import.ts: a million accounts, of which a thousand send to the others. */
import type { Crypto } from '#evm/crypto.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { type Address, addressFromBytes, addressToBytes, parseAddress } from '#types/address.ts'
import { encodeGenesisExtraData } from '#types/block/bft-extra-data.ts'
import { BFT_MIX_HASH } from '#types/block/bft-header.ts'
import { bigintToBytes, bytesToBigint, concatBytes } from '#types/bytes.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { type Genesis, parseGenesis } from '#types/genesis/genesis.ts'
import type { GenesisAccount } from '#types/genesis/genesis-alloc.ts'
import { formatData, parseDataLenient } from '#types/hex.ts'
import { StateChangesWriter } from '#types/state-changes.ts'
import { encodeForSigning } from '#types/transaction/sign-transaction.ts'
import type { Transaction, UnsignedTransaction } from '#types/transaction/transaction.ts'
import { completeTransaction } from '#types/transaction/transaction-encode.ts'
import { ERC20_CODE } from './erc20-code.ts'

export type Kind = 'transfers' | 'ERC-20 transfers'

export const CHAIN_ID = 1337n
export const TOKEN = parseAddress('70'.repeat(20))
export const VALIDATOR = parseAddress('11'.repeat(20))
export const EXTRA_DATA = encodeGenesisExtraData('qbft', [VALIDATOR])
/** The genesis file without its accounts. */
export const GENESIS_FIELDS = {
  config: { chainId: 1337, berlinBlock: 0, londonBlock: 0, shanghaiTime: 0, zeroBaseFee: true, qbft: {} },
  extraData: formatData(EXTRA_DATA),
  gasLimit: '0x7fffffff',
  difficulty: '0x1',
  mixHash: BFT_MIX_HASH,
}
const SENDERS = 1_000
/** The number of accounts with tokens. */
const HOLDERS = 100_000
const BALANCE = 10n ** 24n
const TOKENS = 10n ** 30n
/** Accounts or slots created by one block. */
const PART_ACCOUNTS = 20_000
const NO_CODE = new Uint8Array(0)
const NO_STORAGE: ReadonlyMap<bigint, bigint> = new Map()
const TRANSFER = parseDataLenient('a9059cbb')

interface Signer {
  readonly address: Address
  readonly key: Uint8Array
  nonce: bigint
}

export class Workload {
  /** Contains only the senders and the token. */
  readonly genesis: Genesis
  /** Token balances by slot. */
  readonly tokenStorage: ReadonlyMap<bigint, bigint>
  readonly #crypto: Crypto
  readonly #random = createSeededRandom(1)
  readonly #senders: readonly Signer[]
  readonly #people: readonly Address[]
  #next = 0

  constructor(accounts: number, crypto: Crypto) {
    this.#crypto = crypto
    this.#senders = Array.from({ length: SENDERS }, (_, index) => createSigner(index + 1, crypto))
    this.#people = Array.from({ length: accounts }, () => addressFromBytes(this.#random.randomBytes(20)))
    this.genesis = this.#createGenesis()
    const holders = [...this.#senders.map(({ address }) => address), ...this.#people.slice(0, HOLDERS)]
    this.tokenStorage = new Map(holders.map((address) => [this.balanceSlot(address), TOKENS]))
  }

  /** Transactions of the senders in turn; some recipients are far more popular than others. */
  transactions(kind: Kind, count: number): Transaction[] {
    return Array.from({ length: count }, () => {
      const sender = this.#senders[this.#next++ % SENDERS]!
      return signed(this.#unsigned(kind, sender), sender.key, this.#crypto)
    })
  }

  /** Continues on a chain that has this many of its transactions. */
  resumeAfter(count: number): void {
    this.#next = count
    for (const [index, sender] of this.#senders.entries()) {
      sender.nonce = BigInt(Math.floor((count + SENDERS - 1 - index) / SENDERS))
    }
  }

  /** A transaction of the next sender, without data. */
  call(to: Address): Transaction {
    const sender = this.#senders[this.#next++ % SENDERS]!
    const unsigned = this.#unsigned('transfers', sender)
    return signed({ ...unsigned, to, value: 0n, gasLimit: 100_000n }, sender.key, this.#crypto)
  }

  #unsigned(kind: Kind, sender: Signer): UnsignedTransaction {
    const isToken = kind === 'ERC-20 transfers'
    const to = this.#pick(isToken ? Math.min(HOLDERS, this.#people.length) : this.#people.length)
    return {
      type: 2,
      chainId: CHAIN_ID,
      nonce: sender.nonce++,
      gasLimit: isToken ? 100_000n : 21_000n,
      maxFeePerGas: 1_000_000_000n,
      maxPriorityFeePerGas: 0n,
      accessList: [],
      to: isToken ? TOKEN : to,
      value: isToken ? 0n : 1n,
      data: isToken
        ? concatBytes(TRANSFER, bigintToBytes(bytesToBigint(addressToBytes(to)), 32), bigintToBytes(1n, 32))
        : NO_CODE,
    }
  }

  #pick(among: number): Address {
    const uniform = this.#random.randomBelow(2 ** 32) / 2 ** 32
    return this.#people[Math.floor(uniform ** 3 * among)]!
  }

  /** The initial state of every account except the token. */
  get plainAccount(): GenesisAccount {
    return { balance: BALANCE, nonce: 0n, code: NO_CODE, storage: NO_STORAGE }
  }

  /** Changes that create the state, in parts. They would fit in a genesis file, whose hash would take minutes. */
  *fillings(): Generator<Uint8Array, void, undefined> {
    const noCode = this.#crypto.keccak(NO_CODE)
    const writer = new StateChangesWriter()
    for (let from = 0; from < this.#people.length; from += PART_ACCOUNTS) {
      const part = this.#people.slice(from, from + PART_ACCOUNTS)
      for (const address of part) writer.account(addressToBytes(address), 0n, BALANCE, noCode)
      yield writer.finish()
    }
    const token = addressToBytes(TOKEN)
    const slots = [...this.tokenStorage]
    for (let from = 0; from < slots.length; from += PART_ACCOUNTS) {
      for (const [slot, value] of slots.slice(from, from + PART_ACCOUNTS)) {
        writer.storage(token, bigintToBytes(slot, 32), bigintToBytes(value, 32))
      }
      yield writer.finish()
    }
  }

  #createGenesis(): Genesis {
    const verdict = parseGenesis(JSON.stringify({ ...GENESIS_FIELDS, alloc: {} }))
    if (!verdict.ok) throw new Error(JSON.stringify(verdict.problems))
    const alloc = new Map<Address, GenesisAccount>()
    for (const { address } of this.#senders) alloc.set(address, this.plainAccount)
    alloc.set(TOKEN, { balance: 0n, nonce: 1n, code: parseDataLenient(ERC20_CODE), storage: NO_STORAGE })
    return { ...verdict.genesis, alloc }
  }

  /** The genesis block with all accounts and tokens. Computing its hash takes minutes for a million accounts. */
  filledGenesis(): Genesis {
    const alloc = new Map(this.genesis.alloc)
    for (const address of this.#people) alloc.set(address, this.plainAccount)
    alloc.set(TOKEN, { ...alloc.get(TOKEN)!, storage: this.tokenStorage })
    return { ...this.genesis, alloc }
  }

  /** The token's storage slot for an address' balance. */
  balanceSlot(address: Address): bigint {
    const key = new Uint8Array(64)
    key.set(addressToBytes(address), 12)
    return bytesToBigint(this.#crypto.keccak(key))
  }
}

function createSigner(index: number, { keccak }: Crypto): Signer {
  const key = bigintToBytes(BigInt(index) * 7_919n, 32)
  return { address: addressFromPublicKey(publicKeyFromPrivate('secp256k1', key), keccak), key, nonce: 0n }
}

function signed(unsigned: UnsignedTransaction, key: Uint8Array, { keccak, sign }: Crypto): Transaction {
  const signature = sign(key, keccak(encodeForSigning(unsigned)))
  const [r, s] = [bytesToBigint(signature.subarray(0, 32)), bytesToBigint(signature.subarray(32, 64))]
  return completeTransaction(unsigned, { r, s, yParity: signature[64] === 1 ? 1 : 0 }, keccak)
}
