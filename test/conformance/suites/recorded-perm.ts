/** The allowlists as they were recorded, call by call, with the file after each. Those of nodes wait for peers. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RecordedEntry, readEntries } from '../recorded/entry.ts'
import { type FileEntry, RecordedFile } from '../recorded/permissions-file.ts'
import { playEntry, type Rule } from '../recorded/play.ts'
import { optionsOfA, optionsOfP1 } from '../recorded/recorded-nodes.ts'
import { type StartedNode, startNode } from '../recorded/start-node.ts'
import { type Outcome, outcomeOfPlay, type Pack, type Suite } from '../suite.ts'

const BOTH_LISTS = 'perm-both-lists.json'
/** Without any list in force; of the first two that of nodes was. */
const NO_LISTS = ['perm-nodes-only-dns.json', 'perm-nodes-only-dns-update.json', 'perm-not-enabled.json']
const PEERS = ['perm-peers.json', 'perm-peers-match.json']
const PEERS_WAIT = 'peers: the nodes allowlist'

/** Methods of nodes, and reloads that failed because of the list of nodes, with what was asked after them. */
const NODE_METHODS = /"method":"(perm_\w*Nodes\w*|admin_\w+Peer\w*|net_peerCount)"/
const RELOADS_OF_NODES = /reload: (nodes key missing|invalid enode|enode with DNS name)/

const suite: Suite = {
  name: 'recorded/perm',
  async *run(pack) {
    yield* playBothLists(pack)
    const node = await startNode(optionsOfA(pack))
    try {
      for (const file of NO_LISTS) {
        for (const [index, entry] of readEntries(pack, file).entries()) {
          yield await playOne(node, `${file}#${index}`, entry)
        }
      }
    } finally {
      await node.stop()
    }
    for (const file of PEERS) {
      for (const index of readEntries(pack, file).keys()) yield waiting(unitOf(`${file}#${index}`))
    }
  },
}

export default suite

async function* playBothLists(pack: Pack): AsyncGenerator<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-recorded-perm-'))
  const path = join(folder, 'permissions.toml')
  copyFileSync(pack.path('recorded/config/perm-start-p1.toml'), path)
  const file = new RecordedFile(path)
  const node = await startNode(optionsOfP1(pack, path))
  try {
    for (const [index, entry] of readEntries(pack, BOTH_LISTS).entries()) {
      yield await playOne(node, `${BOTH_LISTS}#${index}`, entry, file)
    }
  } finally {
    file.lock(false)
    await node.stop()
    rmSync(folder, { recursive: true })
  }
}

function playOne(
  { ports }: StartedNode,
  name: string,
  entry: RecordedEntry & FileEntry,
  file?: RecordedFile,
): Promise<Outcome> {
  const unit = unitOf(name)
  return outcomeOfPlay(unit, async () => {
    if (isAboutNodes(name, entry)) return waiting(unit)
    file?.prepare(entry)
    const before = file?.read() ?? ''
    const outcome = await playEntry(unit, entry, { ports, rule: PERM_RULES[name] })
    const mistake = file?.mistake(before, entry)
    if (mistake !== undefined) return { unit, status: 'failed', reason: mistake }
    return outcome.status === 'waits' ? waiting(unit) : outcome
  })
}

/** Whatever a node answered whose list of nodes was in force, but for what it said of accounts. */
function isAboutNodes(name: string, { note, request }: RecordedEntry): boolean {
  if (name.startsWith('perm-not-enabled')) return false
  if (name.startsWith('perm-nodes-only')) return !note.startsWith('accounts not enabled')
  return NODE_METHODS.test(request ?? '') || RELOADS_OF_NODES.test(note)
}

function waiting(unit: string): Outcome {
  return { unit, status: 'waits', reason: PEERS_WAIT }
}

function unitOf(name: string): string {
  return `recorded/jsonrpc/${name}`
}

function answering(decision: string, answer: () => object): Rule {
  return {
    decision,
    instead: (entry) => {
      const { id } = JSON.parse(entry.request!) as { id: number }
      return { ...entry, response: JSON.stringify({ jsonrpc: '2.0', id, ...answer() }) }
    },
  }
}

const error = (message: string) => ({ error: { code: -32000, message } })
const NO_TEXT = answering('6', () => error('Request contains an invalid account'))
/** Reloading writes nothing, so that a file which cannot be written can be loaded. */
const READ_ONLY = answering('8', () => ({ result: 'Success' }))
/** Account c, which is not on the list. */
const UNPERMITTED = answering('refusal-sentence', () => ({
  error: {
    code: -32007,
    message: 'Sender account not authorized to send transactions',
    data: 'The account 0xf17f52151ebef6c7334fad080c5704d77216b732 may not send this transaction.',
  },
}))
const OLD_NAME = answering('whitelist-names', () => error('Account allowlist has not been enabled'))

const PERM_RULES: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries([24, 25, 26, 27, 40, 41].map((index) => [`${BOTH_LISTS}#${index}`, NO_TEXT])),
  [`${BOTH_LISTS}#99`]: UNPERMITTED,
  [`${BOTH_LISTS}#106`]: UNPERMITTED,
  [`${BOTH_LISTS}#132`]: READ_ONLY,
  'perm-not-enabled.json#14': OLD_NAME,
}
