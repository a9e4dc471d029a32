/** What the database of a backup holds. It is opened for that, as a node would, so that a copy that cannot be used is found out here. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { storeFault } from '#store/faults.ts'
import { blockKey, TABLE } from '#store/kv/keys.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import { readGenesisHash, readHead, readIdentity, readTrieMark } from '#store/meta.ts'
import { requireFinished, requireReadable } from '#store/open-store.ts'
import { hashFromBytes } from '#types/hash.ts'
import type { BackupContent } from './manifest.ts'

/** A look at a few values. */
const CACHE_BYTES = 1024 * 1024
/** LevelDB makes them wherever it opens a database, and needs none of them. */
const NEEDLESS = ['LOCK', 'LOG', 'LOG.old']

export async function inspectCopy(path: string): Promise<BackupContent> {
  const kv = await openLevelKv(path, { createIfMissing: false, cacheBytes: CACHE_BYTES })
  try {
    const { format } = requireReadable(readIdentity(kv))
    requireFinished(kv)
    const genesis = readGenesisHash(kv)
    const head = readHead(kv)
    if (genesis === undefined || head === undefined) {
      const sentence = 'The database holds no chain yet. Start the node or import a chain first.'
      throw storeFault('STORE_MISSING', { sentence })
    }
    if (kv.get(blockKey(TABLE.header, head.number, head.hash)) === undefined) {
      const sentence = `The database lacks its last block, ${head.number}. It is damaged; \`cairn db check\` tells more.`
      throw storeFault('STORE_CORRUPT', { sentence })
    }
    return {
      genesisHash: hashFromBytes(genesis),
      head: { number: head.number, hash: hashFromBytes(head.hash) },
      stateRoot: hashFromBytes(readTrieMark(kv).root),
      storageFormat: format,
    }
  } finally {
    await kv.close()
    for (const name of NEEDLESS) rmSync(join(path, name), { force: true })
  }
}
