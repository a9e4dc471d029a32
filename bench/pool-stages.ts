/** Where the CPU of a node goes while it takes transactions: its threads' profiles, by stages of a transaction's life. */
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
}

const IDLE = /^\((idle|root)\)$/
/** The first that fits the innermost frame that any fits. */
const STAGES: readonly (readonly [string, RegExp])[] = [
  ['recover', /recover|secp256k1|noble.*curves/i],
  [
    'decode',
    /src\/types\/(transaction|rlp|json|hex)|src\/rpc\/(dispatch|registry|schema|methods|present)|scan-json/,
  ],
  ['admit', /src\/pool\/(?!core\/selection)/],
  ['select', /src\/pool\/core\/selection|src\/chain\/build/],
  ['root', /src\/store\/trie|src\/types\/keccak|fast-keccak|block-roots/],
  ['index', /src\/store\/(tables|logged-blocks|traced-blocks|range)/],
  ['commit', /src\/store|classic-level/],
  ['execute', /src\/evm|src\/chain\/write|src\/chain\/rules/],
  [
    'socket',
    /src\/(serve|rpc\/server)|^node:(net|_http|internal\/(stream|http|timers|js_stream)|_stream|http|stream)/,
  ],
  ['channel', /src\/platform\/(channel|thread|port-table)|worker|src\/rpc\/threads/],
  ['consensus', /src\/consensus/],
]

/** Milliseconds by stage, of all profiles in a folder. What fits no stage is `other`. */
export function stageMs(folder: string): ReadonlyMap<string, number> {
  const total = new Map<string, number>()
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))) {
    const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile
    for (const [stage, ms] of stagesOf(profile)) total.set(stage, (total.get(stage) ?? 0) + ms)
  }
  return total
}

function* stagesOf({ nodes, samples, timeDeltas }: Profile): Generator<readonly [string, number]> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const known = new Map<number, string | undefined>()
  const stageAt = (id: number | undefined): string | undefined => {
    if (id === undefined) return 'other'
    if (!known.has(id)) {
      const { functionName, url } = byId.get(id)!.callFrame
      if (IDLE.test(functionName)) known.set(id, functionName === '(root)' ? 'other' : undefined)
      else if (functionName === '(garbage collector)') known.set(id, 'garbage')
      else {
        const place = `${url} ${functionName}`
        known.set(id, STAGES.find(([, pattern]) => pattern.test(place))?.[0] ?? stageAt(parents.get(id)))
      }
    }
    return known.get(id)
  }
  for (const [index, id] of samples.entries()) {
    const stage = stageAt(id)
    if (stage !== undefined) yield [stage, timeDeltas[index]! / 1_000]
  }
}
