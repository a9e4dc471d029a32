import { BOUNDED_YOUNG_GENERATION, defineThread, RESTART_AT_ONCE } from '#platform/thread/define-thread.ts'
import type { ServerConfig } from '#rpc/settings/server-config.ts'
import type { MainOffers, ServerOffers } from './server-protocol.ts'

export const SERVER = defineThread<{ data: ServerConfig; offers: ServerOffers; asks: MainOffers }>({
  name: 'server',
  entry: import.meta.resolve('#rpc/threads/server-thread-entry.ts'),
  restart: RESTART_AT_ONCE,
  heap: BOUNDED_YOUNG_GENERATION,
  lowPriority: true,
})

export function serverName(index: number): string {
  return `${SERVER.name}-${index}`
}
