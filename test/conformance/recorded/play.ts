import { gunzipSync } from 'node:zlib'
import type { Outcome } from '../suite.ts'
import { bytesOf, type RecordedEntry } from './entry.ts'
import { isNotificationText, judge, type Verdict } from './judge.ts'
import { playHttp, playTcp } from './play-raw.ts'
import { playWebSocket } from './play-ws.ts'
import type { NodePorts } from './start-node.ts'
import { recordedTranscript, type Transcript } from './transcript.ts'

/** No JSON begins with this byte. */
const GZIP_MAGIC = 0x1f

/** The expected form of an entry for which Cairn differs from the recording. */
export interface Rule {
  /** Its row in docs/reference/compatibility.md. */
  readonly decision?: string
  /** The missing part of the node. */
  readonly waits?: string
  /** The entry as it would be recorded from Cairn: a deviation is checked too. */
  readonly instead: (entry: RecordedEntry, ports: NodePorts) => RecordedEntry
}

export interface Playing {
  readonly ports: NodePorts
  readonly rule?: Rule | undefined
  /** Returns undefined if no existing method can replace these. */
  readonly standIn?: (entry: RecordedEntry, methods: readonly string[]) => StandIn | undefined
}

/** An entry with existing methods in place of the missing ones. */
export interface StandIn {
  readonly entry: RecordedEntry
  /** The recorded body with these methods. */
  readonly recordedBody: (body: string) => string
  /** The compared part of an actual body; all of it by default. */
  readonly actualBody?: (body: string) => string
}

export async function playEntry(unit: string, entry: RecordedEntry, playing: Playing): Promise<Outcome> {
  const { ports, rule } = playing
  const told = rule?.instead(entry, ports) ?? entry
  const actual = await play(ports, told)
  const verdict = judgeEntry(told, actual)
  if (verdict.kind === 'differs') return outcomeOf(unit, verdict)
  const mistake = await standInMistake(told, verdict, playing)
  if (mistake !== undefined) return { unit, status: 'failed', reason: `with a stand-in: ${mistake}` }
  if (rule !== undefined && judgeEntry(entry, actual).kind === 'met') {
    return { unit, status: 'failed', reason: 'is answered as recorded, although a rule says otherwise' }
  }
  if (rule?.decision !== undefined) return { unit, status: 'deviates', decision: rule.decision }
  if (rule?.waits !== undefined) return { unit, status: 'waits', reason: rule.waits }
  return outcomeOf(unit, verdict)
}

export function outcomeOf(unit: string, verdict: Verdict): Outcome {
  switch (verdict.kind) {
    case 'met':
      return { unit, status: 'met' }
    case 'waits':
      return { unit, status: 'waits', reason: `method ${verdict.methods.join(', ')}` }
    case 'differs':
      return { unit, status: 'failed', reason: verdict.where }
  }
}

async function standInMistake(
  entry: RecordedEntry,
  verdict: Verdict,
  { ports, standIn }: Playing,
): Promise<string | undefined> {
  const stand = verdict.kind === 'waits' ? standIn?.(entry, verdict.methods) : undefined
  if (stand === undefined) return undefined
  const recorded = recordedTranscript(stand.entry)
  const actual = await play(ports, stand.entry)
  const standInVerdict = judge(
    withBodies(recorded, stand.recordedBody),
    withBodies(actual, stand.actualBody ?? ((body) => body)),
    asksOf(stand.entry, recorded),
  )
  if (standInVerdict.kind === 'met') return undefined
  return standInVerdict.kind === 'differs'
    ? standInVerdict.where
    : `${standInVerdict.methods.join(', ')} is missing too`
}

function withBodies({ replies, end }: Transcript, change: (body: string) => string): Transcript {
  return { replies: replies.map((reply) => ({ ...reply, body: change(reply.body) })), end }
}

export function judgeEntry(entry: RecordedEntry, actual: Transcript): Verdict {
  const expected = recordedTranscript(entry)
  return judge(expected, actual, asksOf(entry, expected))
}

export async function play(ports: NodePorts, entry: RecordedEntry): Promise<Transcript> {
  const port = portOf(ports, entry)
  switch (entry.transport) {
    case 'http':
      return await playHttp(port, entry)
    case 'tcp':
      return await playTcp(port, entry, recordedTranscript(entry).replies.length)
    case 'ws':
      return await playWebSocket(port, entry)
    default:
      throw new Error(`an entry without transport cannot be played: ${entry.note}`)
  }
}

const ON_WS_PORT = /\bWS[- ]port\b|in public key mode WS$/
const ON_METRICS_PORT = /^wrong host on \/metrics|^no token, \/metrics$|^metrics with/

/** Ports were not recorded, but the notes distinguish them. */
function portOf(ports: NodePorts, { transport, note }: RecordedEntry): number {
  if (transport === 'ws' || ON_WS_PORT.test(note)) return ports.ws
  return ON_METRICS_PORT.test(note) ? ports.metrics : ports.http
}

/** The JSON request of every reply. */
function asksOf(
  { transport, request, frames = [] }: RecordedEntry,
  expected: Transcript,
): (string | undefined)[] {
  if (transport === 'ws') {
    const sent = frames.flatMap(({ out }) => (out === undefined ? [] : [textOf(out)]))
    return [undefined, ...sent.filter((text) => !isNotificationText(text))]
  }
  if (transport === 'http') return [textOf(request ?? '')]
  const bodies = (request ?? '').match(/\{"jsonrpc".*?\}(?=POST|\r|$)/g) ?? []
  let next = 0
  return expected.replies.map(({ status }) => (status < 200 ? undefined : bodies[next++]))
}

function textOf(recorded: string): string {
  const bytes = bytesOf(recorded)
  return (bytes[0] === GZIP_MAGIC ? gunzipSync(bytes) : bytes).toString()
}
