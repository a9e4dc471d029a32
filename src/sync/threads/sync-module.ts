/** The `eth` protocol in the peers thread: it reads the store itself and asks main about the pool. */
import { ForkIds } from '#chain/read/fork-id.ts'
import { openChainReader } from '#chain/read/open-chain-reader.ts'
import { loadHeaderRules } from '#chain/rules/header-rules.ts'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { damagedHistoryOf } from '#chain/write/damaged-history.ts'
import { openImportLine } from '#chain/writer/import-line.ts'
import { chooseEngine } from '#evm/choose-engine.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { CreateProtocols, ProtocolModuleParts } from '#p2p/threads/protocol-module.ts'
import { connectPort } from '#platform/channel/port-pair.ts'
import { answerContracts, askContracts } from '#platform/contract.ts'
import { PLATFORM_PROBLEMS } from '#platform/log-problems.ts'
import { startSync } from '#sync/start-sync.ts'
import { SharedProgress } from '#sync/sync-progress.ts'
import {
  SYNC_MAIN_CONTRACTS,
  SYNC_THREAD_CONTRACTS,
  type SyncConfig,
  type SyncOffers,
} from './sync-protocol.ts'

export const createProtocols: CreateProtocols = async (parts: ProtocolModuleParts) => {
  const { clock, metrics } = parts
  const log = parts.log.child('sync')
  const config = parts.config as SyncConfig
  const reader = await openChainReader(config.reader, config.head)
  const crypto = await loadCrypto()
  const { view } = reader
  const { forks } = view.genesis.config
  const engine = await chooseEngine(config.engine, log, { forks, isFollower: true })
  const createHeaderRules = await loadHeaderRules(config.headerRulesModule)
  const genesisHash = genesisHashOf(view.genesis, crypto.keccak)
  const { config: genesis, header } = view.genesis
  const channel = connectPort<SyncOffers, SyncOffers>(
    parts.line,
    {
      requests: answerContracts(SYNC_THREAD_CONTRACTS, {
        sync: {
          hasBeenInSync: () => sync.hasBeenInSync(),
          headMoved: (head, validators, participants) => {
            reader.announce(head)
            sync.headMoved(validators, participants)
          },
          peerAhead: (id, height) => sync.peerAhead(id, height),
          seek: (head) => sync.seek(head),
        },
      }),
      streams: {},
    },
    { clock, onError: (err: unknown) => log.error(PLATFORM_PROBLEMS.channelFailed, { peer: 'main', err }) },
  )
  const main = askContracts(SYNC_MAIN_CONTRACTS, channel)
  const writer = openImportLine(config.writer, { clock, log })
  const stopped = new AbortController()
  const sync = startSync({
    clock,
    log,
    metrics,
    crypto,
    engine,
    createHeaderRules,
    chain: view,
    history: damagedHistoryOf(reader.store, view.genesis, crypto.keccak),
    networkId: config.networkId,
    needsChainId: config.needsChainId,
    takesBlocks: config.takesBlocks,
    genesisHash,
    forkIds: new ForkIds(genesisHash, header.timestamp, genesis.forks),
    main,
    writer,
    sharedProgress: new SharedProgress(config.progress),
    signal: stopped.signal,
  })
  return {
    protocols: sync.protocols,
    forks: { current: () => sync.forkId(), accepts: (forkId) => sync.acceptsFork(forkId) },
    stop: async () => {
      stopped.abort()
      sync.stop()
      writer.close()
      channel.close()
      await reader.close()
    },
  }
}
