// Chooses the folder for compiled code. CommonJS on purpose: bin/cairn loads it before the cache of compiled code is on.
'use strict'
const { lstatSync, mkdirSync } = require('node:fs')
const { tmpdir } = require('node:os')
const { join } = require('node:path')

/** Undefined if there is no folder of this user alone. */
exports.ownCompileCache = function ownCompileCache() {
  if (!process.getuid) return undefined
  const folder = join(tmpdir(), `cairn-compile-cache-${process.getuid()}`)
  return isOursAlone(folder) ? folder : undefined
}

/** Whoever can write into the folder decides which code runs, and in a shared one anyone may have made it first. */
function isOursAlone(folder) {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (error.code !== 'EEXIST') return false
  }
  const found = lstatSync(folder, { throwIfNoEntry: false })
  return found?.isDirectory() && found.uid === process.getuid() && (found.mode & 0o077) === 0
}
