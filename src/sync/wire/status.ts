/** The first message of each side: its network, genesis block, fork and head. */
import type { ForkId } from '#p2p/discv4/node-record.ts'
import { ethFault } from '#sync/faults.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import { bytesFromRlp, encodeRlp, listFromRlp, type RlpItem, rlpScalar, scalarFromRlp } from '#types/rlp.ts'
import type { EthVersion } from './eth-codes.ts'
import { asEthMessage, readBlockNumber, readHash, readList, readUint64 } from './read-message.ts'

/** The range of blocks that a node has. */
export interface BlockRange {
  readonly earliest: number
  readonly latest: number
  readonly latestHash: Hash
}

export interface Status {
  readonly version: number
  readonly networkId: bigint
  readonly genesis: Hash
  readonly forkId: ForkId
  readonly latestHash: Hash
  /** Set up to eth/68. */
  readonly totalDifficulty: bigint | undefined
  /** Set from eth/69 on. */
  readonly range: BlockRange | undefined
}

const MAX_ITEMS = 16
const FORK_HASH_BYTES = 4
const DIFFICULTY_BYTES = 32

export function encodeStatus(status: Status): Uint8Array {
  const { version, networkId, genesis, forkId, latestHash, totalDifficulty, range } = status
  const fork = [forkId.hash, rlpScalar(forkId.next)]
  const head = [rlpScalar(version), rlpScalar(networkId)]
  if (range !== undefined) return encodeRlp([...head, hashToBytes(genesis), fork, ...rangeToRlp(range)])
  return encodeRlp([
    ...head,
    rlpScalar(totalDifficulty ?? 0n),
    hashToBytes(latestHash),
    hashToBytes(genesis),
    fork,
  ])
}

export function decodeStatus(version: EthVersion, data: Uint8Array): Status {
  return asEthMessage('Status', data, () => {
    const items = readList(data, MAX_ITEMS)
    return version >= 69 ? rangedStatus(items) : difficultyStatus(items)
  })
}

/** `[version, network, difficulty, latest, genesis, fork]` */
function difficultyStatus(items: readonly RlpItem[]): Status {
  const [version, networkId, difficulty, latestHash, genesis, fork] = listFromRlp(items, 6)
  return {
    version: Number(readUint64(version)),
    networkId: readUint64(networkId),
    totalDifficulty: scalarFromRlp(difficulty!, DIFFICULTY_BYTES),
    latestHash: readHash(latestHash),
    genesis: readHash(genesis),
    forkId: forkIdFromRlp(fork!),
    range: undefined,
  }
}

/** `[version, network, genesis, fork, earliest, latest, latestHash]` */
function rangedStatus(items: readonly RlpItem[]): Status {
  const [version, networkId, genesis, fork, ...blocks] = listFromRlp(items, 7)
  const range = rangeFromRlp(blocks)
  return {
    version: Number(readUint64(version)),
    networkId: readUint64(networkId),
    genesis: readHash(genesis),
    forkId: forkIdFromRlp(fork!),
    latestHash: range.latestHash,
    totalDifficulty: undefined,
    range,
  }
}

function forkIdFromRlp(item: RlpItem): ForkId {
  const [hash, next] = listFromRlp(item, 2)
  return { hash: bytesFromRlp(hash!, FORK_HASH_BYTES).slice(), next: readUint64(next) }
}

/** Sent from eth/69 on when the range has changed. */
export function encodeBlockRange(range: BlockRange): Uint8Array {
  return encodeRlp(rangeToRlp(range))
}

export function decodeBlockRange(data: Uint8Array): BlockRange {
  return asEthMessage('BlockRangeUpdate', data, () => rangeFromRlp(readList(data, MAX_ITEMS)))
}

function rangeToRlp({ earliest, latest, latestHash }: BlockRange): RlpItem[] {
  return [rlpScalar(earliest), rlpScalar(latest), hashToBytes(latestHash)]
}

function rangeFromRlp(items: readonly RlpItem[]): BlockRange {
  const [first, last, hash] = listFromRlp(items, 3)
  const range = {
    earliest: readBlockNumber(first),
    latest: readBlockNumber(last),
    latestHash: readHash(hash),
  }
  if (range.earliest <= range.latest) return range
  throw ethFault(`The block range from ${range.earliest} to ${range.latest} is invalid.`)
}
