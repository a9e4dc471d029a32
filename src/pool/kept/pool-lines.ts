/**
 * The file format of a saved pool: a header line, then one line per transaction in order of arrival. A line has `l` or `r`
 * (local, remote), the first digits of the hash of the transaction, and the transaction in base64. A damaged or truncated line
 * loses only its own transaction.
 */
import type { TransactionOrigin } from '#pool/submitted-transaction.ts'
import { formatDigits } from '#types/hex.ts'
import type { Keccak } from '#types/keccak.ts'

export interface KeptTransaction {
  readonly origin: TransactionOrigin
  /** The encoding as received, including blobs. */
  readonly bytes: Uint8Array
}

export const FIRST_LINE = 'cairn-pool 1\n'
const ORIGINS: Readonly<Record<string, TransactionOrigin>> = { l: 'local', r: 'remote' }
const CHECKSUM_BYTES = 8
const LINE = /^([lr]) ([0-9a-f]{16}) ([A-Za-z0-9+/]+={0,2})$/
const LINE_FEED = 0x0a

export function formatLine({ origin, bytes }: KeptTransaction, keccak: Keccak): string {
  const letter = origin === 'local' ? 'l' : 'r'
  return `${letter} ${checksumOf(bytes, keccak)} ${Buffer.from(bytes).toString('base64')}\n`
}

/** Also true for an empty file. */
export function isPoolFile(content: Uint8Array): boolean {
  const first = Buffer.from(content.subarray(0, FIRST_LINE.length)).toString('latin1')
  return content.length === 0 || first === FIRST_LINE
}

/** Yields undefined for a damaged line. */
export function* parseLines(content: Uint8Array, keccak: Keccak): Generator<KeptTransaction | undefined> {
  const buffer = Buffer.from(content.buffer, content.byteOffset, content.length)
  for (let start = FIRST_LINE.length; start < buffer.length; ) {
    const found = buffer.indexOf(LINE_FEED, start)
    const end = found < 0 ? buffer.length : found
    if (end > start) yield parseLine(buffer.toString('latin1', start, end), keccak)
    start = end + 1
  }
}

function parseLine(line: string, keccak: Keccak): KeptTransaction | undefined {
  const [, letter, checksum, base64] = LINE.exec(line) ?? []
  if (letter === undefined || base64 === undefined) return undefined
  const bytes = new Uint8Array(Buffer.from(base64, 'base64'))
  return checksumOf(bytes, keccak) === checksum ? { origin: ORIGINS[letter]!, bytes } : undefined
}

function checksumOf(bytes: Uint8Array, keccak: Keccak): string {
  return formatDigits(keccak(bytes).subarray(0, CHECKSUM_BYTES))
}
