import type { Plants } from './plant.ts'

const FILES = 'src/platform/files/files.ts'
const FILES_TEST = 'src/platform/files/files.test.ts'
const APPEND = 'src/platform/files/append-file.ts'
const APPEND_TEST = 'src/platform/files/append-file.test.ts'
const TEMPORARY = 'src/platform/files/temporary-directory.ts'
const TEMPORARY_TEST = 'src/platform/files/temporary-directory.test.ts'
const CACHE_FOLDER = 'bin/compile-cache.js'
const CACHE_TEST = 'src/cli/compile-cache.test.ts'

/** Files of this user that other users must not be able to choose. */
export const FILE_PLANTS: Plants = {
  'files-atomic-through-link': {
    mistake: 'mode and content of the file behind a link at --pid-path are replaced',
    file: FILES,
    from: 'if (!stat.isFile() && !stat.isDirectory()) throw notRegularFault(path)',
    to: 'if (stat.isSocket()) throw notRegularFault(path)',
    caughtBy: FILES_TEST,
  },
  'files-append-through-link': {
    mistake:
      'a link in place of the signature log or the audit log is followed, and its target is truncated and written',
    file: APPEND,
    from: '(constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)',
    to: '(constants.O_NONBLOCK ?? 0)',
    caughtBy: APPEND_TEST,
  },
  'files-replacement-through-link': {
    mistake: 'a rewritten file is written through a link in place of the new file',
    file: APPEND,
    from: "  await rm(temporary, { force: true })\n  const fresh = await open(temporary, 'wx+', OWNER_ONLY)",
    to: "  const fresh = await open(temporary, 'w+', OWNER_ONLY)",
    caughtBy: APPEND_TEST,
  },
  'files-pipe-as-file': {
    mistake: 'a pipe is accepted as a file',
    file: APPEND,
    from: 'if (!found.isFile()) throw notRegularFault(path)',
    to: 'if (found.isDirectory()) throw notRegularFault(path)',
    caughtBy: APPEND_TEST,
  },
  'files-temporary-link': {
    mistake: 'a link in the temporary directory is opened as an abandoned database',
    file: TEMPORARY,
    from: 'const found = lstatSync(path)\n      if (!found.isDirectory() || ',
    to: 'const found = process.getBuiltinModule("node:fs").statSync(path)\n      if (!found.isDirectory() || ',
    caughtBy: TEMPORARY_TEST,
  },
  'files-temporary-shared': {
    mistake: 'a directory that every user can write is opened as an abandoned database',
    file: TEMPORARY,
    from: ' || (found.mode & OTHERS_WRITE) !== 0) continue',
    to: ') continue',
    caughtBy: TEMPORARY_TEST,
  },
  'files-compiled-code-shared': {
    mistake: 'compiled code is loaded from a directory that every user can write',
    file: CACHE_FOLDER,
    from: ' && (found.mode & 0o077) === 0',
    to: '',
    caughtBy: CACHE_TEST,
  },
  'files-compiled-code-link': {
    mistake: 'compiled code is loaded through a link',
    file: CACHE_FOLDER,
    from: 'const found = lstatSync(folder, ',
    to: "const found = require('node:fs').statSync(folder, ",
    caughtBy: CACHE_TEST,
  },
  'files-compiled-code-of-threads': {
    mistake: 'threads load compiled code from the shared temporary directory',
    file: 'src/platform/thread/thread.ts',
    from: '.enableCompileCache(compileCache)',
    to: '.enableCompileCache()',
    caughtBy: 'src/platform/thread/thread.test.ts',
  },
}
