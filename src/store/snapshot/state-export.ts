/** The state of the head in the order of its hashes, each value once and little of it in memory: of a node that is stopped. */
import { loadFastKeccak } from '#platform/fast-keccak.ts'
import type { Log } from '#platform/log/log.ts'
import { corruptFault } from '#store/faults.ts'
import { decodeBlob } from '#store/kv/blob.ts'
import { ACCOUNT_TRIE, accountKey, hashKey, storageTrie, TABLE } from '#store/kv/keys.ts'
import { type Kv, openLevelKv } from '#store/kv/kv.ts'
import { readIdentity, readTrieMark } from '#store/meta.ts'
import { NodeStore, nodeReaderOf } from '#store/node-store.ts'
import { repairTries, requireFinished, requireReadable } from '#store/open-store.ts'
import { LedgerReader } from '#store/reader.ts'
import { decodeAccountRecord, EMPTY_CODE_HASH, EMPTY_ROOT } from '#store/state/account-record.ts'
import { flatPayload } from '#store/state/history.ts'
import type { StoreReader } from '#store/store.ts'
import { BRANCH_WIDTH, KEY_NIBBLES, type LeafNode, type TrieNode } from '#store/trie/node.ts'
import { TrieRotation } from '#store/trie/rotation.ts'
import { loadChild, loadExtended, loadRoot, type NodeReader } from '#store/trie/update.ts'

export interface ExportedAccount {
  readonly address: Uint8Array
  /** As few bytes as hold it. */
  readonly nonce: Uint8Array
  readonly balance: Uint8Array
  /** undefined: it has none. */
  readonly codeHash: Uint8Array | undefined
  slots(): Generator<ExportedSlot, void, undefined>
}

export interface ExportedSlot {
  readonly slot: Uint8Array
  /** As few bytes as hold it; it is not zero. */
  readonly value: Uint8Array
}

interface StateExportOptions {
  readonly historyBlocks: number
  readonly log: Log
}

export interface StateExport {
  readonly kv: Kv
  readonly reader: StoreReader
  accounts(): Generator<ExportedAccount, void, undefined>
  code(hash: Uint8Array): Uint8Array
  close(): Promise<void>
}

/** Brings the tries to the head first, as a start of the node would. */
export async function openStateExport({
  path,
  ...options
}: StateExportOptions & { readonly path: string }): Promise<StateExport> {
  const kv = await openLevelKv(path, { createIfMissing: false })
  try {
    return await openStateExportOn(kv, options)
  } catch (error) {
    await kv.close()
    throw error
  }
}

/** The same on a database that is open already; tests bring one in memory. */
export async function openStateExportOn(
  kv: Kv,
  { historyBlocks, log }: StateExportOptions,
): Promise<StateExport> {
  const { format } = requireReadable(readIdentity(kv))
  requireFinished(kv)
  const keccak = await loadFastKeccak()
  const nodes = new NodeStore(kv, format === 'FOREST')
  const rotation = new TrieRotation(nodes, readTrieMark(kv), keccak)
  await repairTries(kv, nodes, rotation, keccak, log)
  return {
    kv,
    reader: new LedgerReader(kv, { format, historyBlocks }, keccak),
    accounts: () => accountsOf(kv),
    code: (hash) => codeOf(kv, hash),
    close: () => kv.close(),
  }
}

function* accountsOf(kv: Kv): Generator<ExportedAccount, void, undefined> {
  for (const { key } of leavesOf(nodeReaderOf(kv, ACCOUNT_TRIE))) {
    const address = kv.get(hashKey(TABLE.addressPreimage, key))
    const stored = address && kv.get(accountKey(address))
    const record = stored && decodeAccountRecord(flatPayload(stored))
    if (address === undefined || !record?.isAlive) throw corruptFault('an account of the trie is in no table')
    const { nonce, balance, codeHash, storageRoot, incarnation } = record
    yield {
      address,
      nonce,
      balance,
      codeHash: codeHash === EMPTY_CODE_HASH ? undefined : codeHash,
      slots: function* () {
        if (storageRoot !== EMPTY_ROOT) yield* slotsOf(kv, storageTrie(address, incarnation))
      },
    }
  }
}

function* slotsOf(kv: Kv, trie: Buffer): Generator<ExportedSlot, void, undefined> {
  for (const { key, value } of leavesOf(nodeReaderOf(kv, trie))) {
    const slot = kv.get(hashKey(TABLE.slotPreimage, key))
    if (slot === undefined) throw corruptFault('a slot of the trie is in no table')
    // Leaves of slots are the RLP of a number: one small byte itself, or a length and the bytes.
    yield { slot, value: value.length === 1 ? value : value.subarray(1) }
  }
}

function codeOf(kv: Kv, hash: Uint8Array): Uint8Array {
  const stored = kv.get(hashKey(TABLE.code, hash))
  if (stored === undefined) throw corruptFault('the code of an account is missing')
  return decodeBlob(stored)
}

/** In the order of their keys; little of the trie is in memory. */
export function leavesOf(readNode: NodeReader): Generator<LeafNode, void, undefined> {
  return visit(loadRoot(readNode), new Uint8Array(KEY_NIBBLES), 0, readNode)
}

function* visit(
  node: TrieNode | null,
  path: Uint8Array,
  depth: number,
  readNode: NodeReader,
): Generator<LeafNode, void, undefined> {
  if (node === null) return
  if (node.kind === 'leaf') {
    yield node
    return
  }
  if (node.kind === 'extension') {
    path.set(node.path, depth)
    const end = depth + node.path.length
    yield* visit(loadExtended(node, path, end, readNode), path, end, readNode)
    return
  }
  for (let nibble = 0; nibble < BRANCH_WIDTH; nibble++) {
    path[depth] = nibble
    yield* visit(loadChild(node, nibble, path, depth + 1, readNode), path, depth + 1, readNode)
    // What was looked at is not needed again, and all of it would be the whole state.
    node.children[nibble] = undefined
  }
}
