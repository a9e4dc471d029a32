/** Verifies that an operator installed the plugin: its folder has a list of files with their SHA-256. */
import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { kindOfPath, readFileBounded, readTextBounded, withoutLinks } from '#platform/files/files.ts'
import { pluginFault } from './faults.ts'

/** The format of `sha256sum`. */
const LIST = 'SHA256SUMS'
const LINE = /^([0-9a-fA-F]{64}) [ *](.+)$/
const MAX_LIST_BYTES = 1024 * 1024
export const MAX_PLUGIN_FILE_BYTES = 64 * 1024 * 1024

/** SHA-256 in hex, by each file's path without links. */
export type VerifiedSums = ReadonlyMap<string, string>

/** Verifies every listed file and returns the list. */
export function verifyPlugin(file: string): VerifiedSums {
  const folder = dirname(file)
  const list = join(folder, LIST)
  const refuse = (why: string): never => {
    throw pluginFault(
      `The plugin ${file} is not loaded, because --plugins-verification-mode is FULL: ${why}. Review it, then update ${list} with sha256sum.`,
    )
  }
  if (kindOfPath(list) !== 'file') refuse(`there is no ${list}`)
  const sums = readTextBounded(list, MAX_LIST_BYTES)
    .split('\n')
    .flatMap((line) => {
      const found = LINE.exec(line.trimEnd())
      return found === null ? [] : [{ sum: found[1]!.toLowerCase(), name: found[2]! }]
    })
  if (!sums.some(({ name }) => name === basename(file))) refuse(`${list} does not list it`)
  const verified = new Map<string, string>()
  for (const { sum, name } of sums) {
    const path = join(folder, name)
    if (kindOfPath(path) !== 'file') refuse(`${name}, which ${list} lists, is not there`)
    const actual = createHash('sha256').update(readFileBounded(path, MAX_PLUGIN_FILE_BYTES)).digest('hex')
    if (actual !== sum) refuse(`${name} is not as ${list} says`)
    verified.set(withoutLinks(path), sum)
  }
  return verified
}
