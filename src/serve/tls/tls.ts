import type { Server } from 'node:https'
import { getCiphers, type SecureVersion, type TLSSocket, type TlsOptions } from 'node:tls'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { serverFault } from '#serve/faults.ts'
import { createThrottledWarning } from '#serve/throttled-warning.ts'
import { assert } from '#types/assert.ts'
import { loadTlsFiles, type TlsClients, type TlsFiles, type TlsIdentity } from './tls-files.ts'

/**
 * Files are compared by content, not watched: secrets mounted into containers change by moving links, which
 * watchers do not see.
 */
const RELOAD_PERIOD_MS = 10_000
const HANDSHAKE_TIMEOUT_MS = 10_000

const PROTOCOLS: readonly SecureVersion[] = ['TLSv1.2', 'TLSv1.3']

export interface TlsSettings {
  /** How the options are spelled, for sentences: `--rpc-http-tls` or `--rpc-ws-ssl`. */
  readonly optionPrefix: string
  readonly identity: TlsIdentity
  /** Null: no client certificate is asked for. Otherwise one that is known or of an authority is required. */
  readonly clients: TlsClients | null
  /** Among TLSv1.2 and TLSv1.3. */
  readonly protocols: readonly string[]
  /** Names of the standard; empty for the defaults. */
  readonly cipherSuites: readonly string[]
}

export interface SecuredServer {
  /** For the constructor of the server. */
  readonly options: TlsOptions
  /** Guards the server's connections and renews its certificate until `stop`. */
  attach(server: Server): void
  stop(): void
}

/** Throws a Fault with a sentence when a file or a name cannot be used. */
export function serveTls(settings: TlsSettings, clock: Clock, log: Log): SecuredServer {
  const { identity, clients, cipherSuites, optionPrefix } = settings
  const fixed: TlsOptions = {
    ...versions(settings),
    ...(cipherSuites.length > 0 && {
      ciphers: toOpenSslCiphers(cipherSuites, `${optionPrefix}-cipher-suites`),
    }),
  }
  const warnStranger = createThrottledWarning(log, clock, 'A client without a known certificate was refused.')
  let files = loadTlsFiles(identity, clients)
  const admitted = new Set<TLSSocket>()
  const reloader = createReloader(settings, clock, log, files, (renewed) => {
    const hasSameAuthorities = String(renewed.context.ca) === String(files.context.ca)
    files = renewed
    if (clients === null) return
    // A certificate was verified in its handshake, by the authorities of that time.
    const mayStay = (socket: TLSSocket): boolean =>
      hasSameAuthorities ? isAdmitted(socket, files) : isKnown(socket, files)
    const closed = [...admitted].filter((socket) => !mayStay(socket))
    for (const socket of closed) socket.destroy()
    if (closed.length > 0) {
      log.info('Closed connections of clients that are no longer admitted', { connections: closed.length })
    }
  })
  const admit = (socket: TLSSocket): boolean => {
    if (!isAdmitted(socket, files)) return false
    admitted.add(socket)
    socket.once('close', () => admitted.delete(socket))
    return true
  }
  return {
    options: {
      ...fixed,
      ...files.context,
      requestCert: clients !== null,
      // Known clients may have signed for themselves; then the verdict is the gate's alone.
      rejectUnauthorized: clients !== null && clients.knownClientsFile === null,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    },
    attach(server) {
      if (clients !== null) {
        const onStranger = (socket: TLSSocket): void =>
          warnStranger({
            remoteAddress: socket.remoteAddress,
            reason: String(socket.authorizationError ?? ''),
          })
        guard(server, (socket) => admit(socket), onStranger)
      }
      reloader.start((context) => server.setSecureContext({ ...fixed, ...context }))
    },
    stop: reloader.stop,
  }
}

/**
 * Stands before node:https: under TLS 1.3 a request may arrive with the last message of the handshake, and whoever
 * listens beside node:https hears of the connection when that request is already taken up.
 */
function guard(
  server: Server,
  admits: (socket: TLSSocket) => boolean,
  onStranger: (socket: TLSSocket) => void,
): void {
  const served = server.listeners('secureConnection')
  assert(served.length === 1, 'node:https takes up a connection when it is secure')
  server.removeAllListeners('secureConnection')
  server.on('secureConnection', (socket) => {
    if (admits(socket)) {
      for (const listener of served) listener.call(server, socket)
      return
    }
    onStranger(socket)
    socket.destroy()
  })
  // Where TLS itself refuses, the connection never becomes secure.
  server.on('tlsClientError', (_error, socket) => {
    if (socket.authorizationError) onStranger(socket)
  })
}

function isAdmitted(socket: TLSSocket, files: TlsFiles): boolean {
  // Without a certificate it has no members. Some versions of Node call such a client authorized when it resumes a session.
  if (socket.getPeerCertificate()?.fingerprint256 === undefined) return false
  return socket.authorized || isKnown(socket, files)
}

function isKnown(socket: TLSSocket, { knownClients }: TlsFiles): boolean {
  const certificate = socket.getPeerCertificate()
  return certificate?.fingerprint256 !== undefined && knownClients?.includes(certificate) === true
}

function versions({ protocols, optionPrefix }: TlsSettings): Pick<TlsOptions, 'minVersion' | 'maxVersion'> {
  const unknown = protocols.find((name) => !PROTOCOLS.some((protocol) => protocol === name))
  const chosen = PROTOCOLS.filter((protocol) => protocols.includes(protocol))
  const [minVersion] = chosen
  const maxVersion = chosen.at(-1)
  if (unknown === undefined && minVersion !== undefined && maxVersion !== undefined) {
    return { minVersion, maxVersion }
  }
  const sentence = `${optionPrefix}-protocols: ${unknown ?? 'nothing'} is not offered. Choose among ${PROTOCOLS.join(', ')}.`
  throw serverFault('TLS_PROTOCOL_UNKNOWN', { sentence, protocols })
}

function createReloader(
  { identity, clients, optionPrefix }: TlsSettings,
  clock: Clock,
  log: Log,
  first: TlsFiles,
  onRenewed: (files: TlsFiles) => void,
) {
  let digest = first.digest
  let lastFailure = ''
  let timer: { cancel(): void } | undefined
  const poll = (apply: (context: TlsFiles['context']) => void): void => {
    try {
      const files = loadTlsFiles(identity, clients)
      if (files.digest === digest) return
      apply(files.context)
      onRenewed(files)
      digest = files.digest
      lastFailure = ''
      log.info('The TLS files have changed and are in use.', { options: optionPrefix })
    } catch (error) {
      // Perhaps half written: the old certificate stays in use, and the next look may find them whole.
      const failure = error instanceof Error ? error.message : String(error)
      if (failure !== lastFailure) log.warn('The TLS files have changed but cannot be used.', { err: error })
      lastFailure = failure
    }
  }
  return {
    start(apply: (context: TlsFiles['context']) => void): void {
      timer = clock.every(RELOAD_PERIOD_MS, () => poll(apply), { unref: true })
    },
    stop: () => timer?.cancel(),
  }
}

/** TLS 1.2 suites: the standard's name is `TLS_<key exchange>_WITH_<cipher>`, OpenSSL's `<exchange>-<cipher>`. */
const TLS12_NAME = /^TLS_(\w+)_WITH_(\w+)$/

/** The standard's names, as in the options, to the list that OpenSSL takes. */
export function toOpenSslCiphers(names: readonly string[], option: string): string {
  const known = new Set(getCiphers())
  return names
    .map((name) => {
      const openSslName = toOpenSslName(name)
      if (known.has(openSslName.toLowerCase())) return openSslName
      const sentence =
        `${option}: the cipher suite ${name} is unknown here. ` +
        'Use names such as TLS_AES_256_GCM_SHA384 or TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384.'
      throw serverFault('CIPHER_SUITE_UNKNOWN', { sentence, name })
    })
    .join(':')
}

function toOpenSslName(name: string): string {
  const match = TLS12_NAME.exec(name)
  // TLS 1.3 suites have one name only, and whoever writes OpenSSL's own names means them.
  if (match === null) return name
  const [, exchange = '', cipher = ''] = match
  const short = cipher
    .replace(/^(AES|CAMELLIA|ARIA)_(\d+)/, '$1$2')
    // CBC with SHA-1 or SHA-2 is what OpenSSL means when it names no mode.
    .replace(/_CBC_/, '_')
    .replace(/_CCM_8$/, '_CCM8')
    .replace(/^(CHACHA20_POLY1305)_SHA256$/, '$1')
  // RSA key transport is OpenSSL's unnamed default.
  const parts = exchange === 'RSA' ? [short] : [exchange, short]
  return parts.join('_').replaceAll('_', '-')
}
