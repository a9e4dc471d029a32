/**
 * What this validator signed, in a file of its own beside the database: a head with network and validator, and records
 * one after another, of which the last counts (docs/wire/votes.md). A record is on the disk before anything in it is
 * signed. A last record that is torn was never signed and is passed over; damage before it means that the file cannot
 * be trusted.
 */
import type { VotesRecord } from '#consensus/bft/events.ts'
import type { MessageCodec } from '#consensus/bft/messages.ts'
import { openAppendFile } from '#platform/append-file.ts'
import { kindOfPath, readFileBounded } from '#platform/files.ts'
import { type Address, addressToBytes } from '#types/address.ts'
import { concatBytes, equalBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import { consensusFault } from './faults.ts'
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
  /** `lost`: there was a file, and what was signed is not known. undefined: there was none. */
  readonly loaded: VotesRecord | 'lost' | undefined
  /** Resolves when the record is durable; records become durable in the order in which they were given. */
  save(record: VotesRecord): Promise<void>
  close(): Promise<void>
}

const MAGIC = new TextEncoder().encode('CAIRNVOT')
const VERSION = 1
const CHECKSUM_BYTES = 8
const LENGTH_BYTES = 4
const RECORD_HEAD_BYTES = LENGTH_BYTES + CHECKSUM_BYTES
/** A certificate holds a block and some hundred prepares. */
const MAX_RECORD_BYTES = 32 * 1024 * 1024
/** Above this the file starts anew with the record at hand, which may itself be as long as a record can be. */
export const MAX_GROWN_BYTES = 4 * 1024 * 1024
const MAX_FILE_BYTES = MAX_GROWN_BYTES + 2 * MAX_RECORD_BYTES

export async function openVotesFile(options: VotesFileOptions): Promise<VotesFile> {
  const { path, codecAt, keccak } = options
  const head = fileHead(options)
  const existing = kindOfPath(path) === undefined ? undefined : readFileBounded(path, MAX_FILE_BYTES)
  const { loaded, goodBytes } = existing ? readVotes(existing, head, options) : NOTHING_THERE
  const file = await openAppendFile(path, goodBytes)
  if (existing === undefined) await file.replace(head)
  // A lost file stays as it is until something is signed: another start before that must find it lost as well.
  let mustReplace = loaded === 'lost'
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
      const framed = frame(encodeVotesRecord(record, codecAt(record.height)), keccak)
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

function readVotes(bytes: Uint8Array, head: Uint8Array, options: VotesFileOptions): ReadVotes {
  const found = bytes.subarray(0, head.length)
  if (found.length < head.length || !hasChecksum(found, options.keccak)) return LOST
  if (!equalBytes(found.subarray(0, NETWORK_END), head.subarray(0, NETWORK_END)))
    throw otherNetwork(options.path)
  // Another key: nothing is known about what it signed.
  if (!equalBytes(found, head)) return LOST
  let loaded: VotesRecord | undefined
  let offset = head.length
  for (;;) {
    const record = recordAt(bytes, offset, options.keccak)
    if (record === undefined) break
    try {
      loaded = decodeVotesRecord(record, options.codecAt, options.keccak)
    } catch (error) {
      if (error instanceof Fault) return LOST
      throw error
    }
    offset += RECORD_HEAD_BYTES + record.length
  }
  return hasRecordAfter(bytes, offset, options.keccak) ? LOST : { loaded, goodBytes: offset }
}

/** undefined: no whole record begins there. */
function recordAt(bytes: Uint8Array, offset: number, keccak: Keccak): Uint8Array | undefined {
  const start = offset + RECORD_HEAD_BYTES
  if (start > bytes.length) return undefined
  const length = lengthAt(bytes, offset)
  if (length === 0 || length > MAX_RECORD_BYTES || start + length > bytes.length) return undefined
  const record = bytes.subarray(start, start + length)
  return equalBytes(bytes.subarray(offset + LENGTH_BYTES, start), checksum(record, keccak))
    ? record
    : undefined
}

/** A torn write is the end of the file; a whole record behind a broken one shows that the break is damage. */
function hasRecordAfter(bytes: Uint8Array, offset: number, keccak: Keccak): boolean {
  if (offset + RECORD_HEAD_BYTES > bytes.length) return false
  const next = offset + RECORD_HEAD_BYTES + lengthAt(bytes, offset)
  return recordAt(bytes, next, keccak) !== undefined
}

function frame(record: Uint8Array, keccak: Keccak): Uint8Array {
  const length = new Uint8Array(LENGTH_BYTES)
  new DataView(length.buffer).setUint32(0, record.length)
  return concatBytes(length, checksum(record, keccak), record)
}

const NETWORK_END = MAGIC.length + 1 + 32

function fileHead({ genesis, address, keccak }: VotesFileOptions): Uint8Array {
  const content = concatBytes(MAGIC, Uint8Array.of(VERSION), hashToBytes(genesis), addressToBytes(address))
  return concatBytes(content, checksum(content, keccak))
}

function hasChecksum(head: Uint8Array, keccak: Keccak): boolean {
  const end = head.length - CHECKSUM_BYTES
  return equalBytes(head.subarray(end), checksum(head.subarray(0, end), keccak))
}

function checksum(bytes: Uint8Array, keccak: Keccak): Uint8Array {
  return keccak(bytes).slice(0, CHECKSUM_BYTES)
}

function lengthAt(bytes: Uint8Array, offset: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + offset).getUint32(0)
}

function otherNetwork(path: string): Fault {
  const sentence = `${path} holds the votes of a validator on another network, or of a later version of Cairn. Give this node the data directory that belongs to its genesis file.`
  return consensusFault('FOREIGN_VOTES_FILE', { sentence, path })
}
