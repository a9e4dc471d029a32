/**
 * The story that every library and program of users tells in its own words: it deploys an ERC-20, calls it, sends to it,
 * meets its custom error, finds its logs, watches it, estimates and asks for several things at once.
 */
import { DEV_CHAIN_ID } from '#consensus/dev/dev-genesis.ts'

export const SUPPLY = 1_000_000n
export const SENT = 250n
export const RECIPIENT = '0x00000000000000000000000000000000000000aa'
/** Has nothing. */
export const NOBODY = '0x00000000000000000000000000000000000000bb'
export const ERROR = 'ERC20InsufficientBalance'
export const NODE_ARGS = ['--network=dev']
export const GRANTS = ['eth:*', 'net:*', 'web3:*']

/** What each of them finds out. */
export interface Story {
  readonly supply: bigint
  /** Of the recipient, after the transfer. */
  readonly balance: bigint
  readonly isSuccess: boolean
  /** Values of Transfer: minting and sending, by a query and by a filter or a subscription. */
  readonly found: readonly bigint[]
  readonly watched: readonly bigint[]
  /** Of what the token answers to who has nothing. */
  readonly error: string
  readonly isEstimateEnough: boolean
  /** Whether it is told what to pay for gas; on a chain that is idle that may be nothing. */
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

/** Of a program in another language: numbers of tokens come as texts. */
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
