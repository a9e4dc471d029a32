/**
 * A small file that grows by records, each synced to disk before its promise resolves. It is asynchronous, unlike
 * files.ts, because waiting for a disk on the main thread would stop timers and peers.
 */
import { constants } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { foreignFault, notRegularFault, withFileFaultLater } from './file-faults.ts'
import { isOwn, OWNER_ONLY } from './files.ts'

const OTHERS_WRITE = 0o002

export interface AppendFile {
  readonly sizeBytes: number
  /** Call it one at a time. After a failure the content on disk is unknown and the file must be replaced. */
  append(record: Uint8Array): Promise<void>
  /** Replaces the file atomically: after a power cut it has the old content or the new one. */
  replace(content: Uint8Array): Promise<void>
  close(): Promise<void>
}

/** Continues after the first `keepBytes` of the file and truncates the rest. */
export async function openAppendFile(path: string, keepBytes: number): Promise<AppendFile> {
  const handle = await withFileFaultLater('write', path, () => openCut(path, keepBytes))
  return appendTo(path, handle, keepBytes)
}

/** Creates the file atomically: after a power cut it has all of the content, or is as it was before. */
export async function createAppendFile(path: string, content: Uint8Array): Promise<AppendFile> {
  const handle = await withFileFaultLater('write', path, () => writeFresh(path, content))
  return appendTo(path, handle, content.length)
}

function appendTo(path: string, opened: FileHandle, openedBytes: number): AppendFile {
  let handle = opened
  let sizeBytes = openedBytes
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
        const old = handle
        handle = await writeFresh(path, content)
        sizeBytes = content.length
        await old.close()
      }),
    close: () => withFileFaultLater('write', path, () => handle.close()),
  }
}

async function writeFresh(path: string, content: Uint8Array): Promise<FileHandle> {
  const temporary = `${path}.new`
  // A killed process may have left one.
  await rm(temporary, { force: true })
  const fresh = await open(temporary, 'wx+', OWNER_ONLY)
  try {
    await writeAll(fresh, content, 0)
    await fresh.sync()
    await rename(temporary, path)
    await syncDirectory(dirname(path))
    return fresh
  } catch (error) {
    await fresh.close()
    throw error
  }
}

/** Remaining old bytes could follow the appended ones and look like damage. */
async function openCut(path: string, keepBytes: number): Promise<FileHandle> {
  const handle = await openOwnFile(path, constants.O_RDWR)
  if ((await handle.stat()).size > keepBytes) {
    await handle.truncate(keepBytes)
    await handle.sync()
  }
  return handle
}

/**
 * Opens a file for writing and creates it, readable by its owner only, if it is missing. Links, special files and files
 * of other users are refused: another user with write access to the directory must not choose which file is written.
 */
export async function openOwnFile(path: string, flags: number): Promise<FileHandle> {
  // Windows has no O_NOFOLLOW, and creating links there needs a privilege. O_NONBLOCK avoids waiting for a pipe.
  const careful = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  const handle = await open(path, flags | constants.O_CREAT | careful, OWNER_ONLY)
  try {
    const found = await handle.stat()
    if (!found.isFile()) throw notRegularFault(path)
    if (!isOwn(found)) await refuseForeign(path, found.uid)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Linux does the same for files opened with O_CREAT if fs.protected_regular is on. */
async function refuseForeign(path: string, uid: number): Promise<void> {
  const folder = await stat(dirname(path))
  if ((folder.mode & OTHERS_WRITE) !== 0 && folder.uid !== uid) throw foreignFault(path)
}

/** Writes all bytes. `position` is null for a file opened in append mode. */
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

/** Makes the directory's entries durable. Windows has no such call and needs none. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
