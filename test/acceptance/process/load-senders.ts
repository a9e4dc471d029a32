/** Accounts that send transfers. They remember acknowledged transactions, also across restarts of a node. */
import { type Address, parseAddress } from '#types/address.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import type { RpcClient } from '../../support/rpc-client.ts'

const CHAIN_ID = 1337n
const RECEIVER = parseAddress('77'.repeat(20))
const GAS_PRICE_WEI = 10_000_000_000n
const BALANCE_WEI = 10n ** 24n
const KNOWN = 'Known transaction'
const NONCE_TOO_LOW = -32001

export interface LoadSender {
  readonly key: Uint8Array
  readonly address: Address
  nonce: bigint
  /** The nonce after the last accepted transaction. */
  reached: bigint
}

/** The private key of a sender; senders with another `fill` have other keys. */
export function senderKey(index: number, fill = 1): Uint8Array {
  const key = new Uint8Array(32).fill(fill)
  new DataView(key.buffer).setUint32(0, index + 1)
  return key
}

export function senderAddress(key: Uint8Array): Address {
  return addressFromPublicKey(publicKeyFromPrivate('secp256k1', key))
}

/** Balances for the genesis file. */
export function richAlloc(addresses: readonly Address[]): Record<string, object> {
  const rich = { balance: `0x${BALANCE_WEI.toString(16)}` }
  return Object.fromEntries(addresses.map((address) => [address, rich]))
}

export class LoadSenders {
  /** Hashes of accepted transactions. */
  readonly accepted = new Set<string>()
  /** Refusals for other reasons than the end of the node. */
  readonly refusals: string[] = []
  readonly all: readonly LoadSender[]

  constructor(count: number) {
    this.all = Array.from({ length: count }, (_, index) => {
      const key = senderKey(index)
      return { key, address: senderAddress(key), nonce: 0n, reached: 0n }
    })
  }

  /** Balances for the genesis file. */
  alloc(): Record<string, object> {
    return richAlloc(this.all.map(({ address }) => address))
  }

  /** The senders of one of several connections. */
  ofLane(lane: number, lanes: number): readonly LoadSender[] {
    return this.all.filter((_sender, index) => index % lanes === lane)
  }

  /** Sends a sender's next transaction; `node` names the node in refusals. Returns false if the node is gone. */
  async send(client: RpcClient, sender: LoadSender, node = ''): Promise<boolean> {
    const unsigned = {
      type: 0,
      chainId: CHAIN_ID,
      nonce: sender.nonce,
      to: RECEIVER,
      data: new Uint8Array(0),
      gasPrice: GAS_PRICE_WEI,
      gasLimit: 21_000n,
      value: 1n,
    } as const
    const { encoded, hash } = signTransaction(unsigned, sender.key)
    const answer = await client.call('eth_sendRawTransaction', formatData(encoded)).catch(() => undefined)
    if (answer === undefined) return false
    if (answer.result === hash || answer.error?.message === KNOWN) {
      this.accepted.add(hash)
      sender.nonce++
      if (sender.nonce > sender.reached) sender.reached = sender.nonce
    } else if (answer.error?.code === NONCE_TOO_LOW) {
      // After a kill a validator may decide its prepared block again, which contains our transactions.
      const nonce = await nonceOf(client, sender.address).catch(() => undefined)
      if (nonce === undefined) return false
      sender.nonce = nonce
    } else this.refusals.push(`${node}${JSON.stringify(answer)}`)
    return true
  }
}

export async function nonceOf(client: RpcClient, address: Address): Promise<bigint> {
  return BigInt((await client.call('eth_getTransactionCount', address, 'latest')).result as string)
}
