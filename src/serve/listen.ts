import type { Server } from 'node:net'
import { type ListenPlace, listenFault } from '#platform/listen-fault.ts'
import { assert } from '#types/assert.ts'

export interface ListenAddress extends ListenPlace {
  /** Lets several server threads share one port. The caller has checked that the port is free. */
  readonly reusePort?: boolean
}

/**
 * Resolves with the port when the server accepts connections. `onError` receives later failures to accept, e.g. too many
 * open files; without a listener Node would end the process.
 */
export function listen(
  server: Server,
  address: ListenAddress,
  onError: (error: Error) => void,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const onRefused = (error: NodeJS.ErrnoException): void => reject(listenFault(address, error))
  server.once('error', onRefused)
  const { host, port, reusePort = false } = address
  server.listen({ host, port, reusePort }, () => {
    server.off('error', onRefused)
    server.on('error', onError)
    const bound = server.address()
    assert(typeof bound === 'object' && bound !== null, 'a server that listens on a port has an address')
    resolve(bound.port)
  })
  return promise
}
