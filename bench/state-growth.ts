/**
 * Measures what a transfer costs on states of several sizes: reads of both accounts, the state root and the commit.
 *
 *   npm run bench -- state-growth [--accounts 1000000,5000000,10000000 --blocks 200 --folder states --cache 128]
 *
 * Accounts are created in blocks of 20,000, in a pruned store (BONSAI), and every size continues the state of the one
 * before. The database is compacted before transfers are measured. --folder keeps it, so an interrupted run continues. Senders and recipients are uniformly random: no real load is
 * harder on caches. Reads of the database are those that the node's own caches did not answer. The last lines extrapolate to 100 million accounts: the depth of the trie, and of the database, grows
 * with the logarithm.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { silentLog } from '#chain/chain.fixture.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { createTemporaryDirectory } from '#platform/files/temporary-directory.ts'
import { TABLE } from '#store/kv/keys.ts'
import { type Kv, openLevelKvFor } from '#store/kv/kv.ts'
import { openStoreOn } from '#store/open-store.ts'
import type { NewBlock, StateVersion } from '#store/store.ts'
import { compactDatabase } from '#store/upkeep/compact-database.ts'
import type { Store } from '#store/writer.ts'
import { StateChangesWriter } from '#types/state-changes.ts'
import { Random } from '../test/support/random.ts'
import { sizeOf } from './scale-store.ts'

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '1000000,5000000,10000000' },
    blocks: { type: 'string', default: '200' },
    folder: { type: 'string' },
    /** Block cache of the database, in MB. */
    cache: { type: 'string', default: '128' },
  },
})
const sizes = values.accounts.split(',').map(Number)
const BLOCKS = Number(values.blocks)
const PART_ACCOUNTS = 20_000
const TRANSFERS = 100
const WARM_BLOCKS = 20
const HISTORY_BLOCKS = 512
const BALANCE = 10n ** 18n
const FAR_ACCOUNTS = 100_000_000
const NOTHING = new Uint8Array(0)
const forks = [{ name: 'frontier', trigger: 'block', from: 0n }] as const
const { keccak } = await loadCrypto()
const NO_CODE = keccak(NOTHING)

/** The address of an account by its number, so none has to be remembered. */
function addressOf(account: number): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeUIntBE(account, 0, 6)
  return keccak(bytes).subarray(12)
}

function hashOf(number: number): Uint8Array {
  const bytes = Buffer.alloc(32, 7)
  bytes.writeUIntBE(number, 0, 6)
  return bytes
}

function blockOn(store: Store, parent: StateVersion, changes: Uint8Array): NewBlock {
  const number = (store.head()?.number ?? -1) + 1
  return {
    number,
    hash: hashOf(number),
    timestamp: number,
    header: hashOf(number),
    body: NOTHING,
    receipts: NOTHING,
    callTrees: NOTHING,
    transactionHashes: [],
    logAddresses: [],
    logTopics: [],
    parties: undefined,
    state: store.deriveState(parent, changes),
  }
}

/** Every block until the first transfers creates a part; `created` is derived from the marker account's nonce. */
const MARKER = keccak(Buffer.from('number of accounts')).subarray(12)

function createdAccounts(store: Store): number {
  const head = store.head()
  return head === undefined ? 0 : Number(store.stateAt(head.number).account(MARKER)?.nonce ?? 0n)
}

async function createAccounts(store: Store, upTo: number): Promise<void> {
  const writer = new StateChangesWriter()
  for (let created = createdAccounts(store); created < upTo; created += PART_ACCOUNTS) {
    for (let account = created; account < created + PART_ACCOUNTS; account++)
      writer.account(addressOf(account), 0n, BALANCE, NO_CODE)
    writer.account(MARKER, BigInt(created + PART_ACCOUNTS), 0n, NO_CODE)
    await store.commitBlocks([blockOn(store, store.headState(), writer.finish())])
    if ((created + PART_ACCOUNTS) % 1_000_000 === 0) console.log(`  ${created + PART_ACCOUNTS} accounts`)
  }
}

/** Reads of the database so far: values of accounts, and nodes of their trie. */
interface Reads {
  values: number
  nodes: number
}

function countReads(kv: Kv): Reads {
  const reads = { values: 0, nodes: 0 }
  const get = kv.get
  kv.get = (...args) => {
    const [key] = args
    if (key[0] === TABLE.account) reads.values += 1
    else if (key[0] === TABLE.accountNode) reads.nodes += 1
    return get.apply(kv, args)
  }
  return reads
}

interface Costs extends Reads {
  /** Microseconds of CPU per transfer. */
  readonly read: number
  readonly root: number
  readonly commit: number
}

async function transferCosts(
  store: Store,
  reads: Reads,
  accounts: number,
  blocks: number,
  seed: number,
): Promise<Costs> {
  const random = new Random(seed, accounts)
  const writer = new StateChangesWriter()
  const micros = { read: 0, root: 0, commit: 0 }
  const timed = <Value>(part: keyof typeof micros, work: () => Value): Value => {
    const start = process.cpuUsage()
    const value = work()
    const { user, system } = process.cpuUsage(start)
    micros[part] += user + system
    return value
  }
  const before = { ...reads }
  for (let block = 0; block < blocks; block++) {
    const chosen = new Set<number>()
    while (chosen.size < 2 * TRANSFERS) chosen.add(random.below(accounts))
    const state = store.stateAt(store.head()!.number)
    timed('read', () => {
      let isSender = true
      for (const each of chosen) {
        const address = addressOf(each)
        const { nonce, balance } = state.account(address)!
        writer.account(
          address,
          isSender ? nonce + 1n : nonce,
          isSender ? balance - 1n : balance + 1n,
          NO_CODE,
        )
        isSender = !isSender
      }
    })
    const next = timed('root', () => blockOn(store, store.headState(), writer.finish()))
    const start = process.cpuUsage()
    await store.commitBlocks([next])
    const { user, system } = process.cpuUsage(start)
    micros.commit += user + system
  }
  const each = (sum: number): number => sum / (blocks * TRANSFERS)
  return {
    read: each(micros.read),
    root: each(micros.root),
    commit: each(micros.commit),
    values: each(reads.values - before.values),
    nodes: each(reads.nodes - before.nodes),
  }
}

async function main(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'database')
  const totals: number[] = []
  console.log(
    '| Accounts | Database, bytes per account | Read, µs | Root, µs | Commit, µs | Sum | Values read | Trie nodes read | Memory, MB |',
  )
  console.log('|---|---|---|---|---|---|---|---|---|')
  for (const size of sizes) {
    const options = { format: 'BONSAI', historyBlocks: HISTORY_BLOCKS, genesisHash: hashOf(0) } as const
    const cacheBytes = Number(values.cache) * 1024 * 1024
    const open = () =>
      openLevelKvFor(path, { createIfMissing: true, cacheBytes }, async (kv) => {
        const reads = countReads(kv)
        return { reads, store: await openStoreOn(kv, { ...options, forks, log: silentLog }) }
      })
    const { store: filling } = await open()
    await createAccounts(filling, size)
    await filling.close()
    // A state that grew slowly has no tables of new accounts left to sort.
    await compactDatabase(path, { onTable: () => {}, signal: new AbortController().signal })
    const bytes = sizeOf(path)
    const { store, reads } = await open()
    await transferCosts(store, reads, size, WARM_BLOCKS, 1)
    const {
      read,
      root,
      commit,
      values: valuesRead,
      nodes,
    } = await transferCosts(store, reads, size, BLOCKS, 2)
    await store.close()
    totals.push(read + root + commit)
    const figures = [read, root, commit, read + root + commit].map((micros) => micros.toFixed(1))
    const memory = (process.memoryUsage().rss / 1e6).toFixed(0)
    console.log(
      `| ${size} | ${(bytes / size).toFixed(0)} | ${figures.join(' | ')} | ${valuesRead.toFixed(1)} | ${nodes.toFixed(1)} | ${memory} |`,
    )
  }
  const [first, last] = [totals[0]!, totals.at(-1)!]
  const slope = (last - first) / Math.log(sizes.at(-1)! / sizes[0]!)
  const far = last + slope * Math.log(FAR_ACCOUNTS / sizes.at(-1)!)
  console.log(
    `${sizes.at(-1)} to ${sizes[0]} accounts: ${(last / first).toFixed(2)} of the cost of a transfer`,
  )
  console.log(
    `Extrapolated to ${FAR_ACCOUNTS} accounts: ${far.toFixed(0)} µs, ${(far / first).toFixed(2)} of the first size`,
  )
}

const temporary = values.folder === undefined ? createTemporaryDirectory('cairn-bench-') : undefined
try {
  await main(values.folder ?? temporary!.path)
} finally {
  temporary?.remove()
}
