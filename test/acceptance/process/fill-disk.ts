/** Mounts a small disk and fills it. */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { freeBytes } from '#platform/disk-space.ts'

/** Returns undefined if this machine does not permit mounts. */
export function mountSmallDisk(context: Pick<TestContext, 'after'>): string | undefined {
  if (process.platform !== 'linux') return undefined
  const folder = mkdtempSync(join(tmpdir(), 'cairn-full-'))
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder]).status === 0
  context.after(() => {
    if (isMounted) spawnSync('umount', ['--lazy', folder])
    rmSync(folder, { recursive: true })
  })
  return isMounted ? folder : undefined
}

/** Fills the disk until `leftBytes` are free. Returns a function that frees the space again. */
export function fillDisk(path: string, leftBytes: number): () => void {
  const file = openSync(path, 'w')
  try {
    for (const pieceBytes of [64 * 1024, 512]) fillBy(file, path, pieceBytes, leftBytes)
  } finally {
    closeSync(file)
  }
  return () => rmSync(path)
}

function fillBy(file: number, path: string, pieceBytes: number, leftBytes: number): void {
  const piece = new Uint8Array(pieceBytes)
  while (freeBytes(path) > leftBytes) {
    try {
      writeSync(file, piece)
    } catch {
      return
    }
  }
}
