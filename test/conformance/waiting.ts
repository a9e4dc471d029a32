/** Files of the pack without a suite. Each of their entries is counted, so no part is forgotten silently. */
import type { Outcome, Pack, Suite } from './suite.ts'

interface Waiting {
  readonly name: string
  readonly files: RegExp
  readonly reason: string
}

const WAITING: readonly Waiting[] = [
  {
    name: 'recorded/metrics',
    files: /^recorded\/(metrics-.*\.txt|debug_metrics\.json)$/,
    reason: 'names of metrics as Besu has them',
  },
]

/** Documents, inputs of other suites, and recordings of moving chains, which only document facts. */
const FACTS: readonly RegExp[] = [
  /(^|\/)(README[^/]*|LICENSES?[^/]*|NOTICE|MANIFEST\.json|SOURCE[^/]*)$/,
  /^LICENSES\//,
  /^recorded\/config\//,
  /^recorded\/jsonrpc\/(four-validators|pruned-state|chain-)/,
  /^state-tests\/slow\.json$/,
]

/**
 * Files of recorded/auth, recorded/perm, recorded/envelope, recorded/subscriptions and recorded/txpool, whose suites
 * have other names.
 */
const PLAYED_ELSEWHERE =
  /^recorded\/jsonrpc\/(auth|perm|envelope|subscriptions|limits|connection-limit|txpool|ws-)/

export const WAITING_SUITES: readonly Suite[] = WAITING.map(({ name, files, reason }) => ({
  name,
  *run(pack) {
    for (const file of pack.files('.').filter((path) => files.test(path))) {
      for (const unit of unitsOf(pack, file)) yield { unit, status: 'waits', reason } satisfies Outcome
    }
  },
}))

/** A recording is a list of entries. */
function unitsOf(pack: Pack, file: string): string[] {
  const content = file.startsWith('recorded/') && file.endsWith('.json') ? pack.json(file) : undefined
  return Array.isArray(content) ? content.map((_, index) => `${file}#${index}`) : [file]
}

/** Files that belong to no suite, waiting or not, and to no fact. `played` are the names of suites with a runner. */
export function forgottenFiles(pack: Pack, played: readonly string[]): string[] {
  return pack
    .files('.')
    .filter(
      (file) =>
        !played.some((name) => file === `${name}.json` || file.startsWith(`${name}/`)) &&
        !WAITING.some(({ files }) => files.test(file)) &&
        ![...FACTS, PLAYED_ELSEWHERE].some((pattern) => pattern.test(file)),
    )
}
