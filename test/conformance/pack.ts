import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Pack } from './suite.ts'

const BESIDE_THE_CHECKOUT = join(import.meta.dirname, '..', '..', '..', 'shared', 'conformance')

/** The folder of the vectors: next to the checkout, or set by CAIRN_CONFORMANCE. */
export function packFolder(): string {
  return process.env.CAIRN_CONFORMANCE ?? BESIDE_THE_CHECKOUT
}

/** Returns undefined without a pack; in CI a separate check fails then. */
export function openPack(folder: string = packFolder()): Pack | undefined {
  if (!existsSync(folder)) {
    if (process.env.CI === 'true') throw new Error(`the conformance pack is missing: ${folder}`)
    return undefined
  }
  const path = (relative: string) => join(folder, relative)
  const text = (relative: string) => readFileSync(path(relative), 'utf8')
  return {
    path,
    text,
    json: (relative) => JSON.parse(text(relative)),
    files: (below) =>
      readdirSync(path(below), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .sort(),
  }
}
