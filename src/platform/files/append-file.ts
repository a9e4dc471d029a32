/**
 * A small file that grows by records, each on the disk before the promise resolves. Asynchronous, unlike files.ts:
 * waiting for a disk on the main thread would stop timers and peers.
 */
import { constants } from 'node:fs'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { withFileFaultLater } from './file-faults.ts'
import { OWNER_ONLY } from './files.ts'
import { syncDirectory } from './sync-directory.ts'

export interface AppendFile {
  readonly sizeBytes: number
  /** One at a time. After a failure the file has to be replaced: what the disk holds of it is not known. */
  append(record: Uint8Array): Promise<void>
  /** The old content or the new one is there after a power cut, never a part. */
  replace(content: Uint8Array): Promise<void>
  close(): Promise<void>
}

/** Goes on after the first `keepBytes` of the file; what follows them is cut off first. */
export async function openAppendFile(path: string, keepBytes: number): Promise<AppendFile> {
  let handle = await withFileFaultLater('write', path, () => openCut(path, keepBytes))
  let sizeBytes = keepBytes
  return {
    get sizeBytes() {
      return sizeBytes
    },
    append: (record) =>
      withFileFaultLater('write', path, async () => {
        await writeAll(handle, record, sizeBytes)
        await handle.datasync()
        sizeBytes += record.length
      }),
    replace: (content) =>
      withFileFaultLater('write', path, async () => {
        const temporary = `${path}.new`
        const fresh = await open(temporary, 'w+', OWNER_ONLY)
        try {
          await writeAll(fresh, content, 0)
          await fresh.sync()
          await rename(temporary, path)
          await syncDirectory(dirname(path))
        } catch (error) {
          await fresh.close()
          throw error
        }
        const old = handle
        handle = fresh
        sizeBytes = content.length
        await old.close()
      }),
    close: () => withFileFaultLater('write', path, () => handle.close()),
  }
}

/** What follows could otherwise stand behind what is appended, and be taken for damage. */
async function openCut(path: string, keepBytes: number): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDWR | constants.O_CREAT, OWNER_ONLY)
  if ((await handle.stat()).size > keepBytes) {
    await handle.truncate(keepBytes)
    await handle.sync()
  }
  return handle
}

/** `position` null: at the end, of a file that was opened for that. */
export async function writeAll(
  handle: FileHandle,
  bytes: Uint8Array,
  position: number | null,
): Promise<void> {
  for (let offset = 0; offset < bytes.length; ) {
    const at = position === null ? null : position + offset
    const { bytesWritten } = await handle.write(bytes, offset, bytes.length - offset, at)
    offset += bytesWritten
  }
}
