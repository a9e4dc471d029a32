/** Transfers, token transfers and blobs, sent to the second node, so they reach the proposer by the wire. */
import { loadCrypto } from '#evm/crypto.ts'
import { blobContent } from '#pool/blob-transaction.fixture.ts'
import { parseAddress } from '#types/address.ts'
import { formatData, parseData } from '#types/hex.ts'
import {
  encodePooledTransaction,
  type SidecarVersion,
  versionedHash,
} from '#types/transaction/blob-sidecar.ts'
import { contractAddress } from '#types/transaction/contract-address.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import type { RpcClient } from '../../../support/rpc-client.ts'
import { senderAddress, senderKey } from '../../process/load-senders.ts'
import { compileToken } from '../test-token.ts'

/** Geth keeps blobs and other transactions of one account apart, so blobs have their own sender. */
const KEYS = { plain: senderKey(0), blobs: senderKey(1) } as const
type Sender = keyof typeof KEYS
const ADDRESSES = { plain: senderAddress(KEYS.plain), blobs: senderAddress(KEYS.blobs) } as const
export const ACCOUNTS = Object.values(ADDRESSES)
export const CHAIN_ID = 32_382n
const RECEIVER = parseAddress('22'.repeat(20))
const FEES = { maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
const CALL = { chainId: CHAIN_ID, value: 0n, data: new Uint8Array(0), accessList: [], ...FEES } as const
const SUPPLY = `${'00'.repeat(26)}ffffffffffff`

const LIMIT_EXCEEDED = -32005
/** The same refusal of geth, which has no code of its own. */
const GETH_LIMIT_EXCEEDED = 'account limit exceeded'

type Kind = 'transfers' | 'tokens' | 'blobs'

export class Load {
  #rpc: RpcClient
  readonly #version: SidecarVersion
  readonly #sent: Record<Kind, string[]> = { transfers: [], tokens: [], blobs: [] }
  readonly #token = contractAddress(ADDRESSES.plain, 0n)
  readonly #nonces: Record<Sender, bigint> = { plain: 0n, blobs: 0n }

  static async create(rpc: RpcClient, { version }: { readonly version: SidecarVersion }): Promise<Load> {
    const load = new Load(rpc, version)
    const data = parseData(`${compileToken().bytecode}${SUPPLY}`)
    await load.#submit('tokens', { type: 2, ...CALL, gasLimit: 3_000_000n, to: null, data })
    return load
  }

  private constructor(rpc: RpcClient, version: SidecarVersion) {
    this.#rpc = rpc
    this.#version = version
  }

  /** Continues after a restart: a killed node loses transactions that it had not passed on. */
  async resume(rpc: RpcClient, other: RpcClient): Promise<void> {
    this.#rpc = rpc
    for (const sender of Object.keys(ADDRESSES) as Sender[]) {
      const counts = await Promise.all(
        [rpc, other].map(
          async (one) => (await one.call('eth_getTransactionCount', ADDRESSES[sender], 'pending')).result,
        ),
      )
      this.#nonces[sender] = BigInt(Math.max(...counts.map(Number)))
    }
  }

  /** Sends one of each kind. */
  async send(): Promise<void> {
    await this.#submit('transfers', { type: 2, ...CALL, gasLimit: 21_000n, to: RECEIVER, value: 1n })
    const data = parseData(`0xa9059cbb${RECEIVER.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`)
    await this.#submit('tokens', { type: 2, ...CALL, gasLimit: 100_000n, to: this.#token, data })
    await this.#submitBlobs()
  }

  /** How many of each kind are in blocks up to a number, and succeeded. */
  async countFinal(finalized: number): Promise<Record<Kind, number>> {
    const counts = { transfers: 0, tokens: 0, blobs: 0 }
    for (const [kind, hashes] of Object.entries(this.#sent) as [Kind, string[]][]) {
      for (const hash of hashes) {
        const receipt = (await this.#rpc.call('eth_getTransactionReceipt', hash)).result as {
          readonly blockNumber: string
          readonly status: string
        } | null
        if (receipt !== null && Number(receipt.blockNumber) <= finalized && receipt.status === '0x1')
          counts[kind]++
      }
    }
    return counts
  }

  summary(): string {
    return Object.entries(this.#sent)
      .map(([kind, hashes]) => `${hashes.length} ${kind} sent`)
      .join(', ')
  }

  async #submitBlobs(): Promise<void> {
    const { blobs } = await loadCrypto()
    if (blobs === undefined) throw new Error('The native engine is not built: npm run build:native')
    const sidecar = await blobs.prove([blobContent(Number(this.#nonces.blobs & 0xffn))], this.#version)
    const blobVersionedHashes = sidecar.commitments.map(versionedHash)
    const fields = {
      ...CALL,
      gasLimit: 21_000n,
      to: RECEIVER,
      maxFeePerBlobGas: 1_000_000_000n,
      blobVersionedHashes,
    }
    const transaction = signTransaction({ type: 3, nonce: this.#nonces.blobs, ...fields }, KEYS.blobs)
    await this.#post('blobs', encodePooledTransaction({ transaction, sidecar }))
  }

  async #submit(
    kind: Kind,
    fields: Omit<Parameters<typeof signTransaction>[0] & { type: 2 }, 'nonce'>,
  ): Promise<void> {
    await this.#post(kind, signTransaction({ ...fields, nonce: this.#nonces.plain }, KEYS.plain).encoded)
  }

  async #post(kind: Kind, encoded: Uint8Array): Promise<void> {
    const { result, error } = await this.#rpc.call('eth_sendRawTransaction', formatData(encoded))
    // The pool takes few blobs of one sender, and a node without its consensus client includes none.
    if (error?.code === LIMIT_EXCEEDED || error?.message.startsWith(GETH_LIMIT_EXCEEDED)) return
    if (error !== undefined) throw new Error(`${kind}: ${JSON.stringify(error)}`)
    this.#sent[kind].push(result as string)
    this.#nonces[kind === 'blobs' ? 'blobs' : 'plain']++
  }
}
