/** Checks the head's state: flat values, tries, codes and the root, each computed from the others. */

import { loadFastKeccak } from '#platform/fast-keccak.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { decodeBlob } from '#store/kv/blob.ts'
import {
  ACCOUNT_TRIE,
  accountKey,
  hashKey,
  STORAGE_TRIE_BYTES,
  storageKey,
  storageTrie,
  TABLE,
} from '#store/kv/keys.ts'
import type { Kv } from '#store/kv/kv.ts'
import { readTrieMark } from '#store/meta.ts'
import { type FoundAccount, findAccount, storedLeaves } from '#store/snapshot/state-export.ts'
import { decodeAccountRecord, EMPTY_CODE_HASH, EMPTY_ROOT } from '#store/state/account-record.ts'
import { changePayload } from '#store/state/change-chain.ts'
import { accountLeaf, slotLeaf } from '#store/state/trie-leaf.ts'
import { SortedTrie } from '#store/trie/sorted-trie.ts'
import { ADDRESS_BYTES } from '#types/address.ts'
import { equalBytes } from '#types/bytes.ts'
import { formatData } from '#types/hex.ts'
import type { Keccak } from '#types/keccak.ts'
import { rangeOf } from './table-stats.ts'

export interface StateCheck {
  /** Returns false after enough findings. */
  readonly report: (finding: string) => boolean
  readonly onProgress: (accounts: number, slots: number) => void
}

/** Accounts between two turns of the event loop. */
const TURN_ACCOUNTS = 200

export async function checkState(kv: Kv, { report, onProgress }: StateCheck): Promise<void> {
  const keccak = loadFastKeccak()
  const trie = new SortedTrie(keccak, () => {})
  let [accounts, slots] = [0, 0]
  for (const { key, value } of storedLeaves(kv, ACCOUNT_TRIE)) {
    const account = findAccount(kv, key)
    if (account === undefined) {
      if (!report(`The account with hash ${formatData(key)} is in the trie and in no table.`)) return
      continue
    }
    const { address, record } = account
    const storage = checkStorage(kv, keccak, account)
    slots += storage.slots
    for (const finding of [...storage.findings, ...checkCode(kv, keccak, account)])
      if (!report(`Account ${formatData(address)}: ${finding}`)) return
    const leaf = accountLeaf(record)
    if (!equalBytes(leaf, value) && !report(`Account ${formatData(address)}: the trie and its table differ.`))
      return
    trie.add(key.slice(), leaf)
    onProgress(++accounts, slots)
    if (accounts % TURN_ACCOUNTS === 0) await nextTurn()
  }
  const root = trie.isEmpty ? EMPTY_ROOT : trie.finish()
  const { root: expected } = readTrieMark(kv)
  if (!equalBytes(root, expected))
    report(`The state has root ${formatData(root)}, and the head says ${formatData(expected)}.`)
  await countFlat(kv, { accounts, slots }, report)
}

function checkStorage(kv: Kv, keccak: Keccak, { address, record }: FoundAccount) {
  const findings: string[] = []
  if (equalBytes(record.storageRoot, EMPTY_ROOT)) return { slots: 0, findings }
  const trie = new SortedTrie(keccak, () => {})
  let slots = 0
  for (const { key } of storedLeaves(kv, storageTrie(address, record.incarnation))) {
    const slot = kv.get(hashKey(TABLE.slotPreimage, key))
    const stored = slot && kv.get(storageKey(address, record.incarnation, slot))
    const value = stored && changePayload(stored)
    if (value === undefined || value.length === 0)
      findings.push(`the slot with hash ${formatData(key)} is in the trie and in no table.`)
    else trie.add(key.slice(), slotLeaf(value))
    slots++
  }
  const root = trie.isEmpty ? EMPTY_ROOT : trie.finish()
  if (!equalBytes(root, record.storageRoot)) findings.push('its storage has another root than it says.')
  return { slots, findings }
}

function checkCode(kv: Kv, keccak: Keccak, { record }: FoundAccount): string[] {
  if (equalBytes(record.codeHash, EMPTY_CODE_HASH)) return []
  const stored = kv.get(hashKey(TABLE.code, record.codeHash))
  if (stored === undefined) return ['its code is missing.']
  return equalBytes(keccak(decodeBlob(stored)), record.codeHash) ? [] : ['its code is another than it says.']
}

/** Finds table entries that are in no trie. */
async function countFlat(
  kv: Kv,
  expected: { readonly accounts: number; readonly slots: number },
  report: StateCheck['report'],
): Promise<void> {
  let accounts = 0
  for await (const [, stored] of kv.range(rangeOf('account')))
    if (decodeAccountRecord(changePayload(stored))?.isAlive) accounts++
  if (accounts !== expected.accounts)
    report(`The table has ${accounts} accounts, and the trie ${expected.accounts}.`)
  let slots = 0
  let life = Buffer.alloc(0)
  let isLive = false
  for await (const [key, stored] of kv.range(rangeOf('storage'))) {
    if (!life.equals(key.subarray(0, STORAGE_TRIE_BYTES))) {
      life = Buffer.from(key.subarray(0, STORAGE_TRIE_BYTES))
      isLive = isLiveStorage(kv, life)
    }
    if (isLive && changePayload(stored).length > 0) slots++
  }
  if (slots !== expected.slots) report(`The table has ${slots} slots, and the tries ${expected.slots}.`)
}

/** Slots of an earlier life of an account may still be stored. */
function isLiveStorage(kv: Kv, life: Buffer): boolean {
  const stored = kv.get(accountKey(life.subarray(1, 1 + ADDRESS_BYTES)))
  const record = stored && decodeAccountRecord(changePayload(stored))
  return record?.isAlive === true && record.incarnation === life.readUInt32BE(1 + ADDRESS_BYTES)
}
