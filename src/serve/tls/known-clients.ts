import type { PeerCertificate } from 'node:tls'
import { serverFault } from '#serve/faults.ts'

/** SHA-256 as keytool and openssl print it. */
const LINE = /^(\S+)\s+((?:[\da-f]{2}:){31}[\da-f]{2}|[\da-f]{64})$/i

/** Clients known one by one: by the common name of their certificate and its fingerprint together. */
export interface KnownClients {
  includes(certificate: PeerCertificate): boolean
}

/** One client a line: `<common name> <SHA-256 fingerprint>`; lines with # are comments. */
export function parseKnownClients(text: string, file: string): KnownClients {
  const known = new Set<string>()
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const content = line.trim()
    if (content === '' || content.startsWith('#')) continue
    const match = LINE.exec(content)
    if (match === null) throw lineFault(file, index + 1)
    known.add(entry(match[1] ?? '', match[2] ?? ''))
  }
  return {
    includes({ subject, fingerprint256 }) {
      const names = subject?.CN === undefined ? [] : [subject.CN].flat()
      return names.some((name) => known.has(entry(name, fingerprint256)))
    },
  }
}

function entry(commonName: string, fingerprint: string): string {
  return `${commonName.toLowerCase()} ${fingerprint.replaceAll(':', '').toLowerCase()}`
}

function lineFault(file: string, line: number) {
  const sentence =
    `Line ${line} of ${file} is not a known client. ` +
    'Write the common name, a blank and the SHA-256 fingerprint of its certificate (openssl x509 -fingerprint -sha256).'
  return serverFault('KNOWN_CLIENTS_INVALID', { sentence, file, line })
}
