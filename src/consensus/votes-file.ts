/**
 * What this validator signed, in a file of its own beside the database: a head with network and validator, and records
 * one after another, of which the last counts (docs/wire/votes.md). A record is on the disk before anything in it is
 * signed. A last record that is torn was never signed and is passed over; anything else that is broken means that the
 * file cannot be trusted.
 */
import type { LoadedVotes, VotesRecord } from '#consensus/bft/events.ts'
import type { MessageCodec } from '#consensus/bft/messages.ts'
import { createAppendFile, openAppendFile } from '#platform/files/append-file.ts'
import { kindOfPath, readFileBounded } from '#platform/files/files.ts'
import { type Address, addressToBytes } from '#types/address.ts'
import { concatBytes, equalBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import { consensusFault } from './faults.ts'
import {
  CHECKSUM_BYTES,
  checksumOf,
  frameRecord,
  isTornWrite,
  MAX_RECORD_BYTES,
  recordAt,
} from './votes-frames.ts'
import { decodeVotesRecord, encodeVotesRecord } from './votes-record.ts'

export interface VotesFileOptions {
  readonly path: string
  /** A network may go from one protocol to another. */
  readonly codecAt: (height: number) => MessageCodec
  readonly keccak: Keccak
  readonly address: Address
  readonly genesis: Hash
}

export interface VotesFile {
  readonly loaded: LoadedVotes
  /** Resolves when the record is durable; records become durable in the order in which they were given. */
  save(record: VotesRecord): Promise<void>
  close(): Promise<void>
}

const MAGIC = new TextEncoder().encode('CAIRNVOT')
/** What `cairn backup restore` leaves in place of a file of votes. */
const RESTORED_MAGIC = new TextEncoder().encode('CAIRNRST')
const VERSION = 1
/** Above this the file starts anew with the record at hand, which may itself be as long as a record can be. */
export const MAX_GROWN_BYTES = 4 * 1024 * 1024
const MAX_FILE_BYTES = MAX_GROWN_BYTES + 2 * MAX_RECORD_BYTES

export async function openVotesFile(options: VotesFileOptions): Promise<VotesFile> {
  const { path, codecAt, keccak } = options
  const head = fileHead(options)
  const found = kindOfPath(path) === undefined ? undefined : readFileBounded(path, MAX_FILE_BYTES)
  // Every write puts the head first, so an empty file never held a vote: it counts as a missing one.
  const existing = found?.length === 0 ? undefined : found
  const { loaded, goodBytes } = existing ? readVotes(existing, head, options) : NOTHING_THERE
  const isKnown = loaded === undefined || typeof loaded === 'object'
  // A lost file stays as it is until something is signed: another start before that must find it lost as well.
  const file =
    existing === undefined
      ? await createAppendFile(path, head)
      : await openAppendFile(path, isKnown ? goodBytes : existing.length)
  let mustReplace = !isKnown
  let last: Promise<void> = Promise.resolve()
  const write = async (record: Uint8Array): Promise<void> => {
    const replaces = mustReplace || file.sizeBytes > MAX_GROWN_BYTES
    // After a failure nobody knows what the disk holds, and what is appended might stand behind a broken record.
    mustReplace = true
    await (replaces ? file.replace(concatBytes(head, record)) : file.append(record))
    mustReplace = false
  }
  return {
    loaded,
    save: (record) => {
      const framed = frameRecord(encodeVotesRecord(record, codecAt(record.height)), keccak)
      last = last.then(
        () => write(framed),
        () => write(framed),
      )
      return last
    },
    close: async () => {
      await last.catch(() => undefined)
      await file.close()
    },
  }
}

interface ReadVotes {
  readonly loaded: VotesFile['loaded']
  /** The head and the records up to the first that is not whole. */
  readonly goodBytes: number
}

const NOTHING_THERE: ReadVotes = { loaded: undefined, goodBytes: 0 }
const LOST: ReadVotes = { loaded: 'lost', goodBytes: 0 }
const RESTORED: ReadVotes = { loaded: 'restored', goodBytes: 0 }

/**
 * The whole file of a node whose data directory comes from a backup. What its key signed since the backup was made is known
 * to nobody, and no file of votes from the backup could tell; nor is its key known here.
 */
export function restoredVotes(genesis: Hash): Uint8Array {
  return concatBytes(RESTORED_MAGIC, Uint8Array.of(VERSION), hashToBytes(genesis))
}

function readVotes(bytes: Uint8Array, head: Uint8Array, options: VotesFileOptions): ReadVotes {
  if (equalBytes(bytes.subarray(0, RESTORED_MAGIC.length), RESTORED_MAGIC)) {
    if (!equalBytes(bytes, restoredVotes(options.genesis))) throw otherNetwork(options.path)
    return RESTORED
  }
  const found = bytes.subarray(0, head.length)
  if (found.length < head.length || !hasChecksum(found, options.keccak)) return LOST
  if (!equalBytes(found.subarray(0, NETWORK_END), head.subarray(0, NETWORK_END)))
    throw otherNetwork(options.path)
  // Another key: nothing is known about what it signed.
  if (!equalBytes(found, head)) return LOST
  let loaded: VotesRecord | undefined
  let offset = head.length
  for (;;) {
    const framed = recordAt(bytes, offset, options.keccak)
    if (framed === undefined) break
    try {
      loaded = decodeVotesRecord(framed.record, options.codecAt, options.keccak)
    } catch (error) {
      if (error instanceof Fault) return LOST
      throw error
    }
    offset = framed.end
  }
  return isTornWrite(bytes, offset, options.keccak) ? { loaded, goodBytes: offset } : LOST
}

const NETWORK_END = MAGIC.length + 1 + 32

function fileHead({ genesis, address, keccak }: VotesFileOptions): Uint8Array {
  const content = concatBytes(MAGIC, Uint8Array.of(VERSION), hashToBytes(genesis), addressToBytes(address))
  return concatBytes(content, checksumOf(content, keccak))
}

function hasChecksum(head: Uint8Array, keccak: Keccak): boolean {
  const end = head.length - CHECKSUM_BYTES
  return equalBytes(head.subarray(end), checksumOf(head.subarray(0, end), keccak))
}

function otherNetwork(path: string): Fault {
  const sentence = `${path} holds the votes of a validator on another network, or of a later version of Cairn. Give this node the data directory that belongs to its genesis file.`
  return consensusFault('FOREIGN_VOTES_FILE', { sentence, path })
}
