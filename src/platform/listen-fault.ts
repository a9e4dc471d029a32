import { type PlatformFaultKind, platformFault } from './faults.ts'

export interface ListenPlace {
  readonly host: string
  /** If 0, the system chooses the port. */
  readonly port: number
  /** The option to name in the sentence. */
  readonly hostOption: string
  readonly portOption: string
}

interface Explanation {
  readonly kind: PlatformFaultKind
  readonly sentence: (address: ListenPlace) => string
}

const NO_SUCH_ADDRESS: Explanation = {
  kind: 'ADDRESS_NOT_AVAILABLE',
  sentence: ({ host, hostOption }) =>
    `${host} is not an address of this machine. Set ${hostOption} to one of its addresses, or to 0.0.0.0 for all.`,
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

export function listenFault(address: ListenPlace, cause: NodeJS.ErrnoException) {
  const { host, port } = address
  const row = EXPLANATIONS[cause.code ?? '']
  const sentence = row?.sentence(address) ?? `Could not listen on ${host}:${port}: ${cause.message}.`
  return platformFault(row?.kind ?? 'LISTEN_FAILED', { sentence, host, port }, { cause })
}
