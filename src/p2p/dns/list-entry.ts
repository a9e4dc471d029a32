/** Entries of a node list in DNS (EIP-1459). Every entry is text; all of it is hostile until its hash or signature is checked. */
import { compressKey, decodeRecord, type NodeRecord, type RecordParts } from '#p2p/discv4/node-record.ts'
import { p2pFault } from '#p2p/faults.ts'
import { equalBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import type { Keccak } from '#types/keccak.ts'

const URL_FORM = /^enrtree:\/\/([A-Z2-7]+)@([A-Za-z0-9._-]{1,200})$/
const ROOT_FORM = /^(enrtree-root:v1 e=([A-Z2-7]+) l=([A-Z2-7]+) seq=(\d{1,20})) sig=([A-Za-z0-9_-]+)$/
const BRANCH = 'enrtree-branch:'
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const KEY_BYTES = 33
const SIGNATURE_BYTES = 65
/** Names may abbreviate a hash to this length. */
const MIN_HASH_BYTES = 12
const MAX_HASH_BYTES = 32
/** The largest branch that fits into a DNS answer has fewer children. */
const MAX_CHILDREN = 64
const MAX_ENTRY_LENGTH = 2_048

/** Where a list is and who signs it. */
export interface ListAddress {
  /** The compressed public key. */
  readonly key: Uint8Array
  readonly domain: string
}

export interface ListRoot {
  /** The name of the first entry with nodes. */
  readonly nodes: string
  /** The name of the first entry with links to other lists. */
  readonly links: string
  readonly sequence: bigint
}

/** Children are the names of further entries. */
export type ListEntry =
  | { readonly type: 'branch'; readonly children: readonly string[] }
  | { readonly type: 'node'; readonly record: NodeRecord }
  /** Another list; its own key signs it. */
  | { readonly type: 'link'; readonly address: ListAddress }

/** Reads `enrtree://KEY@DOMAIN`; undefined if the text is not such an address. */
export function parseListAddress(text: string): ListAddress | undefined {
  const [, digits, domain] = URL_FORM.exec(text) ?? []
  const key = digits === undefined ? undefined : fromBase32(digits)
  return key?.length !== KEY_BYTES || domain === undefined ? undefined : { key, domain }
}

/** Two addresses with the same text are the same list. */
export function listAddressText({ key, domain }: ListAddress): string {
  return `${Buffer.from(key).toString('hex')}@${domain.toLowerCase()}`
}

/** Throws INVALID_NODE_LIST unless the owner of the list signed the root. */
export function decodeRoot(text: string, { key }: ListAddress, { keccak, recover }: RecordParts): ListRoot {
  const [, signed, nodes, links, sequence, signature] = ROOT_FORM.exec(text.slice(0, MAX_ENTRY_LENGTH)) ?? []
  if (signed === undefined) throw invalid('the root is malformed')
  const bytes = new Uint8Array(Buffer.from(signature!, 'base64url'))
  if (bytes.length !== SIGNATURE_BYTES || !isSignedBy(key, keccak(Buffer.from(signed)), bytes, recover))
    throw invalid('the owner of the list did not sign the root')
  return { nodes: checkedName(nodes!), links: checkedName(links!), sequence: BigInt(sequence!) }
}

function isSignedBy(
  key: Uint8Array,
  digest: Uint8Array,
  signature: Uint8Array,
  recover: RecordParts['recover'],
): boolean {
  try {
    return equalBytes(compressKey(recover(digest, signature)), key)
  } catch (error) {
    if (error instanceof Fault) return false
    throw error
  }
}

/** Throws INVALID_NODE_LIST unless the name is the hash of the text. Throws INVALID_NODE_RECORD if its record is invalid. */
export function decodeEntry(name: string, text: string, parts: RecordParts): ListEntry {
  if (text.length > MAX_ENTRY_LENGTH || !isHashOf(name, text, parts.keccak))
    throw invalid(`the entry ${name} has another hash`)
  if (text.startsWith(BRANCH)) {
    // A list without links has an empty branch.
    const children = text === BRANCH ? [] : text.slice(BRANCH.length).split(',')
    if (children.length > MAX_CHILDREN) throw invalid(`the entry ${name} has too many children`)
    return { type: 'branch', children: children.map(checkedName) }
  }
  if (text.startsWith('enr:')) {
    const encoded = new Uint8Array(Buffer.from(text.slice('enr:'.length), 'base64url'))
    return { type: 'node', record: decodeRecord(encoded, parts) }
  }
  const address = parseListAddress(text)
  if (address === undefined) throw invalid(`the entry ${name} has an unknown form`)
  return { type: 'link', address }
}

function isHashOf(name: string, text: string, keccak: Keccak): boolean {
  const hash = fromBase32(name)
  return hash !== undefined && equalBytes(keccak(Buffer.from(text)).subarray(0, hash.length), hash)
}

function checkedName(name: string): string {
  const bytes = fromBase32(name)?.length ?? 0
  if (bytes < MIN_HASH_BYTES || bytes > MAX_HASH_BYTES) throw invalid('a name is not a hash')
  return name
}

/** Base32 of RFC 4648 without padding; undefined for other characters. */
function fromBase32(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8))
  let bits = 0
  let held = 0
  let at = 0
  for (const character of text) {
    const value = BASE32.indexOf(character)
    if (value < 0) return undefined
    held = ((held << 5) | value) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes[at++] = (held >> bits) & 0xff
  }
  return bytes
}

function invalid(what: string) {
  return p2pFault('INVALID_NODE_LIST', { sentence: `A node list in DNS is not valid: ${what}.` })
}
