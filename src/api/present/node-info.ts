import type { ChainView } from '#chain/read/chain-view.ts'
import type { SelfReport } from '#p2p/threads/peers-protocol.ts'
import { assert } from '#types/assert.ts'
import { formatEnode } from '#types/enode.ts'
import { type Fork, SCHEDULABLE_FORKS } from '#types/genesis/fork-schedule.ts'
import type { BftConfig } from '#types/genesis/genesis-bft.ts'
import type { GenesisConfig } from '#types/genesis/genesis-config.ts'
import type { GenesisConsensus } from '#types/genesis/genesis-consensus.ts'

/** Numbers are JSON numbers, as in geth. */
export function presentNodeInfo(self: SelfReport, chain: ChainView, name: string, networkId: bigint) {
  const { enode, record } = self
  const { id, host, udpPort } = enode
  const tcpPort = enode.tcpPort ?? 0
  const head = chain.head()
  const genesis = chain.lookup.header(0)
  assert(genesis !== undefined, 'A chain has a block 0.')
  return {
    enode: formatEnode(enode),
    listenAddr: `${host.includes(':') ? `[${host}]` : host}:${tcpPort}`,
    activeFork: forkTitle(chain.genesis.config.forks.ruleSetAt(head.header.number, head.header.timestamp)),
    ip: host,
    ...(udpPort !== null && { enr: record }),
    name,
    id,
    ports: { ...(udpPort !== null && { discovery: udpPort }), listener: tcpPort },
    protocols: {
      eth: {
        config: presentConfig(chain.genesis.config),
        difficulty: Number(chain.totalDifficulty(head)),
        genesis: genesis.hash,
        head: head.hash,
        network: Number(networkId),
      },
    },
  }
}

function forkTitle({ name }: Fork): string {
  return name[0]!.toUpperCase() + name.slice(1)
}

/** The genesis options that Besu lists. */
export function presentConfig(config: GenesisConfig): Record<string, unknown> {
  const { chainId, forks, consensus, contractSizeLimit } = config
  const scheduled = SCHEDULABLE_FORKS.flatMap(({ name, key }) => {
    const from = forks.scheduledFrom(name)
    return from === undefined ? [] : [[key, Number(from)] as const]
  })
  return {
    ...(chainId !== undefined && { chainId: Number(chainId) }),
    ...Object.fromEntries(scheduled),
    ...(contractSizeLimit !== undefined && { contractSizeLimit }),
    ...presentConsensus(consensus),
    ...(config.zeroBaseFee && { zeroBaseFee: true }),
    ...(config.fixedBaseFee && { fixedBaseFee: true }),
  }
}

function presentConsensus(consensus: GenesisConsensus): Record<string, unknown> {
  switch (consensus.protocol) {
    case 'qbft':
      return { qbft: presentBft(consensus.qbft) }
    case 'ibft2':
      return { ibft2: presentBft(consensus.ibft2) }
    case 'migration':
      return { ...presentConsensus(consensus.past), qbft: presentBft(consensus.qbft) }
    case 'clique':
      return { clique: presentPeriods(consensus.clique) }
    case 'ibft':
      return { ibft: presentPeriods(consensus.ibft) }
    case 'ethash':
      return { ethash: {} }
    case 'none':
      return {}
  }
}

function presentPeriods({
  epochLength,
  blockPeriodSeconds,
}: Pick<BftConfig, 'epochLength' | 'blockPeriodSeconds'>) {
  return { epochLength: Number(epochLength), blockPeriodSeconds }
}

function presentBft(bft: BftConfig) {
  return { ...presentPeriods(bft), requestTimeoutSeconds: bft.requestTimeoutSeconds }
}
