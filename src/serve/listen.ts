import type { Server } from 'node:net'
import { type ListenPlace, listenFault } from '#platform/listen-fault.ts'
import { assert } from '#types/assert.ts'

export interface ListenAddress extends ListenPlace {
  /** Several server threads share one port; whoever sets it has probed that the port is free. */
  readonly reusePort?: boolean
}

/**
 * Resolves with the port when connections are accepted. Later `onError` hears of connections that could not be,
 * e.g. because the process has too many files open: no reason to end it, which is what Node does when nobody hears.
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
