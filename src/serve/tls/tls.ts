import type { Server } from 'node:https'
import { getCiphers, type SecureVersion, type TLSSocket, type TlsOptions } from 'node:tls'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { serverFault } from '#serve/faults.ts'
import { SERVE_PROBLEMS } from '#serve/log-problems.ts'
import { createThrottledWarning } from '#serve/throttled-warning.ts'
import { assert } from '#types/assert.ts'
import { loadTlsFiles, type TlsClients, type TlsFiles, type TlsIdentity } from './tls-files.ts'

/**
 * Files are compared by content instead of watched: secrets mounted into containers change by moving links, which
 * watchers miss.
 */
const RELOAD_PERIOD_MS = 10_000
const HANDSHAKE_TIMEOUT_MS = 10_000

const PROTOCOLS: readonly SecureVersion[] = ['TLSv1.2', 'TLSv1.3']

export interface TlsSettings {
  /** The prefix of the option names in sentences: `--rpc-http-tls` or `--rpc-ws-ssl`. */
  readonly optionPrefix: string
  readonly identity: TlsIdentity
  /** If null, no client certificate is requested. Otherwise a known one, or one of an authority, is required. */
  readonly clients: TlsClients | null
  /** TLSv1.2 and TLSv1.3 are possible. */
  readonly protocols: readonly string[]
  /** Standard names; empty for the defaults. */
  readonly cipherSuites: readonly string[]
}

export interface SecuredServer {
  /** Options for the server's constructor. */
  readonly options: TlsOptions
  /** Guards the server's connections and renews its certificate until `stop`. */
  attach(server: Server): void
  stop(): void
}

/** Throws a Fault if a file or a name cannot be used. */
export function serveTls(settings: TlsSettings, clock: Clock, log: Log): SecuredServer {
  const { identity, clients, cipherSuites, optionPrefix } = settings
  const fixed: TlsOptions = {
    ...versions(settings),
    ...(cipherSuites.length > 0 && {
      ciphers: toOpenSslCiphers(cipherSuites, `${optionPrefix}-cipher-suites`),
    }),
  }
  const warnStranger = createThrottledWarning(log, clock, SERVE_PROBLEMS.strangerRefused)
  let files = loadTlsFiles(identity, clients)
  const admitted = new Set<TLSSocket>()
  const reloader = createReloader(settings, clock, log, files, (renewed) => {
    const hasSameAuthorities = String(renewed.context.ca) === String(files.context.ca)
    files = renewed
    if (clients === null) return
    // The handshake verified the certificate against the authorities of that time.
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
      // Known clients may have self-signed certificates, so only the guard decides about them.
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
 * Runs before node:https: under TLS 1.3 a request may arrive with the last message of the handshake, and a second
 * listener would hear of the connection only after node:https has accepted that request.
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
  // If TLS itself refuses, the connection never becomes secure.
  server.on('tlsClientError', (_error, socket) => {
    if (socket.authorizationError) onStranger(socket)
  })
}

function isAdmitted(socket: TLSSocket, files: TlsFiles): boolean {
  // Without a certificate the object is empty. Some versions of Node report such a client as authorized when it resumes a
  // session.
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
      log.info('Reloaded TLS files', { options: optionPrefix })
    } catch (error) {
      // The files may be half-written: the old certificate stays in use, and the next poll may find them complete.
      const failure = error instanceof Error ? error.message : String(error)
      if (failure !== lastFailure) log.warn(SERVE_PROBLEMS.tlsFilesUnusable, { err: error })
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

/** TLS 1.2 suites: the standard's name is `TLS_<key exchange>_WITH_<cipher>`, OpenSSL's is `<exchange>-<cipher>`. */
const TLS12_NAME = /^TLS_(\w+)_WITH_(\w+)$/

/** Converts the standard's names, which the options use, to OpenSSL's list. */
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
  // TLS 1.3 suites have only one name, and OpenSSL's own names are accepted too.
  if (match === null) return name
  const [, exchange = '', cipher = ''] = match
  const short = cipher
    .replace(/^(AES|CAMELLIA|ARIA)_(\d+)/, '$1$2')
    // OpenSSL omits the mode for CBC with SHA-1 or SHA-2.
    .replace(/_CBC_/, '_')
    .replace(/_CCM_8$/, '_CCM8')
    .replace(/^(CHACHA20_POLY1305)_SHA256$/, '$1')
  // RSA key transport is OpenSSL's unnamed default.
  const parts = exchange === 'RSA' ? [short] : [exchange, short]
  return parts.join('_').replaceAll('_', '-')
}
