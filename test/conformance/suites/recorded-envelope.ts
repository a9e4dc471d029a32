import { playConnectionLimit } from '../recorded/connection-limit.ts'
import { type RecordedEntry, readEntries } from '../recorded/entry.ts'
import { ENVELOPE_RULES, ENVELOPE_WAITS } from '../recorded/envelope-rules.ts'
import { inParallel, untilAllEnd } from '../recorded/in-parallel.ts'
import { playEntry } from '../recorded/play.ts'
import { optionsOfA, optionsOfAk, optionsOfR, optionsOfR2 } from '../recorded/recorded-nodes.ts'
import { type NodePorts, startNode } from '../recorded/start-node.ts'
import { type Outcome, outcomeOfPlay, type Pack, type Suite } from '../suite.ts'

/** The files of one node, played one after the other. */
interface Scene {
  readonly files: readonly string[]
  readonly options: (pack: Pack) => string[]
  /** Entries at a time: fewer than the connection limit if connections are counted. */
  readonly parallel: number
}

const SCENES: readonly Scene[] = [
  { files: ['envelope-http.json', 'envelope-ws.json'], options: optionsOfA, parallel: 16 },
  // In order, because filters are counted too.
  { files: ['limits.json', 'ws-frame-size.json'], options: optionsOfR, parallel: 1 },
  { files: ['connection-limit.json'], options: optionsOfR2, parallel: 1 },
  { files: ['ws-batch-elements.json'], options: optionsOfAk, parallel: 8 },
]

/** The format of requests and answers over HTTP and WebSocket, status by status and close code by close code. */
const suite: Suite = {
  name: 'recorded/envelope',
  async *run(pack) {
    const outcomes = await untilAllEnd(SCENES.map((scene) => playScene(pack, scene)))
    yield* outcomes.flat()
  },
}

export default suite

async function playScene(pack: Pack, { files, options, parallel }: Scene): Promise<Outcome[]> {
  const node = await startNode(options(pack))
  try {
    const outcomes: Outcome[] = []
    for (const file of files) {
      const entries = readEntries(pack, file)
      const play = (entry: RecordedEntry, index: number) => playOne(node.ports, entry, `${file}#${index}`)
      outcomes.push(...(await inParallel(entries, parallel, play)))
    }
    return outcomes
  } finally {
    await node.stop()
  }
}

function playOne(ports: NodePorts, entry: RecordedEntry, name: string): Promise<Outcome> {
  const unit = `recorded/jsonrpc/${name}`
  return outcomeOfPlay(unit, async () => {
    const reason = ENVELOPE_WAITS[name]
    if (reason !== undefined) return { unit, status: 'waits', reason }
    if (entry.connections !== undefined) return playConnectionLimit(unit, ports, entry)
    // A heading: it names the option under which the entries after it were recorded.
    if (entry.transport === undefined) return { unit, status: 'met' }
    return playEntry(unit, entry, { ports, rule: ENVELOPE_RULES[name] })
  })
}
