import { loadAddon } from './load-addon.ts'

/** Gives the system what memory the process has freed and keeps. Without the native engine: does nothing. */
export function createGiveBack(): () => Promise<void> {
  const native = loadAddon()
  return async () => {
    if (native.ok) await native.addon.giveBackMemory?.()
  }
}
