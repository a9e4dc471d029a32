import { silentLog } from '#chain/chain.fixture.ts'
import { exportSnapshot } from '#chain/snapshot/export-snapshot.ts'
import { importSnapshot } from '#chain/snapshot/import-snapshot.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'

const HISTORY_BLOCKS = 512

/** A state file in memory. */
export interface StateFile {
  readonly bytes: Uint8Array
  readonly headHash: Parameters<typeof importSnapshot>[1]['trustedHash']
}

export async function exportState(database: string): Promise<StateFile> {
  const parts: Uint8Array[] = []
  const { head } = await exportSnapshot(
    { path: database, historyBlocks: HISTORY_BLOCKS },
    { write: (bytes) => void parts.push(bytes), onProgress: () => {}, log: silentLog },
  )
  return { bytes: Buffer.concat(parts), headHash: head.hash }
}

/** Starts a chain from a state file. Blocks of tests have no seals, so `cairn state import` would refuse them. */
export async function importState(
  { bytes, headHash }: StateFile,
  chain: { readonly database: string; readonly format: string; readonly genesisText: string },
): Promise<void> {
  const verdict = parseGenesis(chain.genesisText)
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.problems))
  const ledger = { dataStorageFormat: chain.format }
  const writer = { path: chain.database, ledger, historyBlocks: HISTORY_BLOCKS }
  await importSnapshot(
    { genesis: verdict.genesis, writer: writer as never },
    {
      source: {
        name: 'state',
        bytes: bytes.length,
        read: (at, length) => bytes.subarray(at, at + length),
      },
      trustedHash: headHash,
      signal: new AbortController().signal,
      log: silentLog,
      onStart: () => {},
      onProgress: () => {},
    },
  )
}
