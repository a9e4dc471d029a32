/** Requests for blocks whose hashes are known: a peer can refuse, but not lie. */

import { ethFault } from '#sync/faults.ts'
import type { EthPeer } from '#sync/peers/eth-peer.ts'
import { decodeAnswer, encodeAskedHashes, encodeGetBlockHeaders } from '#sync/wire/block-requests.ts'
import { ETH, MAX_BODIES } from '#sync/wire/eth-codes.ts'
import type { HashBlock } from '#types/block/block-hash.ts'
import type { Hash } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import { askPeer, blamePeer } from './ask-peer.ts'
import type { CatchUpParts } from './catch-up.ts'
import { type ChainedHeader, readHeader } from './header-chain.ts'
import { type MatchedBody, matchBodies } from './match-bodies.ts'

export interface AskEachParts extends Pick<CatchUpParts, 'log' | 'peers'> {
  /** Aborted when the node stops. */
  readonly signal: AbortSignal
}

/** Asks one peer after the other until one has an answer. */
export async function askEach<Answer>(
  { log, peers, signal }: AskEachParts,
  ask: (peer: EthPeer) => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  for (const peer of peers().toSorted((a, b) => b.score.points - a.score.points)) {
    if (signal.aborted) return undefined
    try {
      const answer = await ask(peer)
      if (answer === undefined) continue
      peer.useful()
      return answer
    } catch (error) {
      blamePeer(log, peer, error)
    }
  }
  return undefined
}

/** The block and its ancestors. Undefined if the peer does not have it; throws a fault if the headers are others. */
export async function askAncestors(
  peer: EthPeer,
  { from, count, hashBlock }: { readonly from: Hash; readonly count: number; readonly hashBlock: HashBlock },
): Promise<readonly ChainedHeader[] | undefined> {
  const what = { from, count: BigInt(count), skip: 0n, isReverse: true }
  const data = await askPeer(peer, ETH.getBlockHeaders, ETH.blockHeaders, (id) =>
    encodeGetBlockHeaders({ id, what }),
  )
  const { what: encoded } = decodeAnswer('BlockHeaders', data, count)
  const headers = encoded.map((bytes) => readHeader(bytes, hashBlock))
  let expected = from
  for (const { hash, header } of headers) {
    if (hash !== expected) throw ethFault(`The peer sent header ${hash} instead of ${expected}.`)
    expected = header.parentHash
  }
  return headers.length === 0 ? undefined : headers
}

/** Undefined if the peer has none of the bodies. */
export async function askBodies(
  peer: EthPeer,
  headers: readonly ChainedHeader[],
  keccak: Keccak,
): Promise<readonly (MatchedBody | undefined)[] | undefined> {
  const what = headers.map(({ hash }) => hash)
  const data = await askPeer(peer, ETH.getBlockBodies, ETH.blockBodies, (id) =>
    encodeAskedHashes({ id, what }),
  )
  const answer = decodeAnswer('BlockBodies', data, MAX_BODIES).what
  if (answer.length === 0) return undefined
  return matchBodies(
    answer,
    headers.map(({ header }) => header),
    keccak,
  )
}
