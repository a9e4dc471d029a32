import { WRITER } from '#chain/writer/writer-protocol.ts'
import type { Settings } from '#config/settings.ts'
import { PreparedThreads } from '#platform/thread/prepared-threads.ts'
import { httpOptions, rpcOptions, websocketOptions } from '#rpc/settings/options.ts'
import { SERVER, serverName } from '#rpc/threads/server-thread.ts'

/**
 * Has the threads load their modules that the first answer waits for. What they do they are told when it is their turn, as
 * if they were started then. It is called before main has loaded its own: this file imports little.
 */
export function prepareThreads(settings: Settings): PreparedThreads {
  const isServed = settings.get(httpOptions.enabled) || settings.get(websocketOptions.enabled)
  const servers = Array.from({ length: isServed ? settings.get(rpcOptions.threads) : 0 }, (_, index) => ({
    ...SERVER,
    name: serverName(index),
  }))
  // Servers load the most.
  return new PreparedThreads([...servers, WRITER])
}
