import { type Deviation, resultInstead } from '../rpc/deviation.ts'
import { withoutSender } from '../rpc/raw-transaction-sender.ts'
import { type SpecSuite, specSuite } from '../rpc/spec-suite.ts'
import type { ServedChain } from '../rpc/target.ts'
import type { Suite } from '../suite.ts'

/** Settings of the origin outside the chains, from the pack's README. */
const COMMON = [
  '--network-id=123',
  '--rpc-http-api=ETH,NET,WEB3,DEBUG,TRACE,TESTING',
  '--rpc-http-max-batch-size=10',
]
const FREE = [...COMMON, '--rpc-gas-cap=0']

const chainOf = (folder: string, options: readonly string[] = FREE): ServedChain => ({
  folder: `chains/${folder}`,
  blocksFile: 'blocks.bin',
  options,
})

// Besu does not check balances when a transaction is sent; Cairn does, unless the option disables it.
const HIVE = chainOf('hive', [...FREE, '--tx-pool-enable-balance-check=false'])
const TRACE = chainOf('trace')

/** The EIP-2124 value, for an origin that computed its checksums with an empty fork list. */
function withForkIds(forkIds: Readonly<Record<string, string>>): Deviation {
  return resultInstead('rpc-spec-eth-config', (forks: Readonly<Record<string, object | null>>) =>
    Object.fromEntries(
      Object.entries(forks).map(([name, fork]) => [name, fork && { ...fork, forkId: forkIds[name] }]),
    ),
  )
}

/** Removes the refusal's explanation, which accompanies the compared code and message. */
function withoutSentence(request: unknown, actual: unknown): unknown {
  const { method } = request as { readonly method?: string }
  const answer = actual as { readonly error?: { readonly data?: unknown } }
  if (method !== 'eth_sendRawTransaction' || answer.error === undefined) return actual
  const { data: _, ...error } = answer.error
  return { ...answer, error }
}

const SUITES: readonly SpecSuite[] = [
  {
    name: 'rpc-spec/eth',
    parts: [{ folder: 'rpc-spec/eth', chain: HIVE }],
    normalise: withoutSentence,
    deviations: { 'rpc-spec/eth/eth_config.json': withForkIds({ current: '0xf3cf4bb5' }) },
  },
  { name: 'rpc-spec/eth-latest', parts: [{ folder: 'rpc-spec/eth-latest', chain: TRACE }] },
  {
    name: 'rpc-spec/eth-simulate',
    parts: [
      { folder: 'rpc-spec/eth-simulate', chain: chainOf('simulate', [...COMMON, '--rpc-gas-cap=100000000']) },
    ],
  },
  {
    name: 'rpc-spec/eth-config',
    parts: [{ folder: 'rpc-spec/eth-config', chain: { folder: 'chains/eth-config', options: FREE } }],
    deviations: {
      'rpc-spec/eth-config/eth_config.json': withForkIds({
        current: '0xaab00a02',
        next: '0x23d074fb',
        last: '0x23d074fb',
      }),
    },
  },
  {
    name: 'rpc-spec/debug',
    parts: [
      { folder: 'rpc-spec/debug/account-at', chain: HIVE },
      { folder: 'rpc-spec/debug/account-range', chain: HIVE },
      { folder: 'rpc-spec/debug/storage-range', chain: HIVE },
      { folder: 'rpc-spec/debug/batch-send-raw-transaction', chain: HIVE, isApart: true },
      { folder: 'rpc-spec/debug/trace-transaction', chain: HIVE },
      { folder: 'rpc-spec/debug/trace-call', chain: TRACE },
      { folder: 'rpc-spec/debug/trace-block', chain: TRACE },
    ],
  },
  {
    name: 'rpc-spec/debug-geth',
    parts: [{ folder: 'rpc-spec/debug-geth', chain: chainOf('debug-geth') }],
  },
  {
    name: 'rpc-spec/trace',
    parts: [{ folder: 'rpc-spec/trace', chain: TRACE }],
    normalise: withoutSender,
  },
  {
    name: 'rpc-spec/testing-build-block',
    // Its blocks use Amsterdam, which is a draft; all requests are about block 0.
    parts: [
      {
        folder: 'rpc-spec/testing-build-block',
        chain: { folder: 'chains/testing-build-block', options: FREE },
      },
    ],
    waits: Object.fromEntries(
      ['05_valid_parent_hash', '06_with_transaction', '10_txpool_with_transaction'].map((name) => [
        `rpc-spec/testing-build-block/${name}.json`,
        'the rules of Amsterdam are a moving draft',
      ]),
    ),
  },
]

/** Besu's pairs of requests and answers, one suite per folder. */
export const RPC_SPEC_SUITES: readonly Suite[] = SUITES.map(specSuite)
