import { httpOptions, websocketOptions } from '#api/options.ts'
import { SERVER, serverName } from '#api/threads/server-thread.ts'
import { WRITER } from '#chain/writer/writer-protocol.ts'
import type { Settings } from '#config/settings.ts'
import { consoleOptions } from '#console/options.ts'
import { engineOptions } from '#engine-api/options.ts'
import { rpcOptions } from '#jsonrpc/settings/options.ts'
import { nodeOptions } from '#node/options.ts'
import type { ThreadPlan } from '#platform/thread/define-thread.ts'
import { PreparedThreads } from '#platform/thread/thread.ts'

/**
 * Lets the threads that the first answer depends on load their modules early. They get their work later, as if they were
 * started then. It is called before main has loaded its own modules, so this file imports little.
 */
export function prepareThreads(settings: Settings, takesInProcess = false): PreparedThreads {
  const ports = [httpOptions, websocketOptions, consoleOptions, engineOptions]
  const isServed = takesInProcess || ports.some(({ enabled }) => settings.get(enabled))
  const servers = Array.from({ length: isServed ? settings.get(rpcOptions.threads) : 0 }, (_, index) => ({
    ...SERVER,
    name: serverName(index),
  }))
  // Servers load the most.
  return new PreparedThreads(plansOnMain(settings).includes(WRITER) ? servers : [...servers, WRITER])
}

/**
 * Threads whose work runs on main. The rules of a copied chain may let a transaction run for any time, so its writer is a
 * thread.
 */
export function plansOnMain(settings: Settings): readonly ThreadPlan[] {
  if (settings.get(rpcOptions.threads) > 0) return []
  return settings.isGiven(nodeOptions.copyOf) ? [SERVER] : [SERVER, WRITER]
}
