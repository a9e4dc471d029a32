import { loadAddon } from './load-addon.ts'

/** Returns freed memory of the process to the system. Does nothing without the native engine. */
export function createGiveBack(): () => Promise<void> {
  const native = loadAddon()
  return async () => {
    if (native.ok) await native.addon.giveBackMemory?.()
  }
}
