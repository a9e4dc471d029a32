/**
 * A small text file that people edit while the node runs. Asynchronous, unlike files.ts: waiting for a disk on
 * the main thread would stop timers and peers.
 */
import { constants } from 'node:fs'
import { access, type FileHandle, open, realpath, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { systemRandom } from '#platform/random.ts'
import { tooLargeFault, withFileFaultLater } from './file-faults.ts'
import { decodeText } from './files.ts'
import { syncDirectory } from './sync-directory.ts'

const READ_CHUNK_BYTES = 64 * 1024
const TEMPORARY_NAME_RANDOM_BYTES = 8

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

  /** Another text whenever the file was written or replaced; undefined: it is away, or cannot be looked at. */
  async stamp(): Promise<string | undefined> {
    try {
      const { dev, ino, size, mtimeNs, ctimeNs } = await stat(this.path, { bigint: true })
      return [dev, ino, size, mtimeNs, ctimeNs].join()
    } catch {
      return undefined
    }
  }

  /** Rejects with why it is not; the folder may still refuse. */
  requireWritable(): Promise<void> {
    return withFileFaultLater('write', this.path, () => access(this.path, constants.W_OK))
  }

  /**
   * Replaces the content so that a reader, or the next start after a power cut, sees the old one or the new one, never a
   * part. 'changed': the file no longer holds `before`, since somebody else wrote it, and is left as it is. Keeps mode and
   * owner, writes through a symbolic link, and replaces no file that this user may not write.
   */
  replace(before: string, after: string): Promise<'replaced' | 'changed'> {
    return withFileFaultLater('write', this.path, async () => {
      const target = await realpath(this.path)
      await access(target, constants.W_OK)
      const bytes = Buffer.from(after)
      if (bytes.length > this.#maxBytes) throw tooLargeFault(this.path, this.#maxBytes, bytes.length)
      const suffix = Buffer.from(systemRandom.randomBytes(TEMPORARY_NAME_RANDOM_BYTES)).toString('hex')
      const temporary = join(dirname(target), `.${basename(target)}.${suffix}.tmp`)
      try {
        await writeSynced(temporary, bytes, target)
        // As late as can be: what a person saves after this is lost, and only that.
        if ((await readText(target, this.#maxBytes)) !== before) {
          await unlink(temporary)
          return 'changed'
        }
        await rename(temporary, target)
      } catch (error) {
        // Already away, or the failure that brought us here also prevents this; that one is reported.
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

/** Only root may give a file away; whoever else runs the node owns it afterwards. */
async function keepOwner(handle: FileHandle, uid: number, gid: number): Promise<void> {
  const own = await handle.stat()
  if (own.uid !== uid || own.gid !== gid) await handle.chown(uid, gid).catch(() => undefined)
}
