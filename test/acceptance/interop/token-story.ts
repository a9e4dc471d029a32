/**
 * The scenario that every client library and program plays through its own API: deploy an ERC-20, call it, send to
 * it, decode its custom error, find its logs, watch it, estimate gas and send a batch.
 */
import { DEV_CHAIN_ID } from '#consensus/dev/dev-genesis.ts'

export const SUPPLY = 1_000_000n
export const SENT = 250n
export const RECIPIENT = '0x00000000000000000000000000000000000000aa'
/** An account without tokens. */
export const NOBODY = '0x00000000000000000000000000000000000000bb'
export const ERROR = 'ERC20InsufficientBalance'
export const NODE_ARGS = ['--network=dev']
export const GRANTS = ['eth:*', 'net:*', 'web3:*']

/** The results of each client. */
export interface Story {
  readonly supply: bigint
  /** The recipient's balance after the transfer. */
  readonly balance: bigint
  readonly isSuccess: boolean
  /** Transfer values of the mint and the transfer, from a query and from a filter or subscription. */
  readonly found: readonly bigint[]
  readonly watched: readonly bigint[]
  /** The custom error for a transfer without balance. */
  readonly error: string
  readonly isEstimateEnough: boolean
  /** True if the client obtains a gas price, which may be zero on an idle chain. */
  readonly knowsFee: boolean
  readonly batch: readonly unknown[]
}

export const EXPECTED: Story = {
  supply: SUPPLY,
  balance: SENT,
  isSuccess: true,
  found: [SUPPLY, SENT],
  watched: [SENT],
  error: ERROR,
  isEstimateEnough: true,
  knowsFee: true,
  batch: [DEV_CHAIN_ID, 0n],
}

/** Reads the output of a program in another language, which prints token amounts as strings. */
export function readStory(text: string): Story {
  const told = JSON.parse(text) as Record<'supply' | 'balance', string> &
    Record<'found' | 'watched', readonly string[]> &
    Pick<Story, 'isSuccess' | 'error' | 'isEstimateEnough' | 'knowsFee'> & {
      readonly batch: [number, string]
    }
  const [chainId, nothing] = told.batch
  return {
    ...told,
    supply: BigInt(told.supply),
    balance: BigInt(told.balance),
    found: told.found.map(BigInt),
    watched: told.watched.map(BigInt),
    batch: [chainId, BigInt(nothing)],
  }
}

export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10))
}
