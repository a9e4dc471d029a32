/** Besu's trie log format for what simulated blocks read and changed. */
import type { PinnedState } from '#chain/read/chain-view.ts'
import type { OverlayState } from '#evm/simulate/overlay-state.ts'
import type { WatchedState } from '#evm/simulate/watched-state.ts'
import { type Address, addressToBytes } from '#types/address.ts'
import { bytesToBigint, compareBytes, equalBytes } from '#types/bytes.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import { encodeRlp, type RlpItem, rlpScalar } from '#types/rlp.ts'

export interface TrieLogParts {
  readonly before: PinnedState
  readonly after: OverlayState
  readonly watched: WatchedState
  /** After the changes. */
  readonly storageRoots: ReadonlyMap<Address, Uint8Array>
}

const NOTHING = new Uint8Array(0)

/** The hash of the block, and for each address the changes of account, code and slots. */
export function encodeTrieLog(hash: Hash, parts: TrieLogParts, keccak: Keccak): Uint8Array {
  const { watched, after } = parts
  const addresses = new Set([...watched.accounts, ...watched.slots.keys(), ...after.addresses()])
  const entries = [...addresses].sort().flatMap((address) => entryOf(address, parts, keccak))
  return encodeRlp([hashToBytes(hash), ...entries])
}

/** Empty for an address without an account before and after. */
function entryOf(address: Address, parts: TrieLogParts, keccak: Keccak): RlpItem[] {
  const { before, after, storageRoots } = parts
  const bytes = addressToBytes(address)
  const [old, now] = [before.account(bytes), after.account(bytes)]
  if (old === undefined && now === undefined) return []
  const emptyRoot = keccak(encodeRlp(NOTHING))
  const rootBefore = old?.storageRoot ?? emptyRoot
  const rootAfter = storageRoots.get(address) ?? rootBefore
  const accountChange = [accountItem(old, rootBefore), accountItem(now, rootAfter), NOTHING]
  const codeChange = [old && before.code(old.codeHash), now && after.code(now.codeHash)].map(
    (code) => code ?? NOTHING,
  )
  const isSameCode = equalBytes(codeChange[0]!, codeChange[1]!)
  const slots = slotItems(address, parts, keccak)
  return [[bytes, accountChange, isSameCode ? NOTHING : [...codeChange, NOTHING], slots]]
}

function accountItem(
  account: { readonly nonce: bigint; readonly balance: bigint; readonly codeHash: Uint8Array } | undefined,
  storageRoot: Uint8Array,
): RlpItem {
  if (account === undefined) return NOTHING
  return [rlpScalar(account.nonce), rlpScalar(account.balance), storageRoot, account.codeHash]
}

/** By slot hash: the value before, the value after, and that nothing was cleared. */
function slotItems(address: Address, { before, after, watched }: TrieLogParts, keccak: Keccak): RlpItem {
  const slots = new Set([...(watched.slots.get(address) ?? []), ...after.changedSlots(address).slots.keys()])
  if (slots.size === 0) return NOTHING
  const bytes = addressToBytes(address)
  const value = (word: Uint8Array | undefined) => rlpScalar(bytesToBigint(word ?? NOTHING))
  return [...slots]
    .map(hashToBytes)
    .map((slot) => ({ slot, hash: keccak(slot) }))
    .sort((a, b) => compareBytes(a.hash, b.hash))
    .map(({ slot, hash }) => [
      hash,
      value(before.storage(bytes, slot)),
      value(after.storage(bytes, slot)),
      NOTHING,
    ])
}
