/** Transfers, token transfers and blobs of one account, sent to the second node, so they reach the proposer by the wire. */
import { loadCrypto } from '#evm/crypto.ts'
import { blobContent } from '#pool/blob-transaction.fixture.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData, parseData } from '#types/hex.ts'
import {
  encodePooledTransaction,
  type SidecarVersion,
  versionedHash,
} from '#types/transaction/blob-sidecar.ts'
import { contractAddress } from '#types/transaction/contract-address.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import type { RpcClient } from '../../../support/rpc-client.ts'
import { compileToken } from '../test-token.ts'

/** A well-known key of development networks. */
const KEY = parseData('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
export const RICH = addressFromPublicKey(publicKeyFromPrivate('secp256k1', KEY))
export const CHAIN_ID = 32_382n
const RECEIVER = `0x${'22'.repeat(20)}` as typeof RICH
const FEES = { maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
const CALL = { chainId: CHAIN_ID, value: 0n, data: new Uint8Array(0), accessList: [], ...FEES } as const
const SUPPLY = `${'00'.repeat(26)}ffffffffffff`

const LIMIT_EXCEEDED = -32005

type Kind = 'transfers' | 'tokens' | 'blobs'

export class Load {
  #rpc: RpcClient
  readonly #version: SidecarVersion
  readonly #sent: Record<Kind, string[]> = { transfers: [], tokens: [], blobs: [] }
  readonly #token = contractAddress(RICH, 0n)
  #nonce = 0n

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
    const counts = await Promise.all(
      [rpc, other].map(async (one) => (await one.call('eth_getTransactionCount', RICH, 'pending')).result),
    )
    this.#nonce = BigInt(Math.max(...counts.map(Number)))
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
    const sidecar = await blobs.prove([blobContent(Number(this.#nonce & 0xffn))], this.#version)
    const blobVersionedHashes = sidecar.commitments.map(versionedHash)
    const fields = {
      ...CALL,
      gasLimit: 21_000n,
      to: RECEIVER,
      maxFeePerBlobGas: 1_000_000_000n,
      blobVersionedHashes,
    }
    const transaction = signTransaction({ type: 3, nonce: this.#nonce, ...fields }, KEY)
    await this.#post('blobs', encodePooledTransaction({ transaction, sidecar }))
  }

  async #submit(
    kind: Kind,
    fields: Omit<Parameters<typeof signTransaction>[0] & { type: 2 }, 'nonce'>,
  ): Promise<void> {
    await this.#post(kind, signTransaction({ ...fields, nonce: this.#nonce }, KEY).encoded)
  }

  async #post(kind: Kind, encoded: Uint8Array): Promise<void> {
    const { result, error } = await this.#rpc.call('eth_sendRawTransaction', formatData(encoded))
    // The pool takes few blobs of one sender, and a node without its consensus client includes none.
    if (error?.code === LIMIT_EXCEEDED) return
    if (error !== undefined) throw new Error(`${kind}: ${JSON.stringify(error)}`)
    this.#sent[kind].push(result as string)
    this.#nonce++
  }
}
