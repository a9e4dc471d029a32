import { defineFaults } from '#types/fault.ts'

/** Reasons why a server does not start or keeps its old certificate. */
export type ServerFaultKind =
  | 'CIPHER_SUITE_UNKNOWN'
  | 'CORS_ORIGIN_INVALID'
  | 'KEYSTORE_UNUSABLE'
  | 'KNOWN_CLIENTS_INVALID'
  | 'TLS_PROTOCOL_UNKNOWN'
  | 'TRUSTSTORE_UNUSABLE'

export const serverFault = defineFaults<ServerFaultKind>()
