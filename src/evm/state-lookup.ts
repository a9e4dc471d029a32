/**
 * The way an engine reads state: it writes a question into a scratch buffer, calls one synchronous function, and
 * finds the answer in the same buffer. Nothing is allocated per read, a native engine can call it, and head, history,
 * pending and overridden state look alike. docs/internals/wire/engine.md is the specification.
 */
import { assert } from '#types/assert.ts'

export const LOOKUP = { account: 1, storage: 2, code: 3, blockHash: 4 } as const
export type LookupKind = (typeof LOOKUP)[keyof typeof LOOKUP]

/** Offset of the question: address, code hash or block number (8 bytes). */
export const LOOKUP_KEY = 0
/** Offset of the slot in a storage question. */
export const LOOKUP_SLOT = 20
/** Offset of the first wanted byte in a code question, 4 bytes. */
export const LOOKUP_CODE_FROM = 32
/** Offset of the answer. account: nonce 8, balance 32, code hash 32. storage: value 32. blockHash: hash 32. */
export const LOOKUP_ANSWER = 64
export const ANSWER_NONCE = LOOKUP_ANSWER
export const ANSWER_BALANCE = LOOKUP_ANSWER + 8
export const ANSWER_CODE_HASH = LOOKUP_ANSWER + 40

/** Bytes of code per lookup; ordinary contracts fit in one. */
export const LOOKUP_CODE_CHUNK = 32 * 1024
export const LOOKUP_SCRATCH_BYTES = LOOKUP_ANSWER + LOOKUP_CODE_CHUNK

/** Answers of an account lookup. */
export const ACCOUNT_ABSENT = 0
export const ACCOUNT_PRESENT = 1
/**
 * The account has storage. Only required for accounts without code and with nonce 0, where it forbids a creation
 * (EIP-7610); these come from genesis files and from before Spurious Dragon.
 */
export const ACCOUNT_HAS_STORAGE = 2

export interface StateLookup {
  /** LOOKUP_SCRATCH_BYTES, the same for the life of a session. */
  readonly scratch: Uint8Array
  /**
   * account: ACCOUNT_ABSENT, or ACCOUNT_PRESENT with or without ACCOUNT_HAS_STORAGE.
   * storage: 0 for a value of zero, whose bytes are not written; else 1.
   * code: its complete length; the answer is one chunk from LOOKUP_CODE_FROM on.
   * blockHash: 0 if unknown, else 1.
   * An exception of the state reader ends the engine's work.
   */
  readonly lookup: (kind: LookupKind) => number
}

/** State as values. The bytes of a question are valid until the source returns: it copies those that it keeps. */
export interface StateSource {
  account(address: Uint8Array): StateAccount | undefined
  /** Undefined for zero. */
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined
  code(hash: Uint8Array): Uint8Array | undefined
  blockHash(number: bigint): Uint8Array | undefined
  /** Set if accounts, storage and code never change, so answers may be cached. */
  readonly isFixed?: true
}

export interface AccountState {
  readonly nonce: bigint
  readonly balance: bigint
  readonly codeHash: Uint8Array
}

export interface StateAccount extends AccountState {
  readonly hasStorage?: boolean
}

/** The state of a block with the hashes of its ancestors. */
export function withBlockHashes(
  state: Pick<StateSource, 'account' | 'storage' | 'code'>,
  blockHash: StateSource['blockHash'],
): StateSource {
  return {
    account: (address) => state.account(address),
    storage: (address, slot) => state.storage(address, slot),
    code: (hash) => state.code(hash),
    blockHash,
  }
}

/** `scratch` has LOOKUP_SCRATCH_BYTES that no concurrent session uses. */
export function createStateLookup(
  source: StateSource,
  scratch: Uint8Array = new Uint8Array(LOOKUP_SCRATCH_BYTES),
): StateLookup {
  const view = new DataView(scratch.buffer, scratch.byteOffset, scratch.byteLength)
  const address = scratch.subarray(LOOKUP_KEY, LOOKUP_KEY + 20)
  const slot = scratch.subarray(LOOKUP_SLOT, LOOKUP_SLOT + 32)
  const hash = scratch.subarray(LOOKUP_KEY, LOOKUP_KEY + 32)
  return {
    scratch,
    lookup: (kind) => {
      switch (kind) {
        case LOOKUP.account:
          return answerAccount(scratch, view, source.account(address))
        case LOOKUP.storage:
          return answerWord(scratch, source.storage(address, slot))
        case LOOKUP.code:
          return answerCode(scratch, view, source.code(hash))
        case LOOKUP.blockHash:
          return answerWord(scratch, source.blockHash(view.getBigUint64(LOOKUP_KEY)))
      }
    },
  }
}

function answerAccount(scratch: Uint8Array, view: DataView, account: StateAccount | undefined): number {
  if (account === undefined) return ACCOUNT_ABSENT
  view.setBigUint64(ANSWER_NONCE, account.nonce)
  let rest = account.balance
  for (let at = ANSWER_BALANCE + 24; at >= ANSWER_BALANCE; at -= 8, rest >>= 64n) view.setBigUint64(at, rest)
  scratch.set(account.codeHash, ANSWER_CODE_HASH)
  return account.hasStorage ? ACCOUNT_PRESENT | ACCOUNT_HAS_STORAGE : ACCOUNT_PRESENT
}

function answerWord(scratch: Uint8Array, word: Uint8Array | undefined): number {
  if (word === undefined) return 0
  assert(word.length === 32, 'A storage value and a block hash have 32 bytes.')
  scratch.set(word, LOOKUP_ANSWER)
  return 1
}

function answerCode(scratch: Uint8Array, view: DataView, code: Uint8Array | undefined): number {
  assert(code !== undefined, 'The code of every code hash in the state is known.')
  const from = view.getUint32(LOOKUP_CODE_FROM)
  scratch.set(code.subarray(from, from + LOOKUP_CODE_CHUNK), LOOKUP_ANSWER)
  return code.length
}
