/**
 * Attributes a node's CPU time to the stages of a transaction, from the profiles of its threads. Threads of native
 * code (key recovery, database compaction) are not sampled.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
  readonly children?: readonly number[]
}

interface Profile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
  /** Microseconds of the monotonic clock. */
  readonly startTime: number
}

const IDLE = /^\((idle|root)\)$/
/** The first matching row of the innermost frame that matches any row. */
export type Stages = readonly (readonly [string, RegExp])[]

const STAGES: Stages = [
  ['recover', /recover|secp256k1|noble.*curves/i],
  [
    'decode',
    /src\/types\/(transaction|rlp|json|hex)|src\/(jsonrpc\/dispatch|api\/(registry|schema|methods|present))|scan-json/,
  ],
  ['admit', /src\/pool\/(?!core\/selection)/],
  ['select', /src\/pool\/core\/selection|src\/chain\/build/],
  ['root', /src\/store\/trie|src\/types\/keccak|fast-keccak|block-roots/],
  ['index', /src\/store\/(tables|logged-blocks|traced-blocks|range)/],
  ['commit', /src\/store|classic-level/],
  ['execute', /src\/evm|src\/chain\/write|src\/chain\/rules/],
  [
    'socket',
    /src\/(serve|jsonrpc\/server)|^node:(net|_http|internal\/(stream|http|timers|js_stream)|_stream|http|stream)/,
  ],
  ['channel', /src\/platform\/(channel|thread|contract)|worker|src\/jsonrpc\/threads/],
  ['consensus', /src\/consensus/],
  ['peers', /src\/(p2p|sync)/],
]

/** An interval of the monotonic clock, in microseconds. */
export interface Span {
  readonly from: number
  readonly to: number
}

/**
 * The share of each stage in the threads' work, over all profiles in a folder. Frames that match no stage count as
 * `other`.
 */
export function stageShares(folder: string, ...spans: readonly Span[]): ReadonlyMap<string, number> {
  return sharesOf(STAGES, folder, spans)
}

export function sharesOf(
  stages: Stages,
  folder: string,
  spans: readonly Span[],
): ReadonlyMap<string, number> {
  const samples = new Map<string, number>()
  let total = 0
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))) {
    const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile
    for (const stage of stagesOf(stages, profile, spans)) {
      samples.set(stage, (samples.get(stage) ?? 0) + 1)
      total++
    }
  }
  return new Map([...samples].map(([stage, count]) => [stage, count / total]))
}

function* stagesOf(
  stages: Stages,
  { nodes, samples, timeDeltas, startTime }: Profile,
  spans: readonly Span[],
): Generator<string> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const known = new Map<number, string | undefined>()
  const stageAt = (id: number | undefined): string | undefined => {
    if (id === undefined) return 'other'
    if (!known.has(id)) {
      const { functionName, url } = byId.get(id)!.callFrame
      if (IDLE.test(functionName)) known.set(id, functionName === '(root)' ? 'other' : undefined)
      else if (functionName === '(garbage collector)') known.set(id, 'garbage')
      else if (functionName === '(program)') known.set(id, 'kernel and native')
      else {
        const place = `${url} ${functionName}`
        known.set(id, stages.find(([, pattern]) => pattern.test(place))?.[0] ?? stageAt(parents.get(id)))
      }
    }
    return known.get(id)
  }
  let atUs = startTime
  for (const [index, id] of samples.entries()) {
    atUs += timeDeltas[index]!
    const stage = stageAt(id)
    if (stage !== undefined && spans.some(({ from, to }) => atUs >= from && atUs <= to)) yield stage
  }
}
