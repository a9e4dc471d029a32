/** Restricts this thread to files with a listed SHA-256 and to the program's own modules. */
import { createHash } from 'node:crypto'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { readFileBounded, withoutLinks } from '#platform/files/files.ts'
import { PROGRAM_ROOT } from '#platform/thread/own-modules.ts'
import { pluginFault } from '#plugins/faults.ts'
import { MAX_PLUGIN_FILE_BYTES, type VerifiedSums } from '#plugins/verify-plugin.ts'

/** Node executes exactly the verified bytes, so a file that changes in between has no effect. */
export function loadVerifiedOnly(sums: VerifiedSums): void {
  registerHooks({
    load(url, context, next) {
      if (!url.startsWith('file:') || url.startsWith(PROGRAM_ROOT)) return next(url, context)
      const source = readVerified(fileURLToPath(url), sums)
      return { ...next(url, context), source }
    },
  })
  const openAddon = process.dlopen
  process.dlopen = (module: object, path: string, ...more: number[]) => {
    readVerified(path, sums)
    openAddon.call(process, module, path, ...(more as []))
  }
}

function readVerified(path: string, sums: VerifiedSums): Uint8Array {
  const bytes = readFileBounded(path, MAX_PLUGIN_FILE_BYTES)
  const sum = sums.get(withoutLinks(path))
  if (sum === undefined) throw refusal(path, 'does not list it')
  if (createHash('sha256').update(bytes).digest('hex') !== sum) throw refusal(path, 'has another sum')
  return bytes
}

function refusal(path: string, why: string): Error {
  return pluginFault(
    `${path} is not loaded, because --plugins-verification-mode is FULL and SHA256SUMS ${why}`,
  )
}
