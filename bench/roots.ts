/**
 * Roots: the trie of the store beside an incremental trie in Rust, on the state changes of real blocks.
 *
 *   npm run bench:roots [-- --accounts 100000 --transactions 8000]
 *
 * Makes the chain of bench/import.ts and notes what each block sets in which trie. Then every way to the roots begins
 * with the same nodes on disk and takes the same changes, and its roots are compared with those of the chain. In
 * microseconds of the thread's own processor time per transaction, the best of three rounds.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chooseEngine } from '#evm/choose-engine.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { loadAddon } from '#evm/native/load-addon.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log.ts'
import { ACCOUNT_TRIE, keyText, storageTrie } from '#store/keys.ts'
import { type KvReader, openLevelKv } from '#store/kv.ts'
import { nodeReaderOf } from '#store/node-store.ts'
import { Version } from '#store/state-version.ts'
import { computeRoot, rootHash } from '#store/trie/compute-root.ts'
import type { TrieNode } from '#store/trie/node.ts'
import {
  loadRoot,
  type NodeReader,
  pathText,
  sortChanges,
  type TrieChange,
  updateTrie,
} from '#store/trie/update.ts'
import { accountLeaf, slotLeaf } from '#store/trie-leaf.ts'
import { equalBytes } from '#types/bytes.ts'
import type { Keccak } from '#types/keccak.ts'
import { fillState, makeBlock, openWorkloadChain } from './import-chain.ts'
import { type Kind, Workload } from './import-workload.ts'

const { values: flags } = parseArgs({
  options: {
    accounts: { type: 'string', default: '100000' },
    transactions: { type: 'string', default: '16000' },
  },
})
const ROUNDS = 3
const SCENARIOS: readonly { readonly kind: Kind; readonly size: number }[] = [
  { kind: 'transfers', size: 200 },
  { kind: 'ERC-20 transfers', size: 200 },
  { kind: 'ERC-20 transfers', size: 1_000 },
]

/** What a block sets in one trie, ascending. */
interface TrieSet {
  readonly prefix: Buffer
  readonly changes: readonly TrieChange[]
}

interface BlockSets {
  readonly tries: readonly TrieSet[]
  readonly root: Uint8Array
}

/** One way to a root: applies the changes of a trie and remembers what comes of them. */
type Apply = (prefix: Buffer, changes: readonly TrieChange[]) => Uint8Array

interface NativeTrie {
  update(
    changes: Uint8Array,
    read: (path: Uint8Array) => Uint8Array | undefined,
    wantsNodes: boolean,
  ): Uint8Array
}

/** For the changes of one trie by one block. */
const scratch = Buffer.alloc(2 ** 24)
const { keccak, ...rest } = await loadCrypto()
const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-roots-'))
const say = (text: string) => process.stdout.write(`${text}\n`)

async function main(): Promise<void> {
  const log = createLog({ level: 'ERROR', fd: 2 })
  const engine = await chooseEngine(process.env.CAIRN_ENGINE, log)
  const crypto = { keccak, ...rest }
  const parts = { engine, crypto, clock: systemClock, log, format: 'BONSAI' as const }
  const workload = new Workload(Number(flags.accounts), crypto)
  await fillState(await openWorkloadChain(join(folder, 'made'), workload, parts), workload)
  for (const { kind, size } of SCENARIOS) {
    const base = join(folder, `base-${kind}-${size}`)
    cpSync(join(folder, 'made'), base, { recursive: true })
    const chain = await openWorkloadChain(join(folder, 'made'), workload, parts)
    const blocks: BlockSets[] = []
    for (let count = 0; count < Number(flags.transactions); count += size) {
      const candidates = workload.transactions(kind, size)
      await makeBlock(chain, candidates, ({ stored }) => blocks.push(setsOf(stored.state)))
    }
    await chain.close()
    await measure(`${kind}, blocks of ${size}`, base, blocks, blocks.length * size)
  }
}

function setsOf(version: unknown): BlockSets {
  if (!(version instanceof Version) || version.content === undefined)
    throw new Error('The block is committed.')
  const parent = version.parent!
  const accounts: TrieChange[] = []
  const tries: TrieSet[] = []
  for (const { address, hash, before, after, slots } of version.content.changes) {
    const key = hash
    accounts.push({
      key,
      value: after.isAlive ? accountLeaf(after) : null,
      existed: before?.isAlive === true,
    })
    if (slots.length === 0) continue
    const changes = slots.map(({ slot, hash: key, value }) => ({
      key,
      value: value.length === 0 ? null : slotLeaf(value),
      existed: parent.hasSlot(address, after.incarnation, slot),
    }))
    tries.push({ prefix: storageTrie(address, after.incarnation), changes: sortChanges(changes) })
  }
  tries.push({ prefix: ACCOUNT_TRIE, changes: sortChanges(accounts) })
  return { tries, root: version.root }
}

async function measure(name: string, path: string, blocks: readonly BlockSets[], transactions: number) {
  const kv = await openLevelKv(path, { createIfMissing: false })
  let reads = 0
  const counted: KvReader = {
    get: (key) => {
      reads++
      return kv.get(key)
    },
  }
  let inputs: Uint8Array[] = []
  const hash: Keccak = (bytes) => {
    inputs.push(bytes)
    return keccak(bytes)
  }
  const half = blocks.length >> 1
  const apply = residentWay(hash)(counted)
  replay(blocks.slice(0, half), apply)
  inputs = []
  reads = 0
  replay(blocks.slice(half), apply)
  const each = (count: number): string => (count / timed).toFixed(1)
  const timed = transactions / 2
  const bytes = inputs.reduce((sum, { length }) => sum + length, 0) / inputs.length
  say(`${name}: ${each(inputs.length)} hashes of ${bytes.toFixed(0)} bytes and ${each(reads)} reads each`)
  const ways: [string, () => number][] = [
    ['TypeScript, nodes in memory (the store)', () => timeReplay(blocks, residentWay(keccak)(kv))],
    ['    of it Keccak', () => cpuMs(() => inputs.forEach((input) => void keccak(input)))],
    ['Rust, nodes in memory', () => timeReplay(blocks, nativeResident(kv))],
    ['TypeScript, nodes read and given back', () => timeReplay(blocks, statelessWay(kv))],
    ['Rust, nodes read and given back', () => timeReplay(blocks, nativeStateless(kv))],
  ]
  for (const [way, run] of ways) {
    const best = Math.min(...Array.from({ length: ROUNDS }, run))
    say(`  ${((best * 1000) / timed).toFixed(1).padStart(6)} µs  ${way}`)
  }
  await kv.close()
}

/** The first half of the blocks brings nodes into memory, as the blocks of a running node did before. */
function timeReplay(blocks: readonly BlockSets[], apply: Apply): number {
  const half = blocks.length >> 1
  replay(blocks.slice(0, half), apply)
  return cpuMs(() => replay(blocks.slice(half), apply))
}

function replay(blocks: readonly BlockSets[], apply: Apply): void {
  for (const { tries, root } of blocks) {
    let found: Uint8Array | undefined
    for (const { prefix, changes } of tries) found = apply(prefix, changes)
    if (found === undefined || !equalBytes(found, root)) throw new Error('The root is not that of the block.')
  }
}

function residentWay(hash: Keccak): (kv: KvReader) => Apply {
  return (kv) => {
    const roots = new Map<string, TrieNode | null>()
    return (prefix, changes) => {
      const text = keyText(prefix)
      const readNode = nodeReaderOf(kv, prefix)
      const before = roots.has(text) ? roots.get(text)! : loadRoot(readNode)
      const { root } = updateTrie(before, changes, readNode, hash)
      roots.set(text, root)
      return rootHash(root, hash)
    }
  }
}

function statelessWay(kv: KvReader): Apply {
  const nodes = new NodeMaps(kv)
  return (prefix, changes) => {
    const { root, nodeWrites } = computeRoot(changes, nodes.reader(prefix), keccak)
    for (const [path, node] of nodeWrites) nodes.of(prefix).set(path, node)
    return root
  }
}

function nativeResident(kv: KvReader): Apply {
  const tries = new Map<string, NativeTrie>()
  return (prefix, changes) => {
    const text = keyText(prefix)
    const trie = tries.get(text) ?? createNativeTrie()
    tries.set(text, trie)
    const readNode = nodeReaderOf(kv, prefix)
    return trie.update(encodeChanges(changes), (path) => readNode(path, path.length), false)
  }
}

function nativeStateless(kv: KvReader): Apply {
  const nodes = new NodeMaps(kv)
  return (prefix, changes) => {
    const readNode = nodes.reader(prefix)
    const answer = createNativeTrie().update(
      encodeChanges(changes),
      (path) => readNode(path, path.length),
      true,
    )
    for (let at = 32; at < answer.length; ) {
      const path = answer.subarray(at + 1, at + 1 + answer[at]!)
      at += 1 + path.length
      const length = answer[at]! * 256 + answer[at + 1]!
      at += 2
      const isRemoved = length === 0xffff
      nodes.of(prefix).set(pathText(path, path.length), isRemoved ? null : answer.subarray(at, at + length))
      if (!isRemoved) at += length
    }
    return answer.subarray(0, 32)
  }
}

/** Nodes that changed, by trie and path, over those on disk. */
class NodeMaps {
  readonly #kv: KvReader
  readonly #maps = new Map<string, Map<string, Uint8Array | null>>()

  constructor(kv: KvReader) {
    this.#kv = kv
  }

  of(prefix: Buffer): Map<string, Uint8Array | null> {
    const text = keyText(prefix)
    const known = this.#maps.get(text) ?? new Map()
    this.#maps.set(text, known)
    return known
  }

  reader(prefix: Buffer): NodeReader {
    const map = this.of(prefix)
    const stored = nodeReaderOf(this.#kv, prefix)
    return (path, length) => {
      const known = map.get(pathText(path, length))
      return known === undefined ? stored(path, length) : (known ?? undefined)
    }
  }
}

function createNativeTrie(): NativeTrie {
  const loaded = loadAddon()
  if (!loaded.ok) throw new Error(loaded.sentence)
  const { NativeTrie } = loaded.addon as unknown as { NativeTrie: new () => NativeTrie }
  return new NativeTrie()
}

function encodeChanges(changes: readonly TrieChange[]): Uint8Array {
  let end = 0
  for (const { key, value, existed } of changes) {
    scratch.set(key, end)
    scratch[end + 32] = (existed ? 1 : 0) | (value === null ? 2 : 0)
    scratch[end + 33] = value?.length ?? 0
    end += 34
    if (value === null) continue
    scratch.set(value, end)
    end += value.length
  }
  return scratch.subarray(0, end)
}

function cpuMs(run: () => void): number {
  const before = process.threadCpuUsage()
  run()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

try {
  await main()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
