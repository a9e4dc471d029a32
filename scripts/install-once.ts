import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from './build-native.ts'

/** A cache folder that `install` fills once on this machine; an incomplete one is filled again. */
export function installOnce(name: string, install: (folder: string) => void): string {
  const folder = join(cacheFolder(), name)
  const mark = join(folder, 'complete')
  if (!existsSync(mark)) {
    mkdirSync(folder, { recursive: true })
    install(folder)
    writeFileSync(mark, '')
  }
  return folder
}
