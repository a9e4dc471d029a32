/** The recorded allowlist calls, with the file after each. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEntries } from '../recorded/entry.ts'
import { playPeers } from '../recorded/perm-peers.ts'
import { dedupedNodes, type PermEntry, permRule, spelledHere } from '../recorded/perm-rules.ts'
import { RecordedFile } from '../recorded/permissions-file.ts'
import { playEntry } from '../recorded/play.ts'
import { optionsOfA, optionsOfNames, optionsOfP1 } from '../recorded/recorded-nodes.ts'
import { type StartedNode, startNode } from '../recorded/start-node.ts'
import { type Outcome, outcomeOfPlay, type Pack, type Suite } from '../suite.ts'

const NO_NODES = 'nodes-allowlist=[]\n'

const suite: Suite = {
  name: 'recorded/perm',
  async *run(pack) {
    const start = pack.text('recorded/config/perm-start-p1.toml')
    yield* playWithFile(pack, 'perm-both-lists.json', start, (path) => optionsOfP1(pack, path))
    for (const areKept of [false, true]) {
      const name = `perm-nodes-only-dns${areKept ? '-update' : ''}.json`
      yield* playWithFile(pack, name, NO_NODES, (path) => optionsOfNames(pack, path, areKept))
    }
    const node = await startNode(optionsOfA(pack))
    try {
      for (const [index, entry] of readEntries(pack, 'perm-not-enabled.json').entries()) {
        yield await playOne(node, `perm-not-enabled.json#${index}`, entry)
      }
    } finally {
      await node.stop()
    }
    yield* playPeers(pack)
  },
}

export default suite

async function* playWithFile(
  pack: Pack,
  recording: string,
  start: string,
  options: (path: string) => string[],
): AsyncGenerator<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-recorded-perm-'))
  const path = join(folder, 'permissions.toml')
  writeFileSync(path, start)
  const file = new RecordedFile(path)
  const node = await startNode(options(path))
  try {
    for (const [index, entry] of readEntries(pack, recording).entries()) {
      yield await playOne(node, `${recording}#${index}`, spelledHere(recording, entry), file)
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
  entry: PermEntry,
  file?: RecordedFile,
): Promise<Outcome> {
  const unit = unitOf(name)
  return outcomeOfPlay(unit, async () => {
    file?.prepare(entry)
    const before = file?.read() ?? ''
    const rule = permRule(name, entry)
    const outcome = await playEntry(unit, entry, { ports, rule })
    // If a request that named a node twice was refused, the later entries were recorded with the node.
    const single = rule === undefined ? undefined : dedupedNodes(entry)
    if (single !== undefined) await playEntry(unit, single, { ports })
    const mistake = file?.mistake(before, entry)
    return mistake === undefined ? outcome : { unit, status: 'failed', reason: mistake }
  })
}

function unitOf(name: string): string {
  return `recorded/jsonrpc/${name}`
}
