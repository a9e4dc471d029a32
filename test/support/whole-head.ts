// Invariants of a database after any crash: the head block agrees with everything derived from it.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Lookup } from '#chain/read/lookup.ts'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { createLog } from '#platform/log/log.ts'
import { TABLE } from '#store/kv/keys.ts'
import { type Kv, openLevelKv } from '#store/kv/kv.ts'
import { openStoreOn } from '#store/open-store.ts'
import { decodeAccountRecord } from '#store/state/account-record.ts'
import { changePayload } from '#store/state/change-chain.ts'
import { blockHashOf } from '#types/block/block-hash.ts'
import { receiptsRoot, transactionsRoot } from '#types/block/block-roots.ts'
import { bloomOfLogs, mergeBlooms } from '#types/block/bloom.ts'
import { type TrieEntry, trieRoot } from '#types/block/ordered-trie-root.ts'
import { hashFromBytes, hashToBytes } from '#types/hash.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodeRlp } from '#types/rlp.ts'
import { parseGenesisText } from '../conformance/chains/memory-chain.ts'

const ANY = { addresses: [], topics: [] }

/** Opens the database below a data path and returns its head number; -1 if nothing was committed yet. */
export async function requireWholeHead(data: string, chainFolder: string): Promise<number> {
  const path = join(data, 'database')
  if (!existsSync(join(path, 'CURRENT'))) return -1
  const genesis = parseGenesisText(readFileSync(join(chainFolder, 'genesis.json'), 'utf8'))
  const kv = await openLevelKv(path, { createIfMissing: false })
  const store = await openStoreOn(kv, {
    format: 'BONSAI',
    historyBlocks: 512,
    genesisHash: hashToBytes(genesisHashOf(genesis, keccak256)),
    forks: genesis.config.forks.forks,
    log: createLog({ level: 'ERROR' }),
  })
  try {
    const lookup = new Lookup(store)
    const number = lookup.headNumber()
    if (number === undefined) return -1
    const { block, hash } = lookup.block(number)!
    const { header, transactions } = block
    assert.equal(blockHashOf(genesis.config.consensus)(header), hash, 'hash of the head')
    assert.equal(transactionsRoot(transactions), header.transactionsRoot, 'transactions of the head')
    if (number > 0) assert.equal(lookup.header(number - 1)?.hash, header.parentHash, 'parent of the head')
    const receipts = lookup.receipts(hash)!
    const blooms = receipts.map(({ logs }) => bloomOfLogs(logs))
    const complete = receipts.map((receipt, index) => ({ ...receipt, logsBloom: blooms[index]! }))
    assert.equal(receiptsRoot(complete), header.receiptsRoot, 'receipts of the head')
    assert.deepEqual(mergeBlooms(blooms), Uint8Array.from(header.logsBloom), 'bloom of the head')
    assert.equal(lookup.callTrees(hash)?.length, transactions.length, 'call trees of the head')
    for (const [index, transaction] of transactions.entries()) {
      assert.equal(lookup.transactionInBlock(transaction.hash)?.index, index, 'transaction index')
    }
    for (const { log } of lookup.logsOf(hash, ANY)) {
      const filter = { addresses: [log.address], topics: log.topics.map((topic) => [topic]) }
      const found = lookup.logs({ fromBlock: number, toBlock: number }, filter)
      assert.equal((await found.next()).done, false, 'log index')
    }
    assert.equal(hashFromBytes(store.headState().root), header.stateRoot, 'root of the trie')
    assert.equal(await flatRoot(kv), header.stateRoot, 'root of the flat state')
    return number
  } finally {
    await store.close()
  }
}

/** Computes the state root from the flat tables alone. */
async function flatRoot(kv: Kv): Promise<string> {
  const slots = new Map<string, TrieEntry[]>()
  for await (const [key, value] of tableOf(kv, TABLE.storage)) {
    const payload = changePayload(value)
    if (payload.length === 0) continue
    const entries = slots.get(ownerOf(key.subarray(1, 25))) ?? []
    entries.push([keccak256(key.subarray(25)), encodeRlp(payload)])
    slots.set(ownerOf(key.subarray(1, 25)), entries)
  }
  const accounts: TrieEntry[] = []
  for await (const [key, value] of tableOf(kv, TABLE.account)) {
    const record = decodeAccountRecord(changePayload(value))
    if (record === undefined || !record.isAlive) continue
    const incarnation = Buffer.alloc(4)
    incarnation.writeUInt32BE(record.incarnation)
    const owner = ownerOf(Buffer.concat([key.subarray(1), incarnation]))
    const storageRoot = hashToBytes(trieRoot(slots.get(owner) ?? []))
    assert.deepEqual(storageRoot, Uint8Array.from(record.storageRoot), 'storage root of an account')
    accounts.push([
      keccak256(key.subarray(1)),
      encodeRlp([record.nonce, record.balance, storageRoot, record.codeHash]),
    ])
  }
  return trieRoot(accounts)
}

function ownerOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

function tableOf(kv: Kv, table: number) {
  return kv.range({ gte: Uint8Array.of(table), lt: Uint8Array.of(table + 1), limit: 10_000_000 })
}
