/** Two nodes, the first with a nodes allowlist: which peers are connected after each recorded call. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { systemClock } from '#platform/clock.ts'
import { formatEnode, parseEnode } from '#types/enode.ts'
import { openRpcClient, type RpcClient } from '../../support/rpc-client.ts'
import { type Outcome, outcomeOfPlay, type Pack } from '../suite.ts'
import { type RecordedEntry, readEntries } from './entry.ts'
import { answering, error } from './perm-rules.ts'
import { playEntry, type Rule } from './play.ts'
import { optionsOfPeer } from './recorded-nodes.ts'
import { startNode } from './start-node.ts'

const RECORDINGS = ['perm-peers.json', 'perm-peers-match.json'] as const
/** A removed node is gone within milliseconds; a machine may be busy. */
const GONE_MS = 5_000
const DIAL_MS = 20_000
/** How long the test waits for a peer that must not connect. */
const STAYS_AWAY_MS = 1_500
const STRANGER = 'aa'.repeat(64)

const STRANGE_PEER = answering('3', () => error('Cannot add a non-permitted node as a peer'))
const NOBODY = answering('4', () => ({ result: [] }))

const RULES: Readonly<Record<string, Rule>> = {
  'perm-peers.json#12': STRANGE_PEER,
  'perm-peers-match.json#3': NOBODY,
  'perm-peers-match.json#5': STRANGE_PEER,
  'perm-peers-match.json#7': NOBODY,
  // It was never added.
  'perm-peers-match.json#8': answering('3', () => ({ result: false })),
}

/** Besu admits any node with the permitted address; Cairn does not. */
const LET_IN_BY_BESU = new Set(['perm-peers-match.json#2', 'perm-peers-match.json#6'])

interface Pair {
  readonly ports: Awaited<ReturnType<typeof startNode>>['ports']
  readonly a: RpcClient
  readonly b: RpcClient
  readonly urlOfA: string
  readonly urlOfB: string
  readonly file: string
}

export async function* playPeers(pack: Pack): AsyncGenerator<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-recorded-peers-'))
  const file = join(folder, 'permissions.toml')
  const nodeB = await startNode(optionsOfPeer(pack))
  const b = openRpcClient(nodeB.ports.http)
  const urlOfB = await urlOf(b)
  writeFileSync(file, listOf(urlOfB))
  const nodeA = await startNode(optionsOfPeer(pack, file))
  const a = openRpcClient(nodeA.ports.http)
  try {
    const pair: Pair = { ports: nodeA.ports, a, b, urlOfA: await urlOf(a), urlOfB, file }
    for (const recording of RECORDINGS) {
      if (recording === 'perm-peers-match.json') await listStranger(pair)
      for (const [index, entry] of readEntries(pack, recording).entries()) {
        yield await playStep(pair, `${recording}#${index}`, entry)
      }
    }
  } finally {
    a.close()
    b.close()
    await Promise.all([nodeA.stop(), nodeB.stop()])
    rmSync(folder, { recursive: true })
  }
}

async function playStep(pair: Pair, name: string, recorded: RecordedEntry): Promise<Outcome> {
  const unit = `recorded/jsonrpc/${name}`
  const entry = spelledFor(pair, recorded)
  return await outcomeOfPlay(unit, async () => {
    await actBefore(pair, entry)
    const peers = /: peers=(\d) after/.exec(entry.note)?.[1]
    if (peers !== undefined) return await seePeers(pair, unit, name, entry.note, Number(peers))
    if (entry.request === undefined) return { unit, status: 'met' }
    if (/"admin_peers"/.test(entry.request!) && RULES[name] === undefined)
      return await seeReport(pair, unit, entry)
    return await playEntry(unit, entry, { ports: pair.ports, rule: RULES[name] })
  })
}

/** Performs the action on B or on the file that the note describes. */
async function actBefore({ b, urlOfA, urlOfB, file }: Pair, { note }: RecordedEntry): Promise<void> {
  if (note.includes('by B')) await b.call('admin_removePeer', urlOfA)
  if (/^(on B: admin_addPeer|B (\(static|reconnects|connects))/.test(note)) {
    // B dials at once, regardless of earlier refusals.
    await b.call('admin_removePeer', urlOfA)
    const { result } = await b.call('admin_addPeer', urlOfA)
    if (result !== true) throw new Error(`admin_addPeer of B answered ${result}`)
  }
  if (note.startsWith('reload file'))
    writeFileSync(file, note.includes('lists B') ? listOf(urlOfB) : listOf())
}

async function seePeers(
  { a }: Pair,
  unit: string,
  name: string,
  note: string,
  recorded: number,
): Promise<Outcome> {
  const isLetInByBesu = LET_IN_BY_BESU.has(name)
  const expected = isLetInByBesu ? 0 : recorded
  const startMs = systemClock.monotonicMs()
  const isRemoval = /removal|dropped/.test(note)
  const waitMs = expected > 0 ? DIAL_MS : isRemoval ? GONE_MS : STAYS_AWAY_MS
  let count = -1
  while (systemClock.monotonicMs() - startMs < waitMs) {
    count = Number((await a.call('net_peerCount')).result)
    // For a peer that must not connect, the full time is waited.
    if (count === expected && (expected > 0 || isRemoval)) break
    if (count !== expected && expected === 0 && !isRemoval && !note.includes('by B')) break
    await new Promise<void>((resolve) => void systemClock.after(20, resolve))
  }
  if (count !== expected) return { unit, status: 'failed', reason: `has ${count} peers, not ${expected}` }
  return isLetInByBesu ? { unit, status: 'deviates', decision: '4' } : { unit, status: 'met' }
}

/** Client names, capabilities and values that differ between runs are not compared. */
async function seeReport({ a }: Pair, unit: string, { response }: RecordedEntry): Promise<Outcome> {
  const theirs = shapeOf(JSON.parse(response!).result)
  const ours = shapeOf((await a.call('admin_peers')).result as PeerShape[])
  if (isDeepStrictEqual(ours, theirs)) return { unit, status: 'met' }
  return { unit, status: 'failed', reason: `${JSON.stringify(ours)} is not ${JSON.stringify(theirs)}` }
}

interface PeerShape {
  readonly version: string
  readonly network: { readonly inbound: boolean }
  readonly port: string
  readonly id: string
  readonly enode: string
}

function shapeOf(peers: readonly PeerShape[]): object[] {
  return peers.map(({ version, network, port, id, enode }) => ({
    version,
    inbound: network.inbound,
    port,
    id,
    enode,
  }))
}

async function listStranger({ a, b, urlOfA, urlOfB, file }: Pair): Promise<void> {
  await b.call('admin_removePeer', urlOfA)
  writeFileSync(file, listOf(urlOfB.replace(parseEnode(urlOfB).id, STRANGER)))
  await a.call('perm_reloadPermissionsFromFile')
}

function listOf(...urls: string[]): string {
  return `nodes-allowlist=${JSON.stringify(urls)}\n`
}

async function urlOf(client: RpcClient): Promise<string> {
  const { result } = await client.call('net_enode')
  // Both run without discovery.
  const { id, host, hostKind, tcpPort } = parseEnode(result as string)
  return formatEnode({ id, host, hostKind, tcpPort, udpPort: tcpPort })
}

const RECORDED_B = /1249d51a[0-9a-f]{120}/g

/** Replaces B's id and port by the local ones; the recording's wrong port stays wrong. */
function spelledFor({ urlOfB }: Pair, entry: RecordedEntry): RecordedEntry {
  const { id, tcpPort } = parseEnode(urlOfB)
  const spelled = (text: string) =>
    text
      .replaceAll(RECORDED_B, id)
      .replaceAll(':18913', `:${tcpPort}`)
      .replaceAll('0x49e1', `0x${tcpPort!.toString(16)}`)
  return {
    ...entry,
    ...(entry.request && { request: spelled(entry.request) }),
    ...(entry.response && { response: spelled(entry.response) }),
  }
}
