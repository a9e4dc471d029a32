/** Transfers to a running node at a steady rate: what was acknowledged is remembered, also over the end of a node. */
import { type Address, parseAddress } from '#types/address.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/transaction-encode.ts'
import { openRpcClient, type RpcClient } from './rpc-client.ts'

const CONNECTIONS = 8
const CHAIN_ID = 1337n
const RECEIVER = parseAddress('77'.repeat(20))
const GAS_PRICE_WEI = 10_000_000_000n
const BALANCE_WEI = 10n ** 24n
const KNOWN = 'Known transaction'
const NONCE_TOO_LOW = -32001

interface LoadSender {
  readonly key: Uint8Array
  readonly address: Address
  nonce: bigint
  /** Behind the last one that was ever taken. */
  reached: bigint
}

export interface LoadPlan {
  readonly perSecond: number
  /** Ends the load; what is under way is waited for. */
  readonly signal: AbortSignal
}

export class TransferLoad {
  /** Hashes of transactions that the pool took. */
  readonly accepted = new Set<string>()
  /** What was answered otherwise, and not because the node had ended. */
  readonly refusals: string[] = []
  readonly #senders: readonly LoadSender[]

  constructor(senders: number) {
    this.#senders = Array.from({ length: senders }, (_, index) => {
      const key = new Uint8Array(32).fill(1)
      new DataView(key.buffer).setUint32(0, index + 1)
      return {
        key,
        address: addressFromPublicKey(publicKeyFromPrivate('secp256k1', key)),
        nonce: 0n,
        reached: 0n,
      }
    })
  }

  /** For the genesis file. */
  alloc(): Record<string, object> {
    const rich = { balance: `0x${BALANCE_WEI.toString(16)}` }
    return Object.fromEntries(this.#senders.map(({ address }) => [address, rich]))
  }

  /** Goes on from what the chain of a node knows: what it had not mined is sent again. */
  async resume(port: number): Promise<void> {
    const client = openRpcClient(port)
    for (const sender of this.#senders) sender.nonce = await nonceOf(client, sender.address)
    client.close()
  }

  /** Ends by the signal, or because the node ended. */
  async run(port: number, { perSecond, signal }: LoadPlan): Promise<void> {
    const beganMs = performance.now()
    let sent = 0
    const lanes = Array.from({ length: CONNECTIONS }, async (_, lane) => {
      const client = openRpcClient(port)
      const senders = this.#senders.filter((_sender, index) => index % CONNECTIONS === lane)
      for (let turn = 0; !signal.aborted; turn++) {
        const dueMs = beganMs + (sent++ * 1_000) / perSecond
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())))
        if (!(await this.#send(client, senders[turn % senders.length]!))) break
      }
      client.close()
    })
    await Promise.all(lanes)
  }

  /** Whether the chain has every transaction that was taken. */
  async isMined(port: number): Promise<boolean> {
    const client = openRpcClient(port)
    try {
      for (const { address, reached } of this.#senders) {
        if ((await nonceOf(client, address)) < reached) return false
      }
      return true
    } finally {
      client.close()
    }
  }

  /** False: the node is gone. */
  async #send(client: RpcClient, sender: LoadSender): Promise<boolean> {
    const price = { gasPrice: GAS_PRICE_WEI, gasLimit: 21_000n, value: 1n }
    const { nonce } = sender
    const unsigned = {
      type: 0,
      chainId: CHAIN_ID,
      nonce,
      to: RECEIVER,
      data: new Uint8Array(0),
      ...price,
    } as const
    const { encoded, hash } = signTransaction(unsigned, sender.key)
    const answer = await client.call('eth_sendRawTransaction', formatData(encoded)).catch(() => undefined)
    if (answer === undefined) return false
    if (answer.result === hash || answer.error?.message === KNOWN) {
      this.accepted.add(hash)
      sender.nonce++
      if (sender.nonce > sender.reached) sender.reached = sender.nonce
    } else if (answer.error?.code === NONCE_TOO_LOW) {
      // A validator that was killed decides again on the block that it had prepared, with what it held of ours.
      sender.nonce = await nonceOf(client, sender.address)
    } else this.refusals.push(JSON.stringify(answer))
    return true
  }
}

async function nonceOf(client: RpcClient, address: Address): Promise<bigint> {
  return BigInt((await client.call('eth_getTransactionCount', address, 'latest')).result as string)
}
