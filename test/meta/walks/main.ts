/**
 * How long the walks of ARCHITECTURE.md are. `npm run walks` counts them in this checkout, `npm run walks -- ../old .` in
 * two others beside each other, `--files` lists the files in the order in which they are entered.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { call, extend, GENESIS_TEXT, LOGGER, openTestChain, SOMEBODY } from '#chain/chain.fixture.ts'
import type { BlockVerdict, NodeOptions } from '#node/create-node.ts'
import { encodeGenesisExtraData } from '#types/block/bft-extra-data.ts'
import { BFT_MIX_HASH } from '#types/block/bft-header.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData } from '#types/hex.ts'
import { inspectThreads } from './inspect-threads.ts'
import { recordEntries } from './record-entries.ts'
import { splitRuns, type Walk, walkOf } from './walk.ts'
import type { WalkedNodeStart } from './walked-node.ts'

const RUNS = 3
/** Runs before the recording, to fill caches and open connections. */
const WARM_UPS = 3
/** The time between two runs, with only timers running. */
const PAUSE_MS = 2_000
/** Longer than the pauses of a busy machine within a run, shorter than those between timers. */
const SPLIT_MS = 700
/** Longer than the period of most timers. */
const IDLE_MS = 5_500
const PERIOD_SECONDS = 4

/** The node that a walk runs in. */
interface WalkedNode {
  readonly http: number
  importBlock(rlp: Uint8Array): Promise<void>
}

interface Route {
  readonly name: string
  readonly options: Omit<NodeOptions, 'dataPath'>
  /** True if its own clock starts walks, so it is never idle. */
  readonly isDriven?: true
  /** Takes one walk, the `index`th in this node. */
  take(node: WalkedNode, index: number): Promise<void>
}

const folder = mkdtempSync(join(tmpdir(), 'cairn-walks-'))
const { values, positionals } = parseArgs({
  options: { files: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const checkouts = positionals.length === 0 ? ['.'] : positionals
try {
  for (const route of await routes()) {
    for (const checkout of checkouts) {
      const { files, reEntries } = await count(route, checkout)
      process.stdout.write(`${route.name}, in ${checkout}: ${files.length} files, ${reEntries} re-entries\n`)
      if (values.files) for (const file of files) process.stdout.write(`  ${file}\n`)
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function routes(): Promise<Route[]> {
  return [ethCall(), await blockImport(), qbftRound()]
}

function ethCall(): Route {
  const params = [{ to: LOGGER, data: '0x' }, 'latest']
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params })
  return {
    name: 'eth_call over HTTP',
    options: { genesis: GENESIS_TEXT, options: { 'rpc-http-enabled': true, 'rpc-http-port': 0 } },
    async take({ http }) {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`http://127.0.0.1:${http}`, { method: 'POST', headers, body })
      const { error } = (await answer.json()) as { error?: { message: string } }
      if (error !== undefined) throw new Error(error.message)
    },
  }
}

/** Imports blocks with transactions, without verifying their seals. */
async function blockImport(): Promise<Route> {
  const chain = await openTestChain()
  const blocks: Uint8Array[] = []
  for (let nonce = 0; blocks.length < WARM_UPS + 2 * RUNS; nonce += 2) {
    blocks.push(await extend(chain, [call(nonce, SOMEBODY), call(nonce + 1, LOGGER)]))
  }
  return {
    name: 'one block imported, with its head event',
    options: { genesis: GENESIS_TEXT },
    take: (node, index) => node.importBlock(blocks[index]!),
  }
}

/** The clock starts a round, so the walk only waits for one. */
function qbftRound(): Route {
  const key = new Uint8Array(32).fill(3)
  const keyFile = join(folder, 'key')
  writeFileSync(keyFile, formatData(key))
  const validator = addressFromPublicKey(publicKeyFromPrivate('secp256k1', key))
  const qbft = { blockperiodseconds: PERIOD_SECONDS, requesttimeoutseconds: 10 * PERIOD_SECONDS }
  const genesis = {
    config: { chainId: 1337, berlinBlock: 0, londonBlock: 0, shanghaiTime: 0, zeroBaseFee: true, qbft },
    extraData: formatData(encodeGenesisExtraData('qbft', [validator])),
    gasLimit: '0x1c9c380',
    difficulty: '0x1',
    mixHash: BFT_MIX_HASH,
    alloc: {},
  }
  return {
    name: 'one QBFT round of one validator, with the import of its block',
    options: { genesis, options: { 'node-private-key-file': keyFile } },
    isDriven: true,
    take: () => pause(PERIOD_SECONDS * 1_000),
  }
}

async function count({ options, take, isDriven }: Route, checkout: string): Promise<Walk> {
  const sources = `${pathToFileURL(resolve(checkout)).href}/src/`
  const child = fork(new URL('walked-node.ts', import.meta.url), {
    execArgv: ['--inspect=127.0.0.1:0'],
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  })
  const exited = once(child, 'exit')
  try {
    const [text] = await once(child.stderr!, 'data')
    const url = /ws:\S+/.exec(String(text))![0]
    const dataPath = mkdtempSync(join(folder, 'data-'))
    child.send({ sources, options: { ...options, dataPath } } satisfies WalkedNodeStart)
    const [http] = await once(child, 'message')
    const node: WalkedNode = { http, importBlock: (rlp) => importInto(child, rlp) }
    let taken = 0
    while (taken < WARM_UPS) await take(node, taken++)
    const { threads, close } = await inspectThreads(url)
    const walk = async (): Promise<void> => {
      for (let run = 0; run < RUNS; run++) {
        await pause(PAUSE_MS)
        await take(node, taken++)
      }
      await pause(PAUSE_MS)
    }
    const idle = isDriven ? undefined : () => pause(IDLE_MS)
    const entries = await recordEntries(threads, sources, walk, idle)
    close()
    const runs = splitRuns(entries, SPLIT_MS)
    if (runs.length < RUNS)
      throw new Error(`${runs.length} walks were seen, not ${RUNS}; is the machine busy?`)
    return walkOf(runs)
  } finally {
    child.kill('SIGKILL')
    await exited
  }
}

async function importInto(child: ChildProcess, rlp: Uint8Array): Promise<void> {
  child.send(formatData(rlp))
  const [verdict] = (await once(child, 'message')) as [BlockVerdict]
  if (!verdict.ok) throw new Error(verdict.sentence)
}
