import type { Resources } from '#api/resources.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import type { ForkName } from '#types/genesis/fork-schedule.ts'

/** The forks whose blocks a version of a method is for: from the first up to, not including, the second. */
export interface ForkSpan {
  /** Undefined for all up to `before`. */
  readonly from: ForkName | undefined
  readonly before: ForkName
}

/** Throws UNSUPPORTED_FORK, with Besu's texts. */
export function requireFork(
  { chain }: Pick<Resources, 'chain'>,
  timestamp: bigint,
  { from, before }: ForkSpan,
): void {
  const { forks } = chain.genesis.config
  const first = from && forks.scheduledFrom(from)
  if (from !== undefined && !hasFork(chain, from, timestamp)) {
    const name = from.toUpperCase()
    const data =
      first === undefined
        ? `Configuration error, no schedule for ${name} fork set`
        : `${name} configured to start at timestamp: ${first}`
    throw rpcFault('UNSUPPORTED_FORK', { data })
  }
  if (hasFork(chain, before, timestamp)) {
    const end = forks.scheduledFrom(before) ?? forks.ruleSetAt(0n, timestamp).from
    const data = `block timestamp ${timestamp} is after the first unsupported milestone: ${before.toUpperCase()} at timestamp ${end}`
    throw rpcFault('UNSUPPORTED_FORK', { data })
  }
}

/** Forks from Shanghai on begin at a time. */
export function hasFork({ genesis }: Resources['chain'], fork: ForkName, timestamp: bigint): boolean {
  return genesis.config.forks.includes(fork, 0n, timestamp)
}
