/** A small disk of its own, and what fills it. */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { freeBytes } from '#platform/disk-space.ts'

/** undefined: this machine does not let us. */
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

/** Until only so much is left. Makes room again when it is called. */
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
