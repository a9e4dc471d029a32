/** A small chain in a data directory, and backups of it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { blockKey, TABLE } from '#store/kv/keys.ts'
import { type Kv, openLevelKv } from '#store/kv/kv.ts'
import { META, schemaVersionOf } from '#store/meta.ts'
import { hashFromBytes } from '#types/hash.ts'
import { createBackup } from './create-backup.ts'
import { restoreBackup } from './restore-backup.ts'

export const root = mkdtempSync(join(tmpdir(), 'cairn-backup-'))
after(() => rmSync(root, { recursive: true }))

export const GENESIS = new Uint8Array(32).fill(7)
export const random = createSeededRandom(20)
export const work = { signal: new AbortController().signal, onProgress: () => {} }
export const SMALL = { cacheBytes: 1024 * 1024, writeBufferBytes: 64 * 1024 }
export const ENTRIES = 40
export const GONE_PID = 2 ** 22 + 1

let folders = 0
export function folder(): string {
  return join(root, `folder-${folders++}`)
}

export function entryKey(index: number): Uint8Array {
  return Uint8Array.of(TABLE.code, index)
}

/** Writes one batch that changes many entries and names itself, as a block does. */
export async function writeBlock(kv: Kv, number: number): Promise<void> {
  const hash = new Uint8Array(32).fill(number & 0xff)
  const batch = kv.batch()
  for (let index = 0; index < ENTRIES; index++) {
    const value = Buffer.alloc(500)
    value.writeUInt32BE(number)
    value.set(random.randomBytes(400), 50)
    batch.put(entryKey(index), value)
  }
  batch.put(blockKey(TABLE.header, number, hash), Uint8Array.of(1))
  META.head.write(batch, { number, hash, timestamp: number, unwinds: 0 })
  await batch.write({ sync: false })
}

export async function openChain(dataPath: string): Promise<Kv> {
  const kv = await openLevelKv(join(dataPath, 'database'), { createIfMissing: true, ...SMALL })
  const batch = kv.batch()
  META.identity.write(batch, { schemaVersion: schemaVersionOf('BONSAI', false), format: 'BONSAI' })
  META.genesisHash.write(batch, GENESIS)
  await batch.write({ sync: false })
  await writeBlock(kv, 1)
  return kv
}

export function create(dataPath: string, to = folder(), keyFile?: string, base?: string) {
  return createBackup({
    ...work,
    to,
    base,
    dataPath,
    database: join(dataPath, 'database'),
    keyFile,
    auditFile: join(dataPath, 'audit.jsonl'),
    madeBy: 'test',
    madeAt: '2026-01-01T00:00:00.000Z',
  })
}

export function restore(from: string, dataPath: string, genesis = GENESIS) {
  const additions = { votes: Uint8Array.of(1, 2, 3) }
  return restoreBackup({ ...work, from, dataPath, genesisHash: hashFromBytes(genesis), additions })
}

/** A chain of one block with the other files of a data directory. */
export async function closedChain(): Promise<string> {
  const dataPath = folder()
  const kv = await openChain(dataPath)
  await kv.close()
  writeFileSync(join(dataPath, 'permissions_config.toml'), 'accounts-allowlist=[]\n')
  writeFileSync(join(dataPath, 'key'), 'secret')
  writeFileSync(join(dataPath, 'votes'), 'own')
  return dataPath
}
