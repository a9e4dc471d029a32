import { type PlatformFaultKind, platformFault } from '#platform/faults.ts'
import { Fault } from '#types/fault.ts'

type FileAction = 'read' | 'write' | 'create'

interface Explanation {
  readonly kind: PlatformFaultKind
  readonly sentence: (path: string, action: FileAction) => string
}

const NO_PERMISSION: Explanation = {
  kind: 'FILE_NO_PERMISSION',
  sentence: (path, action) =>
    `No permission to ${action} ${path}. Give the user that runs this program access to it and its folder.`,
}

const DISK_FULL: Explanation = {
  kind: 'DISK_FULL',
  sentence: (path) => `The disk is full, so ${path} was not written. Free some space and try again.`,
}

const NOT_FOUND: Explanation = {
  kind: 'FILE_NOT_FOUND',
  sentence: (path, action) =>
    action === 'read'
      ? `${path} does not exist. Check the path.`
      : `The folder of ${path} does not exist. Create it, or check the path.`,
}

/** One entry for each cause that a person can act on. Any other is FILE_FAILED with the system's message. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  ENOENT: NOT_FOUND,
  ENOTDIR: {
    kind: 'FILE_NOT_DIRECTORY',
    sentence: (path) => `A part of the path ${path} is a file, not a folder. Check the path.`,
  },
  // The file was opened with O_NOFOLLOW.
  ELOOP: {
    kind: 'FILE_NOT_REGULAR',
    sentence: (path) => `${path} is a symbolic link, and is not written. Name the file itself.`,
  },
  EISDIR: {
    kind: 'FILE_IS_DIRECTORY',
    sentence: (path) => `${path} is a directory, not a file. Name a file.`,
  },
  EEXIST: {
    kind: 'FILE_EXISTS',
    sentence: (path) =>
      `${path} already exists and is not overwritten. Move it away, or choose another name.`,
  },
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
  EROFS: {
    kind: 'FILE_NO_PERMISSION',
    sentence: (path) =>
      `${path} lies on a read-only file system. Mount it writable, or choose another place.`,
  },
  EBUSY: {
    kind: 'FILE_BUSY',
    sentence: (path) =>
      `${path} cannot be replaced while it is a mount point. Mount the folder that holds it instead of the file.`,
  },
  ENOSPC: DISK_FULL,
  EDQUOT: DISK_FULL,
}

/** Turns a system error into a Fault. Faults, and bugs (errors without errno), pass unchanged. */
export function fileFault(action: FileAction, path: string, error: unknown): unknown {
  if (error instanceof Fault || !isSystemError(error)) return error
  const row = EXPLANATIONS[error.code]
  const kind = row?.kind ?? 'FILE_FAILED'
  const sentence = row?.sentence(path, action) ?? `Could not ${action} ${path}: ${error.message}.`
  return platformFault(kind, { sentence, path, code: error.code }, { cause: error })
}

export function withFileFault<Value>(action: FileAction, path: string, run: () => Value): Value {
  try {
    return run()
  } catch (error) {
    throw fileFault(action, path, error)
  }
}

export async function withFileFaultLater<Value>(
  action: FileAction,
  path: string,
  run: () => Promise<Value>,
): Promise<Value> {
  try {
    return await run()
  } catch (error) {
    throw fileFault(action, path, error)
  }
}

/** For a symbolic link, pipe or device in place of a file to write. */
export function notRegularFault(path: string) {
  const sentence = `${path} is a symbolic link or a special file, and is not written. Name the file itself.`
  return platformFault('FILE_NOT_REGULAR', { sentence, path })
}

/** For a file of another user in a directory that all users may write. */
export function foreignFault(path: string) {
  const sentence = `${path} belongs to another user, in a directory that every user can write to. Choose a file in your own directory.`
  return platformFault('FILE_NO_PERMISSION', { sentence, path })
}

export function tooLargeFault(path: string, maxBytes: number, sizeBytes?: number) {
  const size = sizeBytes === undefined ? `more than ${maxBytes}` : `${sizeBytes}`
  return platformFault('FILE_TOO_LARGE', {
    sentence: `${path} has ${size} bytes; at most ${maxBytes} are accepted. Check that it is the right file.`,
    path,
    maxBytes,
  })
}

function isSystemError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).errno === 'number'
}
