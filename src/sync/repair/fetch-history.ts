/** Fetches old blocks with their receipts from peers, to rebuild damaged segments. */

import { encodeStoredReceipts, type StoredReceipt } from '#chain/block/stored-receipts.ts'
import type { BlockSource, SourceContent, SourceHeader } from '#chain/write/rebuild-segment.ts'
import type { Crypto } from '#evm/crypto.ts'
import { askPeer } from '#sync/catch-up/ask-peer.ts'
import type { CatchUpParts } from '#sync/catch-up/catch-up.ts'
import { type AskEachParts, askAncestors, askBodies, askEach } from '#sync/catch-up/fetch-by-hash.ts'
import { knownBody, type MatchedBody } from '#sync/catch-up/match-bodies.ts'
import { recoverSenders } from '#sync/catch-up/recover-senders.ts'
import { ethFault } from '#sync/faults.ts'
import type { EthPeer } from '#sync/peers/eth-peer.ts'
import { decodeAnswer, encodeAskedHashes } from '#sync/wire/block-requests.ts'
import { ETH, MAX_RECEIPTS } from '#sync/wire/eth-codes.ts'
import { decodeBlockReceipts, type PeerReceipt } from '#sync/wire/receipts.ts'
import { receiptsRoot } from '#types/block/block-roots.ts'
import { bloomOfLogs } from '#types/block/bloom.ts'
import type { Hash } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'

export interface FetchHistoryParts extends AskEachParts, Pick<CatchUpParts, 'hashBlock'> {
  readonly crypto: Crypto
}

const EMPTY_ROOT = receiptsRoot([])

export class FetchHistory implements BlockSource {
  readonly #parts: FetchHistoryParts

  constructor(parts: FetchHistoryParts) {
    this.#parts = parts
  }

  headers(from: Hash, count: number): Promise<readonly SourceHeader[] | undefined> {
    const { hashBlock } = this.#parts
    return askEach(this.#parts, (peer) => askAncestors(peer, { from, count, hashBlock }))
  }

  /** Peers may send fewer receipts than bodies; the caller asks again for the rest. */
  async contents(
    headers: readonly SourceHeader[],
  ): Promise<readonly (SourceContent | undefined)[] | undefined> {
    const { keccak } = this.#parts.crypto
    const bodies = headers.map(({ header }) => knownBody(header))
    const unknown = headers.flatMap((_, at) => (bodies[at] === undefined ? at : []))
    if (unknown.length > 0) {
      const wanted = unknown.map((at) => headers[at]!)
      const found = await askEach(this.#parts, (peer) => askBodies(peer, wanted, keccak))
      for (const [index, body] of found?.entries() ?? []) bodies[unknown[index]!] = body
    }
    const receipts = await this.#receipts(headers.filter((_, at) => bodies[at] !== undefined))
    const contents = await Promise.all(
      headers.map(({ hash }, at) => this.#content(bodies[at], receipts.get(hash))),
    )
    return contents.some((content) => content !== undefined) ? contents : undefined
  }

  async #receipts(headers: readonly SourceHeader[]): Promise<ReadonlyMap<Hash, readonly PeerReceipt[]>> {
    const receipts = new Map<Hash, readonly PeerReceipt[]>()
    const wanted = headers.filter(({ header }) => header.receiptsRoot !== EMPTY_ROOT)
    for (const { hash, header } of headers) if (header.receiptsRoot === EMPTY_ROOT) receipts.set(hash, [])
    if (wanted.length === 0) return receipts
    const { keccak } = this.#parts.crypto
    const found = await askEach(this.#parts, (peer) => askReceipts(peer, wanted, keccak))
    for (const [hash, list] of found ?? []) receipts.set(hash, list)
    return receipts
  }

  /** Senders are stored with receipts; the reasons of reverted calls are not part of what peers send. */
  async #content(
    matched: MatchedBody | undefined,
    receipts: readonly PeerReceipt[] | undefined,
  ): Promise<SourceContent | undefined> {
    if (matched === undefined || receipts === undefined) return undefined
    const { transactions } = matched.body
    const [senders = []] = await recoverSenders([transactions], this.#parts.crypto)
    if (senders.length !== receipts.length || receipts.length !== transactions.length) return undefined
    const stored = receipts.map(
      (receipt, at): StoredReceipt => ({ ...receipt, sender: senders[at]!, revertReason: undefined }),
    )
    return { body: matched.encoded, receipts: encodeStoredReceipts(stored) }
  }
}

/** Receipts by block hash. A peer leaves out blocks that it does not have; undefined if it has none of them. */
async function askReceipts(
  peer: EthPeer,
  headers: readonly SourceHeader[],
  keccak: Keccak,
): Promise<ReadonlyMap<Hash, readonly PeerReceipt[]> | undefined> {
  const what = headers.map(({ hash }) => hash)
  const data = await askPeer(peer, ETH.getReceipts, ETH.receipts, (id) => encodeAskedHashes({ id, what }))
  const answer = decodeAnswer('Receipts', data, MAX_RECEIPTS).what
  const found = new Map<Hash, readonly PeerReceipt[]>()
  let next = 0
  for (const encoded of answer) {
    const receipts = decodeBlockReceipts(peer.version, encoded)
    const root = receiptsRoot(
      receipts.map((each) => ({ ...each, logsBloom: bloomOfLogs(each.logs) })),
      keccak,
    )
    while (next < headers.length && headers[next]!.header.receiptsRoot !== root) next++
    if (next === headers.length)
      throw ethFault('The peer sent receipts that belong to none of the blocks asked for.')
    found.set(headers[next++]!.hash, receipts)
  }
  return found.size === 0 ? undefined : found
}
