/** Rehearsals: the development network on a copy of another network's chain. */
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import type { WriterConfig } from '#chain/writer/writer-protocol.ts'
import { dataOptions } from '#config/data-directory.ts'
import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import { peerOptions } from '#p2p/options.ts'
import { loadFastKeccak } from '#platform/fast-keccak.ts'
import type { Log } from '#platform/log/log.ts'
import { copyChain, isRehearsal } from '#store/backup/copy-chain.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { votingProtocols } from '#types/genesis/genesis-consensus.ts'
import { nodeOptions } from './options.ts'

/** Makes the copy of --copy-of if it does not exist yet. Returns the options of the ledger that follow from it. */
export async function prepareRehearsal(
  settings: Settings,
  genesis: Genesis,
  log: Log,
  signal: AbortSignal = new AbortController().signal,
): Promise<Partial<WriterConfig['ledger']>> {
  const from = settings.get(nodeOptions.copyOf)
  const dataPath = settings.get(dataOptions.dataPath)
  if (from === undefined) {
    if (!isRehearsal(dataPath)) return {}
    throw usageFault(
      `${dataPath} is a copy for rehearsals, and its network accepts none of its new blocks. Start it with --network=dev and --copy-of, or use another --data-path.`,
    )
  }
  if (votingProtocols(genesis.config.consensus).length === 0) {
    throw usageFault('--copy-of copies chains of QBFT and IBFT 2.0 networks; this genesis file has neither.')
  }
  if (settings.get(peerOptions.enabled)) {
    throw usageFault(
      '--copy-of has no peers: blocks of a rehearsal are not for its network. Remove --p2p-enabled.',
    )
  }
  log.info('Preparing the copy of a chain', { from, dataPath })
  const genesisHash = genesisHashOf(genesis, loadFastKeccak())
  const options = { from, dataPath, genesisHash, signal, onProgress: () => undefined }
  const { storageFormat } = await copyChain(options)
  return { dataStorageFormat: storageFormat }
}
