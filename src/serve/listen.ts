import type { Server } from 'node:net'
import { assert } from '#types/assert.ts'
import { type ServerFaultKind, serverFault } from './faults.ts'

export interface ListenAddress {
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  /** Named in sentences, so that a person knows what to change. */
  readonly hostOption: string
  readonly portOption: string
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

interface Explanation {
  readonly kind: ServerFaultKind
  readonly sentence: (address: ListenAddress) => string
}

const NO_SUCH_ADDRESS: Explanation = {
  kind: 'ADDRESS_NOT_AVAILABLE',
  sentence: ({ host, hostOption }) =>
    `${host} is no address of this machine. Set ${hostOption} to one of its addresses, or to 0.0.0.0 for all.`,
}

const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  EADDRINUSE: {
    kind: 'ADDRESS_IN_USE',
    sentence: ({ host, port, portOption }) =>
      `Port ${port} on ${host} is used by another program. Stop that program, or choose another port with ${portOption}.`,
  },
  EACCES: {
    kind: 'ADDRESS_NOT_PERMITTED',
    sentence: ({ host, port, portOption }) =>
      `No permission to listen on port ${port} of ${host}. Choose a port above 1023 with ${portOption}.`,
  },
  EADDRNOTAVAIL: NO_SUCH_ADDRESS,
  EAI_AGAIN: NO_SUCH_ADDRESS,
  ENOTFOUND: NO_SUCH_ADDRESS,
}

function listenFault(address: ListenAddress, cause: NodeJS.ErrnoException) {
  const { host, port } = address
  const row = EXPLANATIONS[cause.code ?? '']
  const sentence = row?.sentence(address) ?? `Could not listen on ${host}:${port}: ${cause.message}.`
  return serverFault(row?.kind ?? 'LISTEN_FAILED', { sentence, host, port }, { cause })
}
