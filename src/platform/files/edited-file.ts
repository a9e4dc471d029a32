/**
 * A small text file that people edit while the node runs. It is asynchronous, unlike files.ts, because waiting for a disk
 * on the main thread would stop timers and peers.
 */
import { constants } from 'node:fs'
import { access, type FileHandle, open, realpath, rename, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncDirectory } from './append-file.ts'
import { tooLargeFault, withFileFaultLater } from './file-faults.ts'
import { decodeText, temporaryNameFor } from './files.ts'

const READ_CHUNK_BYTES = 64 * 1024

export class EditedFile {
  readonly path: string
  readonly #maxBytes: number

  constructor(path: string, maxBytes: number) {
    this.path = path
    this.#maxBytes = maxBytes
  }

  read(): Promise<string> {
    return withFileFaultLater('read', this.path, () => readText(this.path, this.#maxBytes))
  }

  /** A text that changes whenever the file is written or replaced; undefined if the file is missing or unreadable. */
  async stamp(): Promise<string | undefined> {
    try {
      const { dev, ino, size, mtimeNs, ctimeNs } = await stat(this.path, { bigint: true })
      return [dev, ino, size, mtimeNs, ctimeNs].join()
    } catch {
      return undefined
    }
  }

  /** Rejects with the reason if the file is not writable. The folder may still refuse a replacement. */
  requireWritable(): Promise<void> {
    return withFileFaultLater('write', this.path, () => access(this.path, constants.W_OK))
  }

  /**
   * Replaces the content atomically: a reader, or the next start after a power cut, sees the old content or the new one.
   * Returns 'changed', and leaves the file alone, if it no longer holds `before`. Keeps mode and owner, follows a
   * symbolic link, and replaces no file that this user may not write.
   */
  replace(before: string, after: string): Promise<'replaced' | 'changed'> {
    return withFileFaultLater('write', this.path, async () => {
      const target = await realpath(this.path)
      await access(target, constants.W_OK)
      const bytes = Buffer.from(after)
      if (bytes.length > this.#maxBytes) throw tooLargeFault(this.path, this.#maxBytes, bytes.length)
      const temporary = temporaryNameFor(target)
      try {
        await writeSynced(temporary, bytes, target)
        // The check is as late as possible: only an edit saved after it is lost.
        if ((await readText(target, this.#maxBytes)) !== before) {
          await unlink(temporary)
          return 'changed'
        }
        await rename(temporary, target)
      } catch (error) {
        // The file is already gone, or the first failure also prevents its removal. The first failure is reported.
        await unlink(temporary).catch(() => undefined)
        throw error
      }
      await syncDirectory(dirname(target))
      return 'replaced'
    })
  }
}

async function readText(path: string, maxBytes: number): Promise<string> {
  const handle = await open(path, 'r')
  try {
    const chunks: Uint8Array[] = []
    for (let total = 0; ; ) {
      const chunk = new Uint8Array(Math.min(READ_CHUNK_BYTES, maxBytes - total + 1))
      const { bytesRead } = await handle.read(chunk)
      if (bytesRead === 0) return decodeText(path, Buffer.concat(chunks))
      total += bytesRead
      if (total > maxBytes) throw tooLargeFault(path, maxBytes)
      chunks.push(chunk.subarray(0, bytesRead))
    }
  } finally {
    await handle.close()
  }
}

async function writeSynced(path: string, bytes: Uint8Array, like: string): Promise<void> {
  const { mode, uid, gid } = await stat(like)
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode)
  try {
    await handle.chmod(mode)
    await keepOwner(handle, uid, gid)
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Only root may change the owner; for other users, the file belongs to the user that runs the node. */
async function keepOwner(handle: FileHandle, uid: number, gid: number): Promise<void> {
  const own = await handle.stat()
  if (own.uid !== uid || own.gid !== gid) await handle.chown(uid, gid).catch(() => undefined)
}
