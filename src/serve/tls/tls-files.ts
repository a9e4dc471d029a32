import { createHash } from 'node:crypto'
import {
  createSecureContext,
  type PeerCertificate,
  rootCertificates,
  type SecureContextOptions,
} from 'node:tls'
import { readFileBounded } from '#platform/files/files.ts'
import type { Secret } from '#platform/secret.ts'
import { serverFault } from '#serve/faults.ts'
import { Fault } from '#types/fault.ts'
import { OutdatedEncryption, readCertificates } from './pkcs12.ts'

/** Certificates with their chains have a few KiB; truststores with every public authority a few hundred. */
const FILE_MAX_BYTES = 4 * 1024 * 1024
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Only the first line of a password file counts, as in Besu. */
export type TlsPassword = { readonly file: string } | { readonly secret: Secret<string> }

export interface Pkcs12File {
  readonly kind: 'pkcs12'
  readonly file: string
  readonly password: TlsPassword
}

export type TlsIdentity =
  | Pkcs12File
  | { readonly kind: 'pem'; readonly keyFile: string; readonly certificateFile: string }

/** `system`: the authorities bundled with Node. */
export type TlsAuthorities = 'system' | Pkcs12File | { readonly kind: 'pem'; readonly file: string }

export interface TlsClients {
  readonly knownClientsFile: string | null
  /** If null, only known clients are admitted. */
  readonly authorities: TlsAuthorities | null
}

export interface TlsFiles {
  readonly context: SecureContextOptions
  readonly knownClients: KnownClients | null
  /** Changes when any of the files changes. */
  readonly digest: string
}

/** Reads every file again. Throws a Fault that names a file that cannot be used. */
export function loadTlsFiles(identity: TlsIdentity, clients: TlsClients | null): TlsFiles {
  const hash = createHash('sha256')
  const read = (path: string): Buffer => {
    const bytes = readFileBounded(path, FILE_MAX_BYTES)
    hash.update(`${bytes.length} `).update(bytes)
    return Buffer.from(bytes)
  }
  const own = loadIdentity(identity, read)
  const authorities = clients?.authorities ?? null
  const ca = authorities === null ? [] : loadAuthorities(authorities, read)
  const knownFile = clients?.knownClientsFile ?? null
  const knownClients =
    knownFile === null ? null : parseKnownClients(read(knownFile).toString('utf8'), knownFile)
  // An empty list means no authority at all; if it is absent, Node trusts every public authority.
  return { context: { ...own, ca }, knownClients, digest: hash.digest('hex') }
}

type ReadFile = (path: string) => Buffer

function loadIdentity(identity: TlsIdentity, read: ReadFile): SecureContextOptions {
  const file = identity.kind === 'pem' ? identity.certificateFile : identity.file
  const context: SecureContextOptions =
    identity.kind === 'pem'
      ? { key: read(identity.keyFile), cert: read(identity.certificateFile) }
      : { pfx: refuseJks(read(file), file), passphrase: passwordOf(identity.password, read) }
  try {
    createSecureContext(context)
  } catch (cause) {
    throw keystoreFault(file, identity.kind, cause)
  }
  return context
}

function loadAuthorities(authorities: TlsAuthorities, read: ReadFile): string[] {
  if (authorities === 'system') return [...rootCertificates]
  const { file } = authorities
  const bytes = read(file)
  const isPem = bytes.subarray(0, 64 * 1024).includes('-----BEGIN ')
  if (authorities.kind === 'pem' || isPem) {
    const found = bytes.toString('latin1').match(PEM_CERTIFICATE)
    if (found === null) throw truststoreFault(file, 'it holds no certificate')
    return found
  }
  try {
    const found = readCertificates(refuseJks(bytes, file), passwordOf(authorities.password, read))
    if (found.length > 0) return found
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    const why =
      cause instanceof OutdatedEncryption
        ? 'its encryption is outdated; export it again with a current keytool or openssl'
        : 'the password is wrong, or it is no PKCS#12 file'
    throw truststoreFault(file, why, cause)
  }
  throw truststoreFault(file, 'it holds no certificate')
}

function passwordOf(password: TlsPassword, read: ReadFile): string {
  if ('secret' in password) return password.secret.reveal()
  return read(password.file).toString('utf8').split(/\r?\n/, 1)[0] ?? ''
}

const JKS_MAGIC = 0xfeedfeed

function refuseJks(bytes: Buffer, file: string): Buffer {
  if (bytes.length < 4 || bytes.readUInt32BE(0) !== JKS_MAGIC) return bytes
  const sentence =
    `${file} is a JKS file, which only Java reads. Convert it: ` +
    'keytool -importkeystore -srckeystore <file> -destkeystore <file>.p12 -deststoretype pkcs12'
  throw serverFault('KEYSTORE_UNUSABLE', { sentence, file })
}

/** Adds an explanation to OpenSSL's message, e.g. "mac verify failure" for a wrong password. */
function keystoreFault(file: string, kind: TlsIdentity['kind'], cause: unknown) {
  const words = cause instanceof Error ? cause.message : String(cause)
  const meaning =
    kind === 'pem'
      ? 'The key and the certificate must be PEM files that belong together.'
      : /mac verify|password/i.test(words)
        ? 'Check the password file.'
        : /unsupported/i.test(words)
          ? 'Its encryption is outdated: export it again with openssl pkcs12 -export of OpenSSL 3.'
          : 'It must be a PKCS#12 file with one key and its certificate.'
  const sentence = `The TLS key of ${file} cannot be used (${words}). ${meaning}`
  return serverFault('KEYSTORE_UNUSABLE', { sentence, file }, { cause })
}

function truststoreFault(file: string, why: string, cause?: unknown) {
  return serverFault('TRUSTSTORE_UNUSABLE', { sentence: `${file} cannot be used: ${why}.`, file }, { cause })
}

/** SHA-256 in the format of keytool and openssl. */
const KNOWN_CLIENT_LINE = /^(\S+)\s+((?:[\da-f]{2}:){31}[\da-f]{2}|[\da-f]{64})$/i

/** Clients known individually, by their certificate's common name and fingerprint together. */
interface KnownClients {
  includes(certificate: PeerCertificate): boolean
}

/** One client per line: `<common name> <SHA-256 fingerprint>`; lines with # are comments. */
function parseKnownClients(text: string, file: string): KnownClients {
  const known = new Set<string>()
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const content = line.trim()
    if (content === '' || content.startsWith('#')) continue
    const match = KNOWN_CLIENT_LINE.exec(content)
    if (match === null) throw lineFault(file, index + 1)
    known.add(clientEntry(match[1] ?? '', match[2] ?? ''))
  }
  return {
    includes({ subject, fingerprint256 }) {
      const names = subject?.CN === undefined ? [] : [subject.CN].flat()
      return names.some((name) => known.has(clientEntry(name, fingerprint256)))
    },
  }
}

function clientEntry(commonName: string, fingerprint: string): string {
  return `${commonName.toLowerCase()} ${fingerprint.replaceAll(':', '').toLowerCase()}`
}

function lineFault(file: string, line: number) {
  const sentence =
    `Line ${line} of ${file} is not a known client. ` +
    'Write the common name, a blank and the SHA-256 fingerprint of its certificate (openssl x509 -fingerprint -sha256).'
  return serverFault('KNOWN_CLIENTS_INVALID', { sentence, file, line })
}

/** A server's certificates in PEM. Throws a Fault if the files cannot be used. */
export function certificatesOf(identity: TlsIdentity): readonly string[] {
  const { cert, pfx, passphrase } = loadTlsFiles(identity, null).context
  if (Buffer.isBuffer(cert)) return cert.toString('latin1').match(PEM_CERTIFICATE) ?? []
  return Buffer.isBuffer(pfx) ? readCertificates(pfx, passphrase ?? '') : []
}
