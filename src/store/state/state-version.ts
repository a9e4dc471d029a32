/** The state after a block that is not durable yet: its changes on top of its ancestors' changes and the durable state. */

import { decodeBlob } from '#store/kv/blob.ts'
import { accountKey, hashKey, keyText, storageKey, TABLE } from '#store/kv/keys.ts'
import type { KvReader } from '#store/kv/kv.ts'
import { nodeReaderOf } from '#store/node-store.ts'
import type { StateVersion, StoredAccount } from '#store/store.ts'
import type { TrieNode } from '#store/trie/node.ts'
import type { TrieChangeSet, TrieRotation } from '#store/trie/rotation.ts'
import { loadRoot } from '#store/trie/update.ts'
import { assert } from '#types/assert.ts'
import { equalBytes } from '#types/bytes.ts'
import type { Keccak } from '#types/keccak.ts'
import { type AccountRecord, accountValue, decodeAccountRecord, EMPTY_ROOT } from './account-record.ts'
import { changePayload } from './change-chain.ts'
import { storageWord } from './flat-state.ts'

export interface SlotChange {
  readonly slot: Uint8Array
  readonly hash: Uint8Array
  /** Without leading zeros; empty for zero. */
  readonly value: Uint8Array
  /** Text of its flat key. */
  readonly text: string
}

export interface AccountChange {
  readonly address: Uint8Array
  readonly hash: Uint8Array
  readonly before: AccountRecord | undefined
  readonly after: AccountRecord
  /** Whether the previous life ended in this block. */
  readonly wasDestroyed: boolean
  /** Slots of the incarnation after the change. */
  readonly slots: readonly SlotChange[]
  /** Text of its flat key. */
  readonly text: string
}

export interface StorageTrieChange extends TrieChangeSet {
  readonly before: TrieNode | null
}

/** The changes of a derived version. */
export interface VersionContent {
  readonly root: Uint8Array
  readonly changes: readonly AccountChange[]
  readonly codes: ReadonlyMap<string, Uint8Array>
  /** Flat payloads by the text of their key. */
  readonly storage: ReadonlyMap<string, Uint8Array>
  readonly accountTrie: TrieChangeSet
  readonly storageTries: ReadonlyMap<string, StorageTrieChange>
}

/** The base of all versions: the database, its cache, and the durable version. */
export class VersionBase {
  readonly kv: KvReader
  readonly keccak: Keccak
  readonly rotation: TrieRotation
  readonly cache = new FlatCache()
  durable: Version

  constructor(kv: KvReader, keccak: Keccak, rotation: TrieRotation) {
    this.kv = kv
    this.keccak = keccak
    this.rotation = rotation
    this.durable = this.versionOnDisk()
  }

  /** The version on disk and in the tries. */
  versionOnDisk(): Version {
    const { root } = this.rotation.accounts
    return new Version(this, undefined, root === null ? EMPTY_ROOT : this.keccak(root.rlp), undefined)
  }

  /** The flat value on disk, by the text of its key. */
  stored(text: string): Uint8Array | undefined {
    const known = this.cache.get(text)
    if (known !== undefined) return known ?? undefined
    const value = this.kv.get(Buffer.from(text, 'latin1'))
    this.cache.set(text, value ?? null)
    return value
  }
}

export class Version implements StateVersion {
  readonly root: Uint8Array
  readonly base: VersionBase
  parent: Version | undefined
  content: VersionContent | undefined
  readonly changedKeys: number
  /** True once a block on top of it is being committed: reads would mix the two. */
  isEnded = false
  readonly #accounts = new Map<string, AccountRecord>()
  #ownerAddress: Uint8Array | undefined
  #owner: AccountRecord | undefined

  constructor(
    base: VersionBase,
    parent: Version | undefined,
    root: Uint8Array,
    content: VersionContent | undefined,
  ) {
    this.base = base
    this.parent = parent
    this.root = root
    this.content = content
    this.changedKeys = (content?.changes.length ?? 0) + (content?.storage.size ?? 0)
    for (const { text, after } of content?.changes ?? []) this.#accounts.set(text, after)
  }

  account(address: Uint8Array): StoredAccount | undefined {
    return accountValue(this.record(address))
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    const record = this.#ownerOf(address)
    if (record === undefined || !record.isAlive) return undefined
    const payload = this.#slotPayload(keyText(storageKey(address, record.incarnation, slot)))
    return payload === undefined ? undefined : storageWord(payload)
  }

  /** Whether a slot, by the text of its flat key, is not zero. */
  hasSlot(text: string): boolean {
    const payload = this.#slotPayload(text)
    return payload !== undefined && payload.length > 0
  }

  #slotPayload(text: string): Uint8Array | undefined {
    for (let version: Version | undefined = this; version !== undefined; version = version.parent) {
      const payload = version.content?.storage.get(text)
      if (payload !== undefined) return payload
    }
    const stored = this.base.stored(text)
    return stored === undefined ? undefined : changePayload(stored)
  }

  code(hash: Uint8Array): Uint8Array | undefined {
    const text = Buffer.from(hash).toString('latin1')
    for (let version: Version | undefined = this; version !== undefined; version = version.parent) {
      const code = version.content?.codes.get(text)
      if (code !== undefined) return code
    }
    const stored = this.base.kv.get(hashKey(TABLE.code, hash))
    return stored === undefined ? undefined : decodeBlob(stored)
  }

  /** Includes dead accounts. */
  record(address: Uint8Array): AccountRecord | undefined {
    const found = this.#find(address)
    return found instanceof Uint8Array ? decodeAccountRecord(changePayload(found)) : found
  }

  /** The owner of a slot being read, cached because consecutive reads mostly have the same owner. */
  #ownerOf(address: Uint8Array): AccountRecord | undefined {
    if (this.#ownerAddress !== undefined && equalBytes(address, this.#ownerAddress)) {
      this.#requireUsable()
    } else {
      this.#owner = this.record(address)
      this.#ownerAddress = address.slice()
    }
    return this.#owner
  }

  /** Returns the record derived by this version or an ancestor, or the stored bytes. */
  #find(address: Uint8Array): AccountRecord | Uint8Array | undefined {
    this.#requireUsable()
    const text = keyText(accountKey(address))
    for (let version: Version | undefined = this; version !== undefined; version = version.parent) {
      const record = version.#accounts.get(text)
      if (record !== undefined) return record
    }
    return this.base.stored(text)
  }

  #requireUsable(): void {
    assert(!this.isEnded, 'A state ends when a block on top of it is committed.')
    let bottom: Version = this
    while (bottom.parent !== undefined) bottom = bottom.parent
    assert(bottom === this.base.durable, 'A state is unusable once a sibling block is committed.')
  }

  accountTrie(): TrieNode | null {
    for (let version: Version | undefined = this; version !== undefined; version = version.parent) {
      if (version.content !== undefined) return version.content.accountTrie.root
    }
    return this.base.rotation.accounts.root
  }

  /** The root node of a storage trie that is not empty. */
  storageTrie(prefix: Buffer): TrieNode | null {
    const text = keyText(prefix)
    for (let version: Version | undefined = this; version !== undefined; version = version.parent) {
      const trie = version.content?.storageTries.get(text)
      if (trie !== undefined) return trie.root
    }
    const resident = this.base.rotation.resident(prefix)
    return resident === undefined ? loadRoot(nodeReaderOf(this.base.kv, prefix)) : resident.root
  }

  /** Makes this the durable version and drops its own changes. */
  settle(): void {
    this.parent = undefined
    this.content = undefined
    this.#accounts.clear()
    this.base.durable = this
  }
}

/**
 * The writer's cache of flat values by key. Values read during execution are needed again at commit, and popular
 * contracts return block after block. Two generations: unused values are evicted with the older one.
 */
const GENERATION_ENTRIES = 40_000

/** Null if the key is known to be absent. */
type Cached = Uint8Array | null

class FlatCache {
  #young = new Map<string, Cached>()
  #old = new Map<string, Cached>()

  get(key: string): Cached | undefined {
    const found = this.#young.get(key)
    if (found !== undefined) return found
    const older = this.#old.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: string, value: Cached): void {
    if (this.#young.size >= GENERATION_ENTRIES) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }
}
