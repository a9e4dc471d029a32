/** What a server thread hands its methods: values of its own, the store it reads, and questions to main. */
import { type ChainReader, openChainReader } from '#chain/open-chain-reader.ts'
import { chooseBriefEngine, chooseEngine } from '#evm/choose-engine.ts'
import type { Channel } from '#platform/channel-protocol.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log.ts'
import { BriefRunner } from './brief-runner.ts'
import { EnginePool } from './engine-pool.ts'
import type { HandedPorts } from './ports.ts'
import type { ServerConfig } from './server-config.ts'
import type { MainOffers, ServerOffers } from './server-thread.ts'

export type MainChannel = Channel<ServerOffers, MainOffers>

export interface ServerPorts {
  readonly ports: HandedPorts
  /** undefined: this thread has an engine of its own, or the node has no chain. */
  readonly engines: EnginePool | undefined
  /** What is small and need not go to them; undefined also where the engine cannot tell. */
  readonly brief: BriefRunner | undefined
  readonly reader: ChainReader | undefined
}

export async function openServerPorts(
  config: ServerConfig,
  main: MainChannel,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<ServerPorts> {
  const ports: HandedPorts = {
    node: {
      clientVersion: () => config.clientVersion,
      networkId: () => config.networkId,
      services: () => main.request('services', null),
      isListening: () => main.request('isListening', null),
      metrics: () => main.request('metrics', null),
      wallMs: () => clock.wallMs(),
    },
    log: {
      setLevel: async (level, names) => {
        await main.request('setLogLevel', { level, names })
      },
    },
    limits: config.limits,
  }
  if (config.chain === null) return { ports, engines: undefined, brief: undefined, reader: undefined }
  const { engine, hasEngineThreads, ...chain } = config.chain
  const reader = await openChainReader(chain, await main.request('head', null))
  const { forks } = reader.view.genesis.config
  const briefEngine = hasEngineThreads ? chooseBriefEngine(engine, forks) : undefined
  return {
    ports: {
      ...ports,
      chain: reader.view,
      writer: {
        setHead: (hash) => main.request('setHead', { hash }),
        badBlocks: () => main.request('badBlocks', null),
      },
      filters: {
        create: (definition) => main.request('createFilter', definition),
        get: (id) => main.request('getFilter', { id }),
        poll: (id) => main.request('pollFilter', { id }),
        remove: (id) => main.request('removeFilter', { id }),
      },
      consensus: {
        pendingVotes: () => main.request('pendingVotes', null),
        proposeVote: async (recipient, type) => {
          await main.request('proposeVote', { recipient, type })
        },
        discardVote: async (recipient) => {
          await main.request('discardVote', { recipient })
        },
        status: () => main.request('bftStatus', null),
      },
      ...(!hasEngineThreads && { engine: await chooseEngine(engine, log, { forks }) }),
    },
    engines: hasEngineThreads ? new EnginePool({ clock, log, head: () => reader.announced() }) : undefined,
    brief: briefEngine && new BriefRunner({ chain: reader.view, limits: config.limits }, briefEngine),
    reader,
  }
}
