/** One mutated block on every path: the verdicts compared with each other and with the oracle. */
import { blockBytes, type RawBlock } from './items.ts'
import type { Mutation } from './mutation.ts'
import { type Expected, expectedOf } from './oracle.ts'
import { PATHS, type Path, type Paths, type Verdict } from './paths.ts'
import { hashOf, type RepairedBlock, repair, seal } from './repair.ts'
import type { Site } from './site.ts'

/** CPU time of the thread, for blocks of ordinary size. */
export const MAX_MS = 100
/** Larger blocks may take longer, in proportion to their size. */
const BYTES_PER_MS = 8_000
/** These paths do not execute blocks, so they cannot see what only execution shows. */
const WITHOUT_EXECUTION: readonly Path[] = ['sibling', 'snapshot']
const SEEN_BY_EXECUTION: readonly string[] = [
  'INVALID_TRANSACTION',
  'EXECUTION_REFUSED',
  'WRONG_GAS_USED',
  'WRONG_BLOOM',
  'WRONG_RECEIPTS_ROOT',
  'WRONG_REQUESTS',
  'WRONG_STATE_ROOT',
]

export type Variant = 'as it is' | 'repaired'

export interface Judgement {
  readonly submissions: number
  readonly isAccepted: boolean
  readonly slowestMs: number
  readonly problems: readonly string[]
}

/** Undefined if the site has no such block. */
export async function judge(
  mutation: Mutation,
  variant: Variant,
  site: Site,
  paths: Paths,
): Promise<Judgement | undefined> {
  const changed = mutation.change(site.raw, site)
  if (changed === undefined) return undefined
  const repaired = await repair(changed, mutation, site)
  const isSame = variant === 'repaired' && Buffer.compare(blockBytes(changed), blockBytes(repaired.raw)) === 0
  if (isSame) return undefined
  const raw = seal(variant === 'repaired' ? repaired.raw : changed, site)
  const ideal: RepairedBlock = await repair(changed, {}, site)
  const expected = expectedOf(raw, ideal, mutation, site)
  const receipts = (repaired.result ?? ideal.result)?.receipts ?? Uint8Array.of(0xc0)
  const verdicts = new Map<Path, Verdict>()
  const maxMs = MAX_MS + blockBytes(raw).length / BYTES_PER_MS
  const problems: string[] = []
  let slowestMs = 0
  for (const path of PATHS) {
    if (!isShownOn(path, mutation, raw, site)) continue
    const { verdict, ms } = await timed(() => paths.submit(path, { raw, receipts }), maxMs)
    slowestMs = Math.max(slowestMs, ms)
    verdicts.set(path, verdict)
    if (ms > maxMs) problems.push(`${path} took ${Math.round(ms)} ms`)
    if (verdict.stored !== undefined) problems.push(`${path}: ${verdict.stored}`)
  }
  problems.push(...disagreements(verdicts, expected))
  const isAccepted = verdicts.get('announced')!.ok
  return { submissions: verdicts.size, isAccepted, slowestMs, problems }
}

const MAX_TRIES = 3

/** Submits again if it took too long: a pause of the collector or a compilation does not repeat; a slow rule does. */
async function timed(submit: () => Promise<Verdict>, maxMs: number) {
  let fastest: { verdict: Verdict; ms: number } | undefined
  for (let tries = 0; tries < MAX_TRIES && (fastest === undefined || fastest.ms > maxMs); tries++) {
    const before = process.threadCpuUsage()
    const verdict = await submit()
    const { user, system } = process.threadCpuUsage(before)
    const ms = (user + system) / 1_000
    if (fastest === undefined || ms < fastest.ms) fastest = { verdict, ms }
  }
  return fastest!
}

/** A proposal has no seals, and the honest block is not a sibling of itself. */
function isShownOn(path: Path, { isOfSeals }: Mutation, raw: RawBlock, site: Site): boolean {
  if (path === 'proposal') return isOfSeals !== true
  return path !== 'sibling' || hashOf(raw, site) !== hashOf(site.raw, site)
}

function disagreements(verdicts: ReadonlyMap<Path, Verdict>, expected: Expected): string[] {
  const full = verdicts.get('announced')!
  const problems: string[] = []
  if (expected !== 'either' && full.ok !== (expected === 'accepted')) {
    problems.push(
      `the import ${full.ok ? 'accepts' : 'refuses'} a block that must be ${expected}. ${full.sentence}`,
    )
  }
  for (const [path, verdict] of verdicts) {
    if (verdict.ok === full.ok || verdict.isKnown) continue
    const isBlind = WITHOUT_EXECUTION.includes(path) && SEEN_BY_EXECUTION.includes(full.reason)
    if (verdict.ok && isBlind) continue
    const sentence = full.ok ? verdict.sentence : full.sentence
    problems.push(
      `${path} ${verdict.ok ? 'accepts' : 'refuses'} a block that the import ${full.ok ? 'accepts' : 'refuses'}. ${sentence}`,
    )
  }
  return problems
}
